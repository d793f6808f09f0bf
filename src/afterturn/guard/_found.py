"""Says whether a pattern of Python's `re` is anywhere in a text, by google-re2 where that says the same and is there.

A long list of alternatives costs `re` a try of each at each place (measured: 0.1 ms for 320 characters), google-re2 one
pass. It knows no look-around: without it a pattern finds more, so that `re` is asked only where it finds something.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_LOOK_AROUND = re.compile(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|(\(\?<?[=!])|(\()|(\))|[^\\\[()]+", re.DOTALL)


def found(pattern: re.Pattern[str], text: str) -> bool:
    """Says whether `pattern.search(text)` finds anything.

    Args:
        pattern: Any pattern without flags.
        text: Any text without control characters. Where it has other letters than ASCII the two do not mean the same
            letters, nor by `$` the same place where it ends in a line break; there `re` says it.
    """
    if not text.isascii() or text.endswith("\n"):
        return pattern.search(text) is not None
    known = _KNOWN.get(id(pattern)) or _learn(pattern)
    return bool(known.ask(text.encode())) and (known.is_exact or pattern.search(text) is not None)


def found_anywhere(pattern: re.Pattern[str], text: str) -> bool:
    """Says whether a pattern of characters, without classes or edges of words, is in a text of any script."""
    known = _KNOWN.get(id(pattern)) or _learn(pattern)
    return bool(known.ask(text.encode("utf-8", "replace"))) and (known.is_exact or pattern.search(text) is not None)


class _Known(NamedTuple):
    pattern: re.Pattern[str]
    ask: Callable[[bytes], object]
    is_exact: bool


_KNOWN: dict[int, _Known] = {}
"""By the identity of a pattern, which is kept and so stays its own; to hash a long one takes longer than to ask."""


def _learn(pattern: re.Pattern[str]) -> _Known:
    """Makes what google-re2 says, and whether it is all; `re` says it where google-re2 cannot."""
    from afterturn.guard._engine_re2 import load_re2, re2_options
    from afterturn.guard._re2_words import set_of

    bare = without_look_around(pattern.pattern)
    try:
        re2 = load_re2()
        ask = set_of(re2, re2_options(re2), [bare])
    except Exception:  # it is not installed, or raises an error of its own for a syntax that it does not know
        known = _Known(pattern, _maybe, is_exact=False)
    else:
        known = _Known(pattern, ask, is_exact=bare == pattern.pattern)
    return _KNOWN.setdefault(id(pattern), known)


def _maybe(data: bytes) -> bool:
    """Stands for an answer that only `re` can give."""
    return True


def without_look_around(pattern: str) -> str:
    """Drops every look-ahead and look-behind from a pattern, so that it finds the same and more.

    Example:
        >>> without_look_around(r"(?<!a)b(?:c|(?=[)d])e)")
        'b(?:c|e)'
    """
    kept: list[str] = []
    depth = 0
    for match in _LOOK_AROUND.finditer(pattern):
        around, opens, closes = match.groups()
        if around or (depth and opens):
            depth += 1
        elif depth and closes:
            depth -= 1
        elif not depth:
            kept.append(match.group())
    return "".join(kept)
