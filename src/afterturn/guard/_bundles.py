"""Puts many short layers of a text into one, so that a thousand small payloads cost little more than one long one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from afterturn.guard._decode import Layer
from afterturn.guard._result import Finding

HIDDEN_CHARS = 2_000
"""A longer hidden text is a file or a mail, in which an order or a role says little; the other rules read it all."""

_FEW = 8
"""So many layers of one kind are read one by one."""

_BETWEEN = "\n\n"
_ADDRESS = re.compile(r"://|[?&]\w+=")
_WHOLE = frozenset(("rot13", "reversed", "substitution", "rot47"))
"""Layers of the whole text, whatever part of it was carried."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Is one layer, or many that are read together.

    Attributes:
        carrier: How they were carried.
        text: What they say.
        layers: The layers.
        starts: Where each of them starts in the text.
        is_hidden: Whether they were carried so that they are not read.
    """

    carrier: str
    text: str
    layers: tuple[Layer, ...]
    starts: tuple[int, ...]
    is_hidden: bool

    def apart(self, findings: Iterable[Finding]) -> list[tuple[Layer, list[Finding]]]:
        """Says which layer each finding is in: the one that it starts in."""
        found: dict[int, list[Finding]] = {}
        for finding in findings:
            found.setdefault(bisect_right(self.starts, finding.start) - 1, []).append(finding)
        return [(self.layers[at], found[at]) for at in sorted(found)]


def bundled(layers: Iterable[Layer]) -> list[Bundle]:
    """Puts layers together that are short, of one kind and many."""
    kinds: dict[tuple[str, bool], list[Layer]] = {}
    bundles: list[Bundle] = []
    for layer in layers:
        hidden = is_hidden(layer.text, layer.carrier)
        if layer.exact == "block" and len(layer.text) <= HIDDEN_CHARS:
            kinds.setdefault((layer.carrier, hidden), []).append(layer)
        else:
            bundles.append(_bundle([layer], is_hidden=hidden and len(layer.text) <= HIDDEN_CHARS))
    for (_, hidden), alike in kinds.items():
        groups = [alike] if len(alike) > _FEW else [[layer] for layer in alike]
        bundles.extend(_bundle(group, is_hidden=hidden) for group in groups)
    return bundles


def _bundle(layers: list[Layer], *, is_hidden: bool) -> Bundle:
    texts = [layer.text for layer in layers]
    starts = accumulate((len(text) + len(_BETWEEN) for text in texts[:-1]), initial=0)
    return Bundle(layers[0].carrier, _BETWEEN.join(texts), tuple(layers), tuple(starts), is_hidden)


def is_hidden(text: str, carrier: str) -> bool:
    """Says whether a text was carried in another so that it is not read.

    Escapes in an address hide nothing, and rot13 leaves all but Latin letters as they were.
    """
    if carrier == "percent":
        return _ADDRESS.search(text) is None
    return carrier not in _WHOLE or len(text.encode("ascii", "ignore")) * 10 > len(text) * 9
