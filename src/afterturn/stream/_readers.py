"""Reads a leaked call from its opener to its end, as text arrives (rules T2 to T4 and T6).

A reader is a generator that is sent the text from the opener on, as far as it has arrived, and whether it is complete.
It yields while the end is not in sight and returns what it found, or None where this is no leak.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple

from afterturn.stream._calls import Balance, Call, calls_in, fenced_calls
from afterturn.stream._names import LIST_TAG, TAGS, Names
from afterturn.stream._prefix import beginnings
from afterturn.stream._text import BLANKS, BREAKS

_KEY = re.compile(r"""\{\s*(?:\}|(?:"(?:[^"\\]|\\.)*"|'[^'\n]*'|[\w$.-]+)\s*:)""", re.DOTALL)
_KEY_SO_FAR = re.compile(r"""\{\s*(?:"(?:[^"\\]|\\.)*(?:\\|"\s*)?|'[^'\n]*(?:'\s*)?|[\w$.-]+\s*)?""", re.DOTALL)
_SUFFIX = re.compile(r"\)?(?:/?>)?")
_SUFFIX_SO_FAR = re.compile(r"\)?/?")
_ELEMENT_END = re.compile(r'(?:[^">]|"(?:[^"\\]|\\.)*")*>', re.DOTALL)
_FENCE = re.compile(rf"(`{{3,}}|~{{3,}})[{BLANKS}]*(?:json|tool_call)?[{BLANKS}]*(?:\r\n|[{BREAKS}])", re.IGNORECASE)
_SOME_INFO = f"{beginnings('json')}|{beginnings('tool_call')}|(?:json|tool_call)[{BLANKS}]*"
_FENCE_SO_FAR = re.compile(rf"`{{1,2}}|~{{1,2}}|(?:`{{3,}}|~{{3,}})[{BLANKS}]*(?:{_SOME_INFO})", re.IGNORECASE)


class Found(NamedTuple):
    """Is a leak: where it ends, and the calls in it."""

    end: int
    calls: list[Call]


Reader = Generator[None, tuple[str, bool], Found | None]


def reader(opener: re.Match[str], names: Names) -> Reader:
    """Makes the reader for an opener.

    Args:
        opener: A match of `Names.openers`.
        names: The tools' names.
    """
    if opener["call"]:
        after_parenthesis = opener.string[max(opener.start() - 1, 0)] == "(" and opener.start() > 0
        made = _call(opener, bare=not opener["paren"], takes_parenthesis=not after_parenthesis)
    elif opener["element"]:
        made = _element(opener)
    elif opener["tag"]:
        made = _tag(opener["tag"], names)
    elif opener["list"]:
        made = _list(names)
    else:
        made = _fence(names)
    next(made)
    return made


def _call(opener: re.Match[str], *, bare: bool, takes_parenthesis: bool) -> Reader:
    """Reads `name{…}` or `name({…})`, whose object is empty or starts with a key, and a suffix."""
    brace = len(opener[0]) - 1
    text, final = yield
    while not _KEY.match(text, brace):
        if not _KEY_SO_FAR.fullmatch(text, brace):
            return None
        if final:
            return Found(len(text), [Call(opener["name"], text[brace:])])
        text, final = yield
    balance = Balance(brace)
    while (end := balance.end(text)) is None:
        if final:
            return Found(len(text), [Call(opener["name"], text[brace:])])
        text, final = yield
    calls = [Call(opener["name"], text[brace:end])]
    while not final and _SUFFIX_SO_FAR.fullmatch(text, end):
        text, final = yield
    closed = text.startswith(")", end)
    if not bare and not closed and end < len(text):
        return None
    if bare and closed and not takes_parenthesis:
        return Found(end, calls)
    suffix = _SUFFIX.match(text, end)
    return Found(suffix.end() if suffix else end, calls)


def _element(opener: re.Match[str]) -> Reader:
    """Reads `<call:name …/>`."""
    name, start = opener["element_name"], len(opener[0])
    text, final = yield
    while not (found := _ELEMENT_END.match(text, start)):
        if final:
            return Found(len(text), [Call(name, text[start:].strip())])
        text, final = yield
    return Found(found.end(), [Call(name, found[0][:-1].removesuffix("/").strip())])


def _tag(opener: str, names: Names) -> Reader:
    """Reads from an opening tag to its closer; without one to the end."""
    closer, at = TAGS[opener], len(opener)
    text, final = yield
    while (end := text.find(closer, at)) < 0 and not final:
        at = max(at, len(text) - len(closer) + 1)
        text, final = yield
    body = text[len(opener) :] if end < 0 else text[len(opener) : end]
    calls = calls_in(body, names.words, names.known)
    return Found(len(text) if end < 0 else end + len(closer), calls) if calls else None


def _list(names: Names) -> Reader:
    """Reads `[TOOL_CALLS]` and the JSON value after it, before which a name may stand."""
    text, final = yield
    while not (lead := names.list_lead.match(text)):
        if not names.list_lead_so_far.fullmatch(text):
            return None
        if final:
            calls = calls_in(text[len(LIST_TAG) :], names.words, names.known)
            return Found(len(text), calls) if calls else None
        text, final = yield
    balance = Balance(lead.end(), "{}[]")
    while (end := balance.end(text)) is None and not final:
        text, final = yield
    end = len(text) if end is None else end
    value = text[lead.end() : end]
    calls = [Call(lead["name"], value)] if lead["name"] else calls_in(value, names.words, names.known)
    return Found(end, calls) if calls else None


def _fence(names: Names) -> Reader:
    """Reads a fence whose whole body is JSON that calls known tools."""
    text, final = yield
    while not (opening := _FENCE.match(text)):
        if final or not _FENCE_SO_FAR.fullmatch(text):
            return None
        text, final = yield
    closing = re.compile(
        rf"[{BREAKS}][{BLANKS}]*({opening[1][0]}{{{len(opening[1])},}})[{BLANKS}]*(?=[{BREAKS}]|(?P<last>\Z))"
    )
    at = opening.end() - 1
    while not (found := closing.search(text, at)) or (found["last"] is not None and not final):
        start = text[opening.end() :].lstrip(BLANKS + BREAKS)[:1]
        if final or (start and start not in "{["):
            return None
        at = max(at, *(text.rfind(mark) for mark in BREAKS))
        text, final = yield
    calls = fenced_calls(text[opening.end() : found.start()], names.known)
    return Found(found.end(1), calls) if calls else None
