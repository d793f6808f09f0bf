"""Answers the tool calls of a framework's agent in the sandbox; only tools named as real run their own code."""

from __future__ import annotations

from afterturn.evals._records import Row
from afterturn.evals.targets._options import TargetOptions
from afterturn.evals.targets._stubs import Toolbox
from afterturn.turns import JsonObject, ToolCall

ALL = "*"


class OwnTools:
    """Are the tools of an agent object.

    Args:
        options: `real_tools` holds names of tools that run their own code (`*`: all of them), and
            `NAME=module:callable` for one that runs other code instead.
    """

    def __init__(self, options: TargetOptions) -> None:
        self._own = {spec for spec in options.real_tools if "=" not in spec}
        self._box = Toolbox((), [spec for spec in options.real_tools if "=" in spec])

    @property
    def all_real(self) -> bool:
        """Whether every tool runs its own code."""
        return ALL in self._own

    def is_real(self, name: str) -> bool:
        """Whether a tool runs its own code."""
        return self.all_real or name in self._own

    async def answer(self, name: str, arguments: JsonObject | None, row: Row) -> str:
        """Answers a call in a tool's place: by what the row declares, or with an empty result."""
        return await self._box.answer(ToolCall(id="", name=name, arguments=arguments), row)
