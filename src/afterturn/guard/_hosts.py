"""Finds hosts in a text that belong to listed domains: in URLs, in e-mail addresses, bare, and written as `a[.]b`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from afterturn.guard._normalize import normalize
from afterturn.guard._terms import Hit

_DOT = r"(?:\.|\[\.\]|\(\.\)|\u3002|\[dot\])"
_HOSTS = re.compile(rf"(?<![\w-])[\w-]++(?:{_DOT}[\w-]++)++")
_DOTS = re.compile(_DOT)
_WITHIN = re.compile(rf"{_DOT}\w")
_DOMAIN = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63}){1,20}")


def domain(written: str) -> str:
    """Gives a domain as it is compared: normalised as texts are, its punycode read, without a leading `*.` or `.`.

    Raises:
        ValueError: It is no domain: a URL, an address, a single label.

    Example:
        >>> domain("*.Xn--Mnchen-3ya.example")
        'munchen.example'
    """
    bare = written.strip().casefold().removeprefix("*").strip(".")
    if not _DOMAIN.fullmatch(bare):
        raise ValueError("write a domain as example.com, without scheme, path or blanks")
    return ".".join(map(_label, bare.split(".")))


def _label(label: str) -> str:
    if label.isascii() and not label.startswith("xn--"):
        return label
    try:
        read = label.removeprefix("xn--").encode("ascii").decode("punycode") if label.isascii() else label
    except UnicodeError:  # no punycode after all: compare it as it stands
        return label
    return normalize(read).text


class Hosts:
    """Is a list of domains, ready to be found; a domain covers all below it.

    Args:
        domains: Pairs of a domain, as `domain` gives it, and the key that its hits carry.

    Example:
        >>> hosts = Hosts([("evil.example", "phishing")])
        >>> [hit.start for hit in hosts.find("see login.evil.example/x, not notevil.example or evil.example.org")]
        [4]
    """

    def __init__(self, domains: Iterable[tuple[str, str]]) -> None:
        self._keys: dict[str, list[str]] = {}
        for name, key in dict.fromkeys(domains):
            self._keys.setdefault(name, []).append(key)

    def find(self, text: str) -> list[Hit]:
        """Finds every listed host in a lower-case text, in the order of the text; time does not grow with the list."""
        if not self._keys or not _WITHIN.search(text):
            return []
        return [
            Hit(match.start(), match.end(), key) for match in _HOSTS.finditer(text) for key in self._listed(match[0])
        ]

    def _listed(self, host: str) -> list[str]:
        labels = [_label(label) for label in _DOTS.split(host)[-21:]]  # a domain has no more: time stays linear
        return [key for first in range(len(labels)) for key in self._keys.get(".".join(labels[first:]), ())]
