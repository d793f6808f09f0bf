"""Scores what already happened: the reply of a row is the one in a file of turns, found by its id."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from afterturn.errors import AgentError, TurnFormatError, UnreadableInputError
from afterturn.evals._keys import hash_of
from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._replies import reply_from
from afterturn.formats import BadLine, FormatProblem, parse_json, read_any, turn_from_json
from afterturn.turns import JsonObject, Turn

_PARQUET = (".parquet", ".pq")


class RecordedTarget:
    """Is a file of turns as an agent under test. Of JSONL, 16 bytes a turn are kept in memory.

    Args:
        path: The file.

    Raises:
        UnreadableInputError: It cannot be read, or holds no turn.
    """

    free = True

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.options: JsonObject = {}
        self._path = path
        self._turns: dict[str, Turn] = {}
        self._ids, self._places = array("Q"), array("Q")
        if path.suffix.lower() in _PARQUET:
            self._turns = {turn.id: turn for turn in read_any(path) if not isinstance(turn, BadLine)}
        else:
            self._index()
        if not self._turns and not self._ids:
            raise UnreadableInputError(f"{path} holds no turn; give a file of turns (docs/formats.md)")

    async def ask(self, row: Row) -> Reply:
        """Gives the recorded reply of the turn that has the row's id, or the one under `turn` in its metadata.

        Raises:
            AgentError: `no_recording`, where there is none.
        """
        named = row.metadata.get("turn")
        turn = self._find(named if isinstance(named, str) else row.id)
        if turn is None:
            raise AgentError("no_recording", "no recorded turn has the row's id")
        return replace(reply_from(turn, row), latency_ms=None)  # reading it took a time that says nothing

    async def aclose(self) -> None:
        """Holds nothing open."""

    def _index(self) -> None:
        pairs = sorted((hash_of(turn.id), place) for turn, place in _placed(self._path))
        self._ids.extend(number for number, _ in pairs)
        self._places.extend(place for _, place in pairs)

    def _find(self, turn_id: str) -> Turn | None:
        from bisect import bisect_right

        if self._turns:
            return self._turns.get(turn_id)
        number = hash_of(turn_id)
        found = bisect_right(self._ids, number) - 1  # the last of several: a later line replaces an earlier one
        if found < 0 or self._ids[found] != number:
            return None
        with self._path.open("rb") as stream:
            stream.seek(self._places[found])
            return _turn(stream.readline())


def open_recorded(path: Path) -> Target:
    """Makes a target of a file of turns."""
    return RecordedTarget(path)


def _placed(path: Path) -> Iterator[tuple[Turn, int]]:
    """Gives the turns of a JSONL file with the places where their lines begin."""
    try:
        with path.open("rb") as stream:
            place = 0
            for line in stream:
                turn = _turn(line)
                if turn is not None:
                    yield turn, place
                place += len(line)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read: {error.strerror}; check the path and its rights") from None


def _turn(line: bytes) -> Turn | None:
    try:
        return turn_from_json(parse_json(line.decode("utf-8-sig")))
    except (TurnFormatError, FormatProblem, UnicodeDecodeError):
        return None
