"""Reads tables of phrases: text files in a package, sections in brackets, alternatives split by `|`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from afterturn.language._text import tokens

Phrase = tuple[str, ...]


@lru_cache(maxsize=8)
def phrases(table: str, package: str = "afterturn.language") -> Mapping[str, frozenset[Phrase]]:
    """Gives the phrases of a table by section, each a tuple of folded tokens.

    Args:
        table: Name of the file, e.g. `smalltalk.txt`; `#` starts a comment.
        package: The package that the file stands in.
    """
    return {
        name: frozenset(_phrase(item) for line in found for item in line.split("|")) - {()}
        for name, found in lines(table, package).items()
    }


@lru_cache(maxsize=8)
def lines(table: str, package: str = "afterturn.language") -> Mapping[str, tuple[str, ...]]:
    """Gives the lines of a table by section, as written, comments left out.

    Args:
        table: Name of the file.
        package: The package that the file stands in.
    """
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (files(package) / table).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sections.setdefault(line[1 : line.index("]")], [])
        elif line and not line.startswith("#"):
            current.append(line)
    return {name: tuple(found) for name, found in sections.items()}


def _phrase(text: str) -> Phrase:
    return tuple(token.folded for token in tokens(text))
