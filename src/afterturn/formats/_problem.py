"""Says what is wrong with a record, and what to do, without a word of its content."""

from __future__ import annotations

from collections.abc import Mapping

from afterturn.errors import TurnFormatError


class FormatProblem(TurnFormatError):
    """Is the TurnFormatError of this room: the problem and the hint stay apart for the report of a bad line.

    Attributes:
        problem: What is wrong, with the place inside the record.
        hint: What to do about it.
        where: The file and line, or whatever the caller named the record.
    """

    def __init__(self, problem: str, hint: str, *, where: str = "") -> None:
        super().__init__(problem, hint)
        self.problem = problem
        self.hint = hint
        self.where = where

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.problem}; {self.hint}"


def wrong_type(path: str, value: object, wanted: str) -> FormatProblem:
    """Makes the problem of a value of a wrong type: names the types, never the value."""
    return FormatProblem(f"{path} is {kind_of(value)}", f"it must be {wanted}")


def kind_of(value: object) -> str:
    """Names the JSON type of a value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else "no JSON value"
