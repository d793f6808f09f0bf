"""Draws a sample of judged turns, stratified by confidence, so that rare and costly scores are looked at often enough.

A stratum is a status and a band of ten scores. Within a stratum each turn has the same chance, and the chance is kept:
that makes estimates unbiased (D. G. Horvitz, D. J. Thompson: A generalization of sampling without replacement from a
finite universe. J. Am. Stat. Assoc. 47 (1952) 663-685). How many turns a stratum gives follows the square root of its
size (M. D. Bankier: Power allocations. Am. Stat. 42 (1988) 174-177), between "as many each", which is best for rare
strata, and "in proportion", which is best for the whole.

Each turn has a number of its own that never changes for a seed (E. Ohlsson: Coordination of samples using permanent
random numbers, 1995). The smallest are drawn. So the same seed draws the same sample, and a larger sample, or one of
next week's traffic, holds most turns of the one before: no answer is lost.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from afterturn.calibration._histogram import TOP

_BAND = 10
_LEAST = 2
"""Turns that each stratum gives at least, where it has them: of one alone nothing is known about its spread."""


class Stratum(NamedTuple):
    """Is a part of the traffic that is sampled by itself: a status and a band of scores."""

    status: str
    low: int
    high: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """Is a judged turn that may be drawn.

    Attributes:
        key: Its number in the store.
        tenant: Id of its tenant.
        turn: Its id.
        status: Status of its verdict: finding or no_finding.
        score: Score of its verdict, 0 to 100.
    """

    key: int
    tenant: str
    turn: str
    status: str
    score: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """Is a turn of a sample: the candidate, and the chance with which it came into the sample."""

    candidate: Candidate
    probability: float


def stratum_of(status: str, score: int) -> Stratum:
    """Gives the stratum of a score; the last band has eleven.

    Example:
        >>> stratum_of("finding", 100), stratum_of("no_finding", 9).high
        (Stratum(status='finding', low=90, high=100), 9)
    """
    low = min(score // _BAND * _BAND, TOP - _BAND)
    return Stratum(status, low, TOP if low + _BAND == TOP else low + _BAND - 1)


def allocate(sizes: Mapping[Stratum, int], size: int) -> dict[Stratum, int]:
    """Shares a sample out among strata, by the square root of their sizes; none gives more than it has.

    Example:
        >>> low, high = stratum_of("no_finding", 3), stratum_of("finding", 95)
        >>> allocate({low: 10_000, high: 100}, 44)[high]
        4
    """
    roots = {stratum: math.sqrt(number) for stratum, number in sizes.items() if number > 0}
    shares: dict[Stratum, float] = {}
    left = min(size, sum(sizes.values()))
    while roots:  # who has fewer than its share gives all, and the others share the rest
        scale = left / sum(roots.values())
        full = [stratum for stratum, root in roots.items() if scale >= root]
        if not full:
            return _whole(shares | {stratum: scale * root for stratum, root in roots.items()}, sizes)
        for stratum in full:
            shares[stratum] = float(sizes[stratum])
            left -= sizes[stratum]
            del roots[stratum]
    return _whole(shares, sizes)


def _whole(shares: Mapping[Stratum, float], sizes: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """Rounds shares so that their sum stays, then lifts the smallest to the least that tells anything."""
    parts = {stratum: int(share) for stratum, share in shares.items()}
    missing = round(sum(shares.values())) - sum(parts.values())
    for stratum in sorted(shares, key=lambda one: (parts[one] - shares[one], one))[:missing]:
        parts[stratum] += 1
    return {stratum: max(part, min(_LEAST, sizes[stratum])) for stratum, part in sorted(parts.items())}


def permanent_number(seed: int, tenant: str, turn: str) -> int:
    """Gives the number of a turn, evenly spread over 64 bits; the same for the same seed, whenever it is asked."""
    name = f"{seed}\0{tenant}\0{turn}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest())


def draw(candidates: Iterable[Candidate], sizes: Mapping[Stratum, int], *, size: int, seed: int) -> tuple[Drawn, ...]:
    """Draws a sample, in an order that visits the strata in turn, so that half a review is a sample too.

    Args:
        candidates: All judged turns that may be drawn, each once, in any order; they are read once and not kept.
        sizes: How many of them each stratum has.
        size: How many to draw; a few more where strata are small.
        seed: The same seed draws the same turns.
    """
    parts = allocate(sizes, size)
    kept: dict[Stratum, list[tuple[int, int, Candidate]]] = {stratum: [] for stratum in parts}
    for candidate in candidates:
        stratum = stratum_of(candidate.status, candidate.score)
        heap, part = kept[stratum], parts[stratum]
        entry = (-permanent_number(seed, candidate.tenant, candidate.turn), candidate.key, candidate)
        if len(heap) < part:
            heapq.heappush(heap, entry)
        elif heap and entry > heap[0]:
            heapq.heappushpop(heap, entry)
    ordered: list[tuple[float, Stratum, Drawn]] = []
    for stratum, heap in kept.items():
        probability = len(heap) / sizes[stratum] if heap else 0.0
        for place, (_, _, candidate) in enumerate(sorted(heap, reverse=True)):
            drawn = Drawn(candidate=candidate, probability=probability)
            ordered.append(((place + 0.5) / len(heap), stratum, drawn))
    return tuple(drawn for _, _, drawn in sorted(ordered, key=lambda one: one[:2]))
