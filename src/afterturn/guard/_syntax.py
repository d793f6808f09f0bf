"""Rewrites a rule's pattern so that it reads normalised text, and says it in the dialect of either engine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterturn.guard._fold import fold

_TOKEN = re.compile(
    r"(?P<escape>\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|p\{\^?\w+\}|.))"
    r"|(?P<open>\[\^?\]?)"
    r"|(?P<group>\(\?.)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_QUANTIFIER = re.compile(r"(?:[?*+]|\{[0-9]+(?:,[0-9]*)?\})\??")
_UNSUPPORTED = {
    r"\p": "write the letters out, for example [а-я]",
    r"\P": "write the letters out, for example [а-я]",
    r"\Q": "escape each character by a backslash",
    r"\C": "match characters, not bytes",
    r"\z": "use $",
    r"\A": "use ^",
    r"\Z": "use $",
}


def refine(pattern: str) -> str:
    r"""Turns a pattern as it is written into one for normalised text.

    A literal blank becomes one blank or line break, and every literal character is folded as the text is.

    Args:
        pattern: In RE2 syntax.

    Returns:
        The pattern, in RE2 syntax that Python's `re` reads too, but for the end of the text (`$`; see `for_re`).

    Raises:
        ValueError: The pattern uses syntax that the two engines do not share.

    Example:
        >>> refine("Été now")
        'ete[ \\n]now'
    """
    tokens = list(_tokens(pattern))
    following = [token for _, token, _ in tokens[1:]] + [""]
    written: list[str] = []
    for (kind, token, in_class), after in zip(tokens, following, strict=True):
        if kind == "escape" and token[:2] in _UNSUPPORTED:
            raise ValueError(f"{token} is not shared by both engines: {_UNSUPPORTED[token[:2]]}")
        if kind == "group" and token != "(?:":
            raise ValueError(f"{token} is not allowed: only (?:…) groups are")
        written.append(_refined(token, in_class, after) if kind == "other" else token)
    return "".join(written)


def alternatives(pattern: str) -> list[str]:
    """Splits a pattern at its outermost bars: each part alone says more closely what a text must hold.

    Args:
        pattern: A refined pattern.

    Example:
        >>> alternatives("a(?:b|c)|[|]d")
        ['a(?:b|c)', '[|]d']
    """
    parts = [""]
    depth = 0
    for kind, token, in_class in _tokens(pattern):
        if kind == "group" or (kind == "other" and token == "(" and not in_class):
            depth += 1
        elif kind == "other" and token == ")" and not in_class:
            depth -= 1
        if kind == "other" and token == "|" and not in_class and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def for_re(pattern: str) -> str:
    r"""Says a refined pattern so that Python's `re` means the same: `$` is the very end of the text."""
    return "".join(
        r"\Z" if kind == "other" and token == "$" and not in_class else token
        for kind, token, in_class in _tokens(pattern)
    )


def _refined(token: str, in_class: bool, after: str) -> str:
    if token == " ":
        if in_class:  # a blank that starts a range stays alone
            return " " if after == "-" else r" \n"
        return r"[ \n]"
    if token.isascii():
        return token.lower()
    folded = fold(token)
    if folded == token or len(folded) == 1:
        return folded
    if in_class:
        return "".join(sorted(set(folded)))
    return f"(?:{re.escape(folded)})" if folded else ""


def _tokens(pattern: str) -> Iterator[tuple[str, str, bool]]:
    in_class = False
    for match in _TOKEN.finditer(pattern):
        kind, token = match.lastgroup or "other", match.group()
        if in_class and kind in ("open", "group"):  # a bracket within a class is a character like others
            for char in token:
                yield ("other", char, in_class)
                in_class = in_class and char != "]"
            continue
        if kind == "open":
            in_class = True
            yield (kind, token, False)
            continue
        if in_class and token == "]":
            in_class = False
            yield ("close", token, False)
            continue
        yield (kind, token, in_class)


def atoms(pattern: str) -> list[str]:
    """Splits a pattern without outermost bars into what stands one after the other, each with its quantifier.

    Args:
        pattern: A refined pattern.

    Example:
        >>> atoms("a(?:b|c)?[|]{2,3}?d")
        ['a', '(?:b|c)?', '[|]{2,3}?', 'd']
    """
    parts: list[str] = []
    depth = 0
    open_until = 0
    at = 0
    for kind, token, in_class in _tokens(pattern):
        inside = depth > 0 or in_class or kind == "close" or at < open_until
        if kind == "group" or (kind == "other" and token == "(" and not in_class):
            depth += 1
        elif kind == "other" and token == ")" and not in_class:
            depth -= 1
        if not inside and (found := _QUANTIFIER.match(pattern, at)):
            open_until = found.end()
            inside = True
        if inside and parts:
            parts[-1] += token
        else:
            parts.append(token)
        at += len(token)
    return parts
