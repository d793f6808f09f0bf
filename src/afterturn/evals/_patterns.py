"""Runs patterns that users wrote on texts that others wrote, for so long and no longer.

Python's `re` knows no end: a pattern like `(a|a)*$` on forty letters runs for hours, and no deadline stops it, since
nothing else runs in the process meanwhile. So `re` says what a pattern means, and the `regex` package, which takes the
same syntax and looks at the clock, does the work.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from afterturn.errors import UsageError

PATTERN_S = 1.0
"""Seconds of work that one pattern has for one text. Honest patterns need a thousandth of it for a long reply."""

# A brace that begins no repeat means itself to `re`; to `regex`, `{e<=1}` would begin an approximate match.
_BRACE = re.compile(r"\\.|\{(?!\d*,?\d*\})", re.DOTALL)


class BoundedPattern:
    """Is a regular expression, Python's `re`, whose search always ends.

    Args:
        pattern: The expression.
        where: What it belongs to, for errors: `the pattern of regex`.
        flags: Flags of `re`.

    Raises:
        UsageError: It is no regular expression.

    Example:
        >>> BoundedPattern("refund(s|ed)?", "the pattern").found("It was refunded.")
        True
    """

    __slots__ = ("_engine", "pattern", "where")

    def __init__(self, pattern: str, where: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.where = where
        self._engine = _compiled(pattern, where, flags)

    def found(self, text: str) -> bool:
        """Says whether the pattern is found in a text.

        Raises:
            UsageError: It takes too long on this text.
        """
        try:
            return self._engine.search(text, timeout=PATTERN_S) is not None
        except TimeoutError:
            raise UsageError(
                f"{self.where} takes over {PATTERN_S:g} s on a text of {len(text):,} characters; "
                "write it without a repeat within a repeat"
            ) from None


@lru_cache(maxsize=512)
def _compiled(pattern: str, where: str, flags: int) -> Any:
    import regex  # here, since importing afterturn must stay light

    try:
        re.compile(pattern, flags)
    except re.error as error:
        raise UsageError(f"{where} is no regular expression: {error.msg} at position {error.pos}") from None
    wanted = sum(int(getattr(regex, flag.name or "")) for flag in re.RegexFlag(flags))
    try:
        return regex.compile(_BRACE.sub(_literal, pattern), wanted | regex.VERSION0)
    except regex.error:
        raise UsageError(f"{where} cannot be run within a limit of time; write it in plainer syntax") from None


def _literal(found: re.Match[str]) -> str:
    return "\\{" if found[0] == "{" else found[0]
