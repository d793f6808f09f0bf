"""Knows the tags and tokens that models write around reasoning and messages, and their beginnings."""

from __future__ import annotations

import re

from afterturn.stream._names import TAGS
from afterturn.stream._prefix import Run, beginnings, whole

_DIGITS = Run("[0-9]", 4)
_HEADER_TEXT = Run("[^<]", 80)

_CHANNEL = ("<|channel|>", _HEADER_TEXT)
_TYPE = ("<|constrain|>", _HEADER_TEXT)
_START = ("<|start|>", _HEADER_TEXT)
_MESSAGE = "<|message|>"
_HEADERS = (
    (*_CHANNEL, _MESSAGE),
    (*_CHANNEL, *_TYPE, _MESSAGE),
    (*_START, _MESSAGE),
    (*_START, *_CHANNEL, _MESSAGE),
    (*_START, *_CHANNEL, *_TYPE, _MESSAGE),
)
EMPTY_CHANNEL = "<|channel>thought"
THOUGHTS = {
    "think": ("<think>",),
    "channel": (EMPTY_CHANNEL,),
    "unused": ("<unused", _DIGITS, ">thought"),
}
_CONTROL = ("<", Run("[|｜]", 1), Run(r"[^\s<>|｜]", 40), Run("[|｜]", 1), ">")

CALL_CLOSERS = {opener: closer for opener, closer in TAGS.items() if opener[1] in "|｜"}
"""Control tokens that are for the next stage: text from the opener to the closer passes untouched."""

TOKEN = re.compile(
    "|".join(
        (
            f"(?P<header>{'|'.join(whole(*pieces) for pieces in _HEADERS)})",
            *(f"(?P<{name}>{whole(*pieces)})" for name, pieces in THOUGHTS.items()),
            f"(?P<call>{'|'.join(map(re.escape, CALL_CLOSERS))})",
            f"(?P<control>{whole(*_CONTROL)})",
        )
    )
)
"""Matches a token; its group tells the kind."""

BEGINNING = re.compile(
    "|".join(
        f"(?:{beginnings(*pieces)})\\Z"
        for pieces in (*_HEADERS, *THOUGHTS.values(), *((opener,) for opener in CALL_CLOSERS), _CONTROL)
    )
)
"""Matches, at the end of a text, what may become a token."""

HIDDEN_CHANNEL = re.compile(r"<\|channel\|>\s*analysis\b|\sto=")
"""Occurs in the header of a message that is not for the user: reasoning, or a call."""

CLOSERS = {
    "think": re.compile("</think>"),
    "channel": re.compile(r"<channel\|>"),
    "unused": re.compile("<unused[0-9]{1,4}>"),
    "header": re.compile(r"<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)"),
}
"""Matches what ends a thought of each kind."""

CLOSER_REACH = 13  # characters of the longest beginning of a closer
CLOSER_BEGINNING = re.compile(
    "|".join(
        f"(?:{beginnings(*pieces)})\\Z"
        for pieces in (
            ("</think>",),
            ("<channel|>",),
            ("<unused", _DIGITS, ">"),
            *((f"<|{word}|>",) for word in ("end", "return", "call", "start", "channel")),
        )
    )
)
