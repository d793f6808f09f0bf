"""Checks the citations of a reply: `citations` (some, and all of them valid), `citations:valid`, `citations:none`."""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import check_options, label_of, one_of, texts
from afterturn.evals.assertions._seen import passages_of
from afterturn.stream import Cleaned, clean
from afterturn.turns import JsonObject, JsonValue

KINDS = ("present", "valid", "none")


@dataclass(frozen=True, kw_only=True, slots=True)
class Citations:
    """Checks what the reply cites against the passages that were handed out.

    Attributes:
        name: The name in results.
        kind: `present`: some, all valid. `valid`: none or some, all valid. `none`: none at all.
        at_least: How many different passages have to be cited.
        aliases: Passages that have to be cited.
    """

    name: str
    kind: str = "present"
    at_least: int = 1
    aliases: tuple[str, ...] = ()

    def check(self, row: Row, reply: Reply) -> AssertionResult:
        """Checks a reply. Where nobody said which passages there were, no citation is valid."""
        passages = passages_of(row, reply) or ()
        found = clean(reply.text, aliases=[passage.alias for passage in passages])
        reason = self._reason(found)
        return AssertionResult(
            name=self.name,
            passed=reason is None,
            reason=reason,
            details={
                "passages": len(passages),
                "marks": len(found.marks),
                "cited": list(found.cited),
                "unknown": len(found.unknown),
                "not_cited": [alias for alias in self.aliases if alias not in found.cited],
            },
        )

    def _reason(self, found: Cleaned) -> str | None:
        if self.kind == "none":
            return "cites" if found.cited or found.unknown else None
        if found.unknown:
            return "unknown_passage"
        if self.kind == "valid":
            return None
        if len(found.cited) < self.at_least:
            return "too_few_citations" if found.cited else "no_citation"
        return "passage_not_cited" if any(alias not in found.cited for alias in self.aliases) else None


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is no kind, or an option has no meaning.
    """
    check_options(name, options, ("at_least", "aliases"))
    at_least = options.get("at_least", 1)
    if isinstance(at_least, bool) or not isinstance(at_least, int) or at_least < 1:
        raise UsageError(f"{name}.at_least is a whole number from 1 up")
    return Citations(
        name=label_of(name, options),
        kind=one_of(f"the kind of {name}", argument, KINDS, default="present"),
        at_least=at_least,
        aliases=texts(f"{name}.aliases", options.get("aliases")),
    )
