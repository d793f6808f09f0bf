"""Checks the names of people who decide: they are stored with what they decided."""

from __future__ import annotations

from afterturn.errors import UsageError

_MOST = 100


def check_reviewer(name: object, option: str = "--reviewer") -> str:
    """Gives a name without white space around it.

    Raises:
        UsageError: It is empty, too long, or holds characters that cannot be shown.
    """
    text = name.strip() if isinstance(name, str) else ""
    if not text or len(text) > _MOST or not text.isprintable():
        raise UsageError(f"{option} is no name; give who decides, in up to {_MOST} characters that can be shown")
    return text
