"""Finds hidden text in what a simulated customer wrote: runs of words that stand in its instructions.

A customer that recites its goal tells the agent what a success looks like, so its conversation says less. What the
customer may say (its facts, its situation, what it knows, what the agent said first) is no leak.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from afterturn.language import is_cjk, tokens

WORDS = 7
"""Length of a run that counts, in words."""

CHARACTERS = 14
"""The same for scripts without spaces, in characters."""

_LEAST_WORDS, _LEAST_CHARACTERS = 5, 10  # a hidden text shorter than a run counts as a whole, if it has so many


class LeakCheck:
    """Looks for runs of hidden texts.

    Args:
        hidden: Texts that no message may quote.
        allowed: Texts that may be said; a run that stands in one of them is no leak.

    Example:
        >>> check = LeakCheck(["Get the money back without giving the order number to anyone."], [])
        >>> check.leaks("I want my money back, please."), check.leaks("get the money back without giving the order no")
        (False, True)
    """

    def __init__(self, hidden: Iterable[str], allowed: Iterable[str]) -> None:
        self._hidden: dict[int, set[tuple[str, ...]]] = {}
        self._allowed: list[str] = []
        for text in allowed:
            self.allow(text)
        for text in hidden:
            self._hide(_words(text))

    def leaks(self, text: str) -> bool:
        """Whether a message quotes a hidden text."""
        words = _words(text)
        found = (run for length, runs in self._hidden.items() for run in _runs(words, length) if run in runs)
        return any(not any(_joined(run) in text for text in self._allowed) for run in found)

    def allow(self, text: str) -> None:
        """Lets the customer say what stands in a text, because the agent has said it, say."""
        self._allowed.append(_joined(_words(text)))

    def _hide(self, words: list[str]) -> None:
        unspaced = sum(map(is_cjk, words)) * 2 > len(words)
        length = CHARACTERS if unspaced else WORDS
        if len(words) >= (_LEAST_CHARACTERS if unspaced else _LEAST_WORDS):
            length = min(length, len(words))
            self._hidden.setdefault(length, set()).update(_runs(words, length))


def _words(text: str) -> list[str]:
    return [token.folded for token in tokens(text)]


def _joined(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


def _runs(words: list[str], length: int) -> Iterable[tuple[str, ...]]:
    return (tuple(words[start : start + length]) for start in range(len(words) - length + 1))
