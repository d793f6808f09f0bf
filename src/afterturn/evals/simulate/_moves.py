"""Holds the moves of a scripted customer: what it says, and to which reply."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from afterturn.evals._patterns import BoundedPattern
from afterturn.formats import FormatProblem, is_list, is_object, wrong_type
from afterturn.turns import JsonValue

End = Literal["goal_reached", "gave_up"]
ENDS: tuple[End, ...] = get_args(End)
READ_CHARS = 20_000
"""How much of a reply a condition reads."""

_KEYS = ("say", "when_reply_matches", "end", "again")


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """Is one thing that a scripted customer may say.

    Attributes:
        say: The message; empty where the move only ends the conversation.
        when_reply_matches: Pattern (Python's `re`, case ignored) that the agent's last reply must hold; None: always.
        end: How the conversation ends with this move, or None.
        again: Whether it may be made more than once.
    """

    say: str = ""
    when_reply_matches: str | None = None
    end: End | None = None
    again: bool = False

    def fits(self, reply: str | None) -> bool:
        """Whether the move answers a reply; None before the agent has said anything."""
        if self.when_reply_matches is None:
            return True
        return reply is not None and _compiled(self.when_reply_matches).found(reply[:READ_CHARS])

    def to_json(self) -> dict[str, JsonValue]:
        """Writes the move; what it does not have is left out."""
        wire: dict[str, JsonValue] = {"say": self.say} if self.say else {}
        if self.when_reply_matches is not None:
            wire["when_reply_matches"] = self.when_reply_matches
        if self.end is not None:
            wire["end"] = self.end
        return wire | ({"again": True} if self.again else {})


def read_moves(value: JsonValue, path: str = "moves") -> tuple[Move, ...]:
    """Reads a list of moves; a text alone is a move without a condition.

    Raises:
        FormatProblem: One of them is no move; names its place.
    """
    if value is None:
        return ()
    if not is_list(value):
        raise wrong_type(path, value, "a list of moves")
    return tuple(_move(item, f"{path}[{index}]") for index, item in enumerate(value))


def _move(value: JsonValue, path: str) -> Move:
    if isinstance(value, str) and value.strip():
        return Move(say=value)
    if not is_object(value):
        raise wrong_type(path, value, "a text, or an object with `say`")
    unknown = sorted(value.keys() - set(_KEYS))
    if unknown:
        raise FormatProblem(f"{path} has the key {unknown[0]}", f"a move knows {', '.join(_KEYS)}")
    say, when, end, again = (value.get(key) for key in _KEYS)
    if not isinstance(say or "", str) or not isinstance(when or "", str):
        raise FormatProblem(f"{path}: `say` and `when_reply_matches` are texts", "put them in quotes")
    if end not in (None, *ENDS):
        raise FormatProblem(f"{path}.end is none of {', '.join(ENDS)}", "leave it out where the conversation goes on")
    if not say and end is None:
        raise FormatProblem(f"{path} neither says anything nor ends the conversation", "give `say` or `end`")
    if isinstance(when, str):
        _check(when, path)
    return Move(
        say=str(say or ""),
        when_reply_matches=when if isinstance(when, str) else None,
        end=next((one for one in ENDS if one == end), None),
        again=again is True,
    )


def _check(pattern: str, path: str) -> None:
    try:
        re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        problem = f"{path}.when_reply_matches is no regular expression"
        raise FormatProblem(problem, f"{error.msg} at position {error.pos}") from None


def _compiled(pattern: str) -> BoundedPattern:
    return BoundedPattern(pattern, "`when_reply_matches` of a move", re.IGNORECASE)
