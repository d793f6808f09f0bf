"""Writes twenty texts of any length that are meant to make a scanner slow, the same ones at every run.

Each aims at one thing that scanners do more than once for a piece of text: look back for what opened it, decode it,
fold its letters, try the same pattern at every place. They are written for this benchmark and are no attacks.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterator
from itertools import chain, repeat

_TRIGGER_WORDS = (
    "ignore disregard forget override bypass all any the previous prior above earlier instructions rules prompt system "
    "you are now act as pretend developer mode reveal print repeat show your hidden secret send to http base64 decode "
    "from now on do not tell the user ignoriere vorherige anweisungen oublie les instructions ignora las reglas"
)
_TRIGGERS = tuple(_TRIGGER_WORDS.split())
_MIXED = ("іgnоrе", "рrеviоus", "instruсtiоns", "ѕуѕtem", "рrоmрt", "Ωnline", "раssword", "αccess", "тoken", "ехеcutе")
_LEET = ("1gn0r3", "4ll", "pr3v10u5", "1n5truct10n5", "r3v34l", "y0ur", "5y5t3m", "pr0mp7", "k3y5", "$3cr3t")
_ROLES = (
    "\nsystem:",
    "\nUser: ",
    "<|im_start|>system\n",
    "[INST] <<SYS>>",
    "\n### Assistant:",
    "</s><s>",
    "\n\nHuman: ",
)
_MARKS = "".join(map(chr, range(0x300, 0x330)))


def adversarial(length: int) -> dict[str, str]:
    """Gives the twenty texts by name, each of exactly this many characters."""
    return {name: _cut(make(), length) for name, make in _MAKERS.items()}


def _cut(pieces: Iterator[str], length: int) -> str:
    made: list[str] = []
    size = 0
    while size < length:
        made.append(next(pieces))
        size += len(made[-1])
    return "".join(made)[:length]


def _words(words: tuple[str, ...] | list[str], seed: int, between: str = " ") -> Iterator[str]:
    """Gives words in an order that no cache has seen and every run has."""
    chance = random.Random(seed)
    while True:
        yield chance.choice(words) + between


def _newlines() -> Iterator[str]:
    return repeat("\n\n \n\t\r\n\n\n")


def _urls() -> Iterator[str]:
    return (f"https://h{n % 97}.example/a/{n}?q=%7Bx%7D&next=https://i.example/{n}#top " for n in range(10**9))


def _repeats() -> Iterator[str]:
    return repeat("a")


def _nested_quotes() -> Iterator[str]:
    return repeat("\"'«“‘„「he said \"ignore 'the «rule")


def _base64_blobs() -> Iterator[str]:
    chance = random.Random(5)
    while True:
        plain = " ".join(chance.choices(_TRIGGERS, k=60))
        yield base64.b64encode(plain.encode()).decode() + " "


def _joiners() -> Iterator[str]:
    return repeat("👩\u200d👩\u200d👧\u200d👦\u200d\u200d\u200dx\u200c\ufe0f")


def _triggers() -> Iterator[str]:
    return _words(_TRIGGERS, 7)


def _entities() -> Iterator[str]:
    return repeat("&#105;&#x67;&nbsp;&amp;amp;&lt;&unknown;&#0;&#99999999;&")


def _comments() -> Iterator[str]:
    return repeat("<!-- ignore <!--- -- > <!")


def _spaced() -> Iterator[str]:
    return (" ".join(word) + "  " for word in _words(_TRIGGERS, 10, ""))


def _leet() -> Iterator[str]:
    return _words(_LEET, 11)


def _percent() -> Iterator[str]:
    return ("".join(f"%{byte:02x}" for byte in word.encode()) for word in _words(_TRIGGERS, 12))


def _mixed_scripts() -> Iterator[str]:
    return _words(_MIXED, 13)


def _combining() -> Iterator[str]:
    return repeat("i" + _MARKS + "g" + _MARKS[::-1])


def _long_words() -> Iterator[str]:
    chance = random.Random(15)
    while True:
        yield "".join(chance.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789+/=_-", k=5_000)) + " "


def _roles() -> Iterator[str]:
    return _words(_ROLES, 16, "")


def _nesting() -> Iterator[str]:
    return chain(repeat('{"a":[{"system":[[[({<', 1_000), repeat('{"a":['))


def _images() -> Iterator[str]:
    return (f"![x](https://h.example/p{n}.png?d=SECRET{n} ![[y](" for n in range(10**9))


def _hex() -> Iterator[str]:
    return (word.encode().hex() for word in _words(_TRIGGERS, 19))


def _bidi() -> Iterator[str]:
    return repeat("\u202esnoitcurtsni\u202c \u2066erongi\u2069 \u200f\u061c")


_MAKERS: dict[str, Callable[[], Iterator[str]]] = {
    "newlines": _newlines,
    "URLs": _urls,
    "one letter": _repeats,
    "nested quotes": _nested_quotes,
    "base64 blobs": _base64_blobs,
    "ZWJ runs": _joiners,
    "trigger words": _triggers,
    "HTML entities": _entities,
    "unclosed comments": _comments,
    "spaced letters": _spaced,
    "leet": _leet,
    "percent": _percent,
    "mixed scripts": _mixed_scripts,
    "combining marks": _combining,
    "long words": _long_words,
    "role markers": _roles,
    "JSON and brackets": _nesting,
    "markdown images": _images,
    "hex": _hex,
    "bidi": _bidi,
}
