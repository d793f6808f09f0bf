"""Finds patterns by Python's `re`, where google-re2 is not installed: the same findings, slower."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterturn.guard._engines import Candidate, Way
from afterturn.guard._rarity import EDGE
from afterturn.guard._rules import Pattern
from afterturn.guard._syntax import for_re


class ReEngine:
    """Is the engine without a dependency: a pattern is tried only where the words that it needs are there.

    Args:
        patterns: What to find; they are known by their index.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._patterns = patterns
        self._compiled: dict[int, re.Pattern[str]] = {}
        self._kernels: dict[int, re.Pattern[str]] = {}
        self._ways: list[tuple[int, list[frozenset[str]]]] = []
        self._by_trigger: dict[str, list[int]] = {}
        for at, pattern in enumerate(patterns):
            for way in pattern.needs:
                groups = [frozenset(word.strip(EDGE) for word in group) for group in way]
                for word in groups[0]:
                    self._by_trigger.setdefault(word, []).append(len(self._ways))
                self._ways.append((at, groups))
        self._by_start: dict[str, list[str]] = {}
        for word in sorted({word for _, groups in self._ways for group in groups for word in group}):
            self._by_start.setdefault(word[:3], []).append(word)
        self._lengths = sorted({len(start) for start in self._by_start})

    def candidates(self, text: str) -> list[Candidate]:
        """Lists the patterns that may match, in their order."""
        flat = text.replace("\n", " ")
        starts = {flat[at : at + length] for length in self._lengths for at in range(len(flat))}
        present = {word for start in starts & self._by_start.keys() for word in self._by_start[start] if word in flat}
        likely = {number for word in present & self._by_trigger.keys() for number in self._by_trigger[word]}
        kept: dict[int, list[Way]] = {}
        for number in sorted(likely):
            at, groups = self._ways[number]
            if not any(group.isdisjoint(present) for group in groups):
                kept.setdefault(at, []).append(Way(tuple(groups), present, str))
        always = [Candidate(at, ()) for at, pattern in enumerate(self._patterns) if not pattern.needs]
        return sorted([*always, *(Candidate(at, tuple(near)) for at, near in kept.items())])

    def spans(self, text: str, at: int, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Finds the places where one pattern matches between two places, in code points, from left to right."""
        pattern = self._compiled.get(at)
        if pattern is None:
            pattern = self._compiled[at] = re.compile(for_re(self._patterns[at].text), re.ASCII)
        for match in pattern.finditer(text, start, end):
            yield match.span()

    def kernels(self, text: str, at: int) -> Iterator[tuple[int, int]]:
        """Finds the places of the kernel of a pattern that has one, in code points, from left to right."""
        known = self._kernels.get(at)
        if known is None:
            pattern = self._patterns[at]
            part = pattern.text[pattern.kernel.start : pattern.kernel.end] if pattern.kernel else pattern.text
            known = self._kernels[at] = re.compile(for_re(part), re.ASCII)
        for match in known.finditer(text):
            yield match.span()
