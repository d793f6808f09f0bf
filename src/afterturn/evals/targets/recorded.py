"""Scores what already happened: the reply of a row is the one in a file of turns, found by its id.

A turn's id stands under `turn`. Many files have it under `id`, which a turn does not know; it finds the turn as well,
where no turn has that id under `turn`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
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
    """Is a file of turns as an agent under test. Of JSONL, 16 bytes an id are kept in memory.

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
        self._own, self._other = _Places(()), _Places(())
        if path.suffix.lower() in _PARQUET:
            read = [turn for turn in read_any(path) if not isinstance(turn, BadLine)]
            self._turns = {other: turn for turn in read if (other := _other_id(turn))}
            self._turns |= {turn.id: turn for turn in read}
        else:
            self._index()
        if not self._turns and not self._own:
            raise UnreadableInputError(f"{path} holds no turn; give a file of turns (docs/formats.md)")

    async def ask(self, row: Row) -> Reply:
        """Gives the recorded reply of the turn that has the row's id, or the one under `turn` in its metadata.

        Raises:
            AgentError: `no_recording`, where there is none.
        """
        named = row.metadata.get("turn")
        turn = self._find(named if isinstance(named, str) else row.id)
        if turn is None:
            raise AgentError(
                "no_recording", "no recorded turn has the row's id under `turn` or `id`; name one in the row's `turn`"
            )
        return replace(reply_from(turn, row), latency_ms=None)  # reading it took a time that says nothing

    async def aclose(self) -> None:
        """Holds nothing open."""

    def _index(self) -> None:
        placed = list(_placed(self._path))
        self._own = _Places((number, place) for number, _, place in placed)
        self._other = _Places((number, place) for _, number, place in placed if number is not None)

    def _find(self, turn_id: str) -> Turn | None:
        if self._turns:
            return self._turns.get(turn_id)
        number = hash_of(turn_id)
        place = self._own.of(number)
        place = self._other.of(number) if place is None else place
        if place is None:
            return None
        with self._path.open("rb") as stream:
            stream.seek(place)
            return _turn(stream.readline())


class _Places:
    """Is where in a file the line of an id begins: 16 bytes an id."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(pairs)
        self._ids = array("Q", (number for number, _ in ordered))
        self._places = array("Q", (place for _, place in ordered))

    def __len__(self) -> int:
        return len(self._ids)

    def of(self, number: int) -> int | None:
        """Gives the place of an id, the last of several: a later line replaces an earlier one."""
        found = bisect_right(self._ids, number) - 1
        return self._places[found] if found >= 0 and self._ids[found] == number else None


def open_recorded(path: Path) -> Target:
    """Makes a target of a file of turns."""
    return RecordedTarget(path)


def _placed(path: Path) -> Iterator[tuple[int, int | None, int]]:
    """Gives the hashes of the ids of the turns of a JSONL file, with the places where their lines begin."""
    try:
        with path.open("rb") as stream:
            place = 0
            for line in stream:
                turn = _turn(line)
                if turn is not None:
                    other = _other_id(turn)
                    yield hash_of(turn.id), None if other is None else hash_of(other), place
                place += len(line)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read: {error.strerror}; check the path and its rights") from None


def _turn(line: bytes) -> Turn | None:
    try:
        return turn_from_json(parse_json(line.decode("utf-8-sig")))
    except (TurnFormatError, FormatProblem, UnicodeDecodeError):
        return None


def _other_id(turn: Turn) -> str | None:
    """Gives what a record has under `id`, which is no key of a turn."""
    value = turn.extra.get("id")
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
