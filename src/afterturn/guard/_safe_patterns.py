"""Finds a host's own patterns in a text in linear time: by google-re2 where it is installed, else bounded, by `re`.

The syntax is that of the rules, whatever the engine: RE2's with no look-around, no backreferences, no groups but
`(?:…)` and `(…)`; a literal blank stands for one blank or line break. Without google-re2, `*` and `+` reach over at
most 200 characters, and a repeat of a repeat is refused.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from afterturn.guard._syntax import for_re, refine
from afterturn.guard._terms import Hit

_REACH = 200
_TOKENS = re.compile(
    r"(?P<escape>\\.)"
    r"|(?P<set>\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\])"
    r"|(?P<open>\((?:\?(?:P?<\w+>|[a-zA-Z-]*[:)]|.))?)"
    r"|(?P<close>\))"
    r"|(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_PLAIN_GROUP = re.compile(r"\((?:\?:)?")
_INVALID = "a pattern is not valid in RE2 syntax; check brackets, ranges and repeats"
_SURROGATES = re.compile("[\ud800-\udfff]")


class _Token(NamedTuple):
    kind: str
    text: str


class Patterns:
    r"""Is a list of patterns, ready to be found.

    Args:
        patterns: Pairs of a pattern and the key that its hits carry.
        engine: `re2`, `re`, or by default the best that is installed.

    Raises:
        ValueError: A pattern does not compile, and what to do about it.

    Example:
        >>> [(hit.start, hit.end, hit.key) for hit in Patterns([(r"\bacct-[0-9]+", "accounts")]).find("my acct-123")]
        [(3, 11, 'accounts')]
    """

    def __init__(self, patterns: Iterable[tuple[str, str]], *, engine: str | None = None) -> None:
        re2 = _re2() if engine != "re" else None
        if engine == "re2" and re2 is None:
            raise ValueError("google-re2 is not installed; install afterturn[fast]")
        self._compiled = [(_compile(pattern, re2), key) for pattern, key in dict.fromkeys(patterns)]
        self._hitting = _hitting([pattern for pattern, _ in self._compiled], re2)

    def find(self, text: str) -> list[Hit]:
        """Finds every match of every pattern in a lower-case text, in the order of the text."""
        if not self._compiled:
            return []
        if not text.isascii():
            text = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)  # they have no UTF-8, which RE2 reads
        hits: list[Hit] = []
        for number in self._hitting(text):
            pattern, key = self._compiled[number]
            hits += [
                Hit(match.start(), match.end(), key) for match in pattern.finditer(text) if match.end() > match.start()
            ]
        return sorted(hits)


def problem(written: str) -> str | None:
    """Says what is wrong with a pattern and what to do about it; None where it is well."""
    try:
        Patterns([(written, "")])
    except ValueError as error:
        return str(error)
    return None


@lru_cache(maxsize=1)
def _re2() -> Any:
    try:
        module = importlib.import_module("re2")
    except ImportError:
        return None
    return module if hasattr(module, "Set") else None  # the package pyre2 installs a module of the same name


def _hitting(patterns: list[Any], re2: Any) -> Callable[[str], Iterable[int]]:
    """Gives the function that says which patterns may match: one look for all of them, where there is google-re2."""
    if re2 is None or len(patterns) < 2:
        return lambda text: range(len(patterns))
    together = re2.Set.SearchSet(_options(re2))
    for pattern in patterns:
        together.Add(pattern.pattern)
    together.Compile()
    return lambda text: sorted(together.Match(text) or ())


def _compile(written: str, re2: Any) -> Any:
    tokens = list(_tokens(written))
    _refuse_foreign(tokens)
    if re2 is None and _nested(tokens):
        raise ValueError(
            "a pattern repeats what holds a repeat, which may take very long without google-re2; "
            "install afterturn[fast], or write it without"
        )
    source = _refined(written)
    if re2 is None:
        source = "".join(_bounded(token) for token in _tokens(for_re(source)))
    pattern = _by_re(source) if re2 is None else _by_re2(source, re2)
    if pattern.match(""):
        raise ValueError("a pattern matches the empty text, so everything; demand at least one character")
    return pattern


def _by_re2(source: str, re2: Any) -> Any:
    try:
        return re2.compile(source, _options(re2))
    except re2.error:
        raise ValueError(_INVALID) from None


def _by_re(source: str) -> Any:
    try:
        return re.compile(source, re.ASCII | re.IGNORECASE)
    except (re.error, OverflowError):
        raise ValueError(_INVALID) from None


def _options(re2: Any) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options


def _tokens(written: str) -> Iterator[_Token]:
    for match in _TOKENS.finditer(written):
        yield _Token(match.lastgroup or "other", match[0])


def _refuse_foreign(tokens: list[_Token]) -> None:
    """Refuses what RE2 does not know, in words that say so; both engines then take the same patterns."""
    for token in tokens:
        if token.kind == "open" and not _PLAIN_GROUP.fullmatch(token.text):
            raise ValueError("a pattern looks around, or its group is none of (…) and (?:…); write it without")
        if token.kind == "escape" and token.text[1] in "123456789Z":
            raise ValueError(f"a pattern uses {token.text}, which RE2 does not know; write it without")
        if token.kind == "repeat" and token.text.endswith("+") and len(token.text) > 1:
            raise ValueError("a pattern repeats possessively, which RE2 does not know; write it without the last +")


def _nested(tokens: list[_Token]) -> bool:
    """Says whether a group that holds a repeat of varying length is repeated itself."""
    holds = [False]
    closed = False  # whether the token before closed a group that holds a repeat
    for token in tokens:
        if token.kind == "open" and not token.text.endswith(")"):
            holds.append(False)
        elif token.kind == "repeat" and _varies(token.text):
            if closed and token.text not in ("?", "??"):
                return True
            holds[-1] = holds[-1] or token.text not in ("?", "??")
        closed = False
        if token.kind == "close" and len(holds) > 1:
            closed = holds.pop()
            holds[-1] = holds[-1] or closed
    return False


def _varies(repeat: str) -> bool:
    return not re.fullmatch(r"\{\d+\}\??", repeat)


def _refined(written: str) -> str:
    try:
        return refine(written)
    except ValueError as error:
        raise ValueError(f"a pattern is not valid: {error}") from None


def _bounded(token: _Token) -> str:
    """Gives a repeat without end an end."""
    repeat = token.text
    if token.kind != "repeat":
        return repeat
    lazy = "?" if repeat.endswith("?") and len(repeat) > 1 else ""
    least = {"*": "0", "+": "1"}.get(repeat[0]) or (re.match(r"\{(\d+),\}", repeat) or ("", ""))[1]
    return f"{{{least},{max(int(least), _REACH)}}}{lazy}" if least else repeat
