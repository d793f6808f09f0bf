"""Hands out aliases for retrieved passages and writes the block that a model reads them in (SPEC A1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from afterturn.errors import UsageError
from afterturn.formats import highest_alias
from afterturn.turns import JsonValue, Passage

INSTRUCTION = (
    "Rules for the answer: take it from these passages only. End every sentence with the id of the passage that it "
    'comes from, in square brackets, like "… [c4]." or "… [c2, c7]."'
)
"""How to cite, put after the passages: small models read the end of a prompt best (docs/measurements.md)."""


@dataclass(frozen=True, slots=True)
class Passages(Sequence[Passage]):
    """Are the passages of one search, each under its alias.

    Example:
        >>> hand_out(["Leave is 27 days."], taken=("c1", "c2")).aliases
        ('c3',)
    """

    items: tuple[Passage, ...]

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | Sequence[Passage]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Passage]:
        return iter(self.items)

    @property
    def aliases(self) -> tuple[str, ...]:
        """The aliases, in order."""
        return tuple(passage.alias for passage in self.items)

    def prompt(self) -> str:
        """Writes the block for the model: every passage under its alias, then how to cite; empty without passages."""
        if not self.items:
            return ""
        return "\n\n".join(("Passages:", *(_block(passage) for passage in self.items), INSTRUCTION))


def hand_out(results: Iterable[Passage | Mapping[str, JsonValue] | str], *, taken: Iterable[str] = ()) -> Passages:
    """Gives every search result the next free alias of the session.

    Args:
        results: Texts, mappings with `text` (and `title`, `uri`), or passages; an alias they already have is replaced.
        taken: Aliases that were handed out before in this session.

    Raises:
        UsageError: A result has no text.
    """
    last = highest_alias(taken)
    return Passages(tuple(_passage(f"c{last + n}", result, n) for n, result in enumerate(results, start=1)))


class AliasBook:
    """Numbers aliases on through each session, also for turns of one session that run at the same time.

    Args:
        sessions: How many sessions it remembers; the one that was silent longest is forgotten first, and its next turn
            numbers on from what is stored.
    """

    def __init__(self, *, sessions: int = 4096) -> None:
        self._sessions = sessions
        self._last: dict[tuple[str, str], int] = {}

    def hand_out(
        self,
        tenant: str,
        session: str,
        results: Iterable[Passage | Mapping[str, JsonValue] | str],
        *,
        taken: Iterable[str] = (),
    ) -> Passages:
        """Does what `hand_out` does, and takes no alias that a turn of the session took since it began."""
        known = self._last.pop((tenant, session), 0)
        handed = hand_out(results, taken=(*taken, f"c{known}"))
        self._last[tenant, session] = highest_alias((f"c{known}", *taken, *handed.aliases))
        while len(self._last) > self._sessions:
            self._last.pop(next(iter(self._last)))
        return handed


def _passage(alias: str, result: Passage | Mapping[str, JsonValue] | str, number: int) -> Passage:
    if isinstance(result, str):
        return Passage(alias=alias, text=result)
    if isinstance(result, Passage):
        return Passage(alias=alias, text=result.text, title=result.title, uri=result.uri, extra=result.extra)
    text, title, uri = result.get("text"), result.get("title"), result.get("uri")
    if not isinstance(text, str):
        raise UsageError(f"search result {number} has no `text`; give a string, a Passage or a mapping with `text`")
    extra = {key: value for key, value in result.items() if key not in ("text", "title", "uri", "alias")}
    return Passage(
        alias=alias,
        text=text,
        title=title if isinstance(title, str) else None,
        uri=uri if isinstance(uri, str) else None,
        extra=extra,
    )


def _block(passage: Passage) -> str:
    head = f"[{passage.alias}]" + (f" {passage.title}" if passage.title else "")
    return f"{head}\n{passage.text}"
