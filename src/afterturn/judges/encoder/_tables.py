"""Reads the encoder's own tables, which stand beside this file."""

from __future__ import annotations

from collections.abc import Mapping

from afterturn.language import Phrase, lines, phrases

_HERE = "afterturn.judges.encoder"


def table(name: str) -> Mapping[str, frozenset[Phrase]]:
    """Gives the phrases of a table by section, folded into tokens."""
    return phrases(name, _HERE)


def table_lines(name: str) -> Mapping[str, tuple[str, ...]]:
    """Gives the lines of a table by section, as written."""
    return lines(name, _HERE)
