"""Checks whether the agent handed the conversation over: `handoff`, `handoff:TO`, `handoff:none`.

A handoff is what the target tells as one (`Reply.extra["handoff"]`: true, or to whom), a call of the agent's conclusion
tool, or a call of a tool whose name says so (`transfer_to_billing`, `handoff`, `escalate_to_human`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import check_options, label_of, texts
from afterturn.turns import JsonObject, JsonValue

NONE = "none"
_TOOL = re.compile(
    r"(?:transfer|hand_?off|hand_over|handover|escalate|delegate)(?:_?to)?(?:_(?P<to>\w+))?", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Handoff:
    """Looks for a handoff in what the agent did.

    Attributes:
        name: The name in results.
        to: To whom it should be (`billing*` is a pattern), or by which tool; empty for anyone.
        wanted: Whether there should be one, or none.
        tools: Tools that hand over, beside those whose names say so.
    """

    name: str
    to: str = ""
    wanted: bool = True
    tools: tuple[str, ...] = ()

    def check(self, row: Row, reply: Reply) -> AssertionResult:
        """Checks a reply."""
        found = [names for names in self._handoffs(reply)]
        if not self.wanted:
            reason = "handed_over" if found else None
        elif not found:
            reason = "no_handoff"
        else:
            reason = None if any(self._fits(names) for names in found) else "handed_to_another"
        return AssertionResult(name=self.name, passed=reason is None, reason=reason, details={"handoffs": len(found)})

    def _handoffs(self, reply: Reply) -> list[tuple[str, ...]]:
        """Gives each handoff by the names under which it can be asked for."""
        told = reply.extra.get("handoff")
        found: list[tuple[str, ...]] = []
        if isinstance(told, str) and told:
            found.append((told,))
        elif told:
            found.append(())
        for call in reply.tool_calls:
            by_name = _TOOL.fullmatch(call.name)
            if by_name or call.name in (*self.tools, reply.agent.conclusion_tool):
                found.append((call.name, *((by_name["to"],) if by_name and by_name["to"] else ())))
        return found

    def _fits(self, names: tuple[str, ...]) -> bool:
        return not self.to or any(fnmatchcase(name.casefold(), self.to.casefold()) for name in names)


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is no name.
    """
    check_options(name, options, ("tools",))
    if isinstance(argument, bool):
        argument = None if argument else NONE
    if argument is not None and (not isinstance(argument, str) or not argument.strip()):
        raise UsageError(f"{name} takes a name: {name}:TO, or {name}:{NONE}")
    to = (argument or "").strip()
    return Handoff(
        name=label_of(name, options),
        to="" if to == NONE else to,
        wanted=to != NONE,
        tools=texts(f"{name}.tools", options.get("tools")),
    )
