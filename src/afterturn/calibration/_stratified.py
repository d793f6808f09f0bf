"""Estimates what holds in the whole traffic from labels of a stratified sample (Horvitz and Thompson; see `_sample`).

The chance of a labelled turn is taken within its stratum: labels there over turns there. Where all of a sample is
labelled that is the chance it was drawn with. Where some is not (text that has expired, "unsure", a review that was
broken off), the rest stands for it, which is right if those are missing by chance within their stratum.

Of a stratum whose labels all contradict each other, as many saying yes as no, nothing is known: its share is anything
from 0 to 1. A rate counts half of it, the middle, and the interval holds both ends; nothing is proven with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from afterturn.calibration._binomial import Interval
from afterturn.calibration._bound import Cell, least, most
from afterturn.calibration._curves import Band, Point
from afterturn.calibration._histogram import TOP, Histogram, merged
from afterturn.calibration._sample import Stratum, stratum_of

_MOST_POINTS = 20
_ALL = Histogram()


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """Is a stratum with its labels.

    Attributes:
        stratum: Which.
        population: Scores of all its turns.
        positives: Scores of those that were labelled true.
        negatives: Scores of those that were labelled false.
        torn: Whether it has no label because all contradict each other.
    """

    stratum: Stratum
    population: Histogram
    positives: Histogram = _ALL
    negatives: Histogram = _ALL
    torn: bool = False

    @property
    def labelled(self) -> int:
        """How many are labelled."""
        return self.positives.scored + self.negatives.scored


@dataclass(frozen=True, kw_only=True, slots=True)
class StratifiedSample:
    """Is a labelled sample that was drawn by stratum."""

    layers: tuple[Layer, ...]

    @property
    def positives(self) -> Histogram:
        """Scores of the turns labelled true, not weighted."""
        return merged(layer.positives for layer in self.layers)

    @property
    def negatives(self) -> Histogram:
        """Scores of the turns labelled false, not weighted."""
        return merged(layer.negatives for layer in self.layers)

    @property
    def size(self) -> int:
        """How many turns are labelled."""
        return sum(layer.labelled for layer in self.layers)

    @property
    def population(self) -> Histogram:
        """Scores of all turns that the sample was drawn from."""
        return merged(layer.population for layer in self.layers)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Is a part of a stratum: its turns, how many are labelled, and true; `share` is the estimated share of true ones.

    A part without a label has the share of its whole stratum, half where all labels of that contradict each other, or
    None where it has none.
    """

    turns: int
    labelled: int
    positives: int
    share: float | None

    def cell(self, *, of: bool = True, times: float = 1.0) -> Cell:
        """Gives the part for a bound on the turns that are true, or with `of=False` false."""
        return Cell(self.turns * times, self.positives if of else self.labelled - self.positives, self.labelled)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimates:
    """Is what a stratified sample says of the judge on all turns that it was drawn from.

    Attributes:
        positives: Share of the turns in which there is something to find.
        precision: Share of the findings that are right.
        recall: Share of the positives that are findings. It is a ratio of two unbiased totals, so nearly unbiased.
    """

    positives: Interval
    precision: Interval
    recall: Interval


def estimates(sample: StratifiedSample, *, confidence: float = 0.95) -> Estimates:
    """Estimates rates of the traffic, each with an interval that holds for any number of labels."""
    found = [_whole(layer) for layer in sample.layers if layer.stratum.status == "finding"]
    passed = [_whole(layer) for layer in sample.layers if layer.stratum.status != "finding"]
    return Estimates(
        positives=_share([*found, *passed], confidence),
        precision=_share(found, confidence),
        recall=_ratio(found, passed, confidence, of=True),
    )


def weighted_points(sample: StratifiedSample, *, confidence: float = 0.95) -> tuple[Point, ...]:
    """Gives points of the curves from the strictest down: at most twenty, since each takes a search for its bounds."""
    scores = sorted({*sample.positives.counts, *sample.negatives.counts}, reverse=True)
    step = max(1, -(-len(scores) // _MOST_POINTS))
    return tuple(weighted_point(sample, score, confidence=confidence) for score in (TOP + 1, *scores[::step]))


def weighted_point(sample: StratifiedSample, threshold: int, *, confidence: float = 0.95) -> Point:
    """Gives the point of one threshold, each rate that of the whole traffic."""
    above, below = parts(sample, threshold)
    return Point(
        threshold=threshold,
        recall=_ratio(above, below, confidence, of=True),
        false_alarms=_ratio(above, below, confidence, of=False),
        precision=_share(above, confidence),
    )


def weighted_bands(sample: StratifiedSample, *, confidence: float = 0.95) -> tuple[Band, ...]:
    """Gives the calibration curve of the whole traffic; bands of which nothing was said are left out."""
    found: list[Band] = []
    for low in range(0, TOP, 10):
        layers = [layer for layer in sample.layers if layer.stratum.low == low and (layer.labelled or layer.torn)]
        scores = merged(layer.population for layer in layers)
        if scores.scored:
            found.append(
                Band(
                    low=low,
                    high=layers[0].stratum.high,
                    labelled=sum(layer.labelled for layer in layers),
                    mean_score=sum(value * count for value, count in scores.counts.items()) / scores.scored,
                    positives=_share([_whole(layer) for layer in layers], confidence),
                )
            )
    return tuple(found)


def weighted_auroc(sample: StratifiedSample) -> float | None:
    """Estimates the area under the ROC curve of the whole traffic; None without positives or negatives."""
    true: dict[int, float] = {}
    false: dict[int, float] = {}
    for layer in sample.layers:
        for counts, into in ((layer.positives.counts, true), (layer.negatives.counts, false)):
            for value, count in counts.items():
                into[value] = into.get(value, 0.0) + count * layer.population.scored / layer.labelled
        for value, count in layer.population.counts.items() if layer.torn else ():
            for into in (true, false):
                into[value] = into.get(value, 0.0) + count / 2
    pairs = sum(true.values()) * sum(false.values())
    if not pairs:
        return None
    wins = 0.0
    for value, weight in true.items():
        below = sum(other for lower, other in false.items() if lower < value)
        wins += weight * (below + false.get(value, 0.0) / 2)
    return wins / pairs


def parts(sample: StratifiedSample, threshold: int) -> tuple[list[Part], list[Part]]:
    """Cuts each stratum at a threshold: what alerts, and what does not. Parts without a turn are left out."""
    above = [_part(layer, lambda histogram: histogram.at_least(threshold)) for layer in sample.layers]
    below = [
        _part(layer, lambda histogram: histogram.scored - histogram.at_least(threshold)) for layer in sample.layers
    ]
    return [part for part in above if part.turns], [part for part in below if part.turns]


def layers_of(
    frame: dict[tuple[str, int], int], labelled: Iterator[tuple[str, int, bool]], torn: Set[Stratum] = frozenset()
) -> tuple[Layer, ...]:
    """Puts strata together.

    Args:
        frame: How many turns could be drawn, by status and score.
        labelled: Status, score and label of each labelled turn of the sample.
        torn: Strata that have no label because all of theirs contradict each other.
    """
    counts: dict[Stratum, tuple[dict[int, int], dict[int, int], dict[int, int]]] = {}
    for (status, value), number in sorted(frame.items()):
        counts.setdefault(stratum_of(status, value), ({}, {}, {}))[0][value] = number
    for status, value, label in labelled:
        into = counts[stratum_of(status, value)][1 if label else 2]
        into[value] = into.get(value, 0) + 1
    return tuple(
        Layer(
            stratum=stratum,
            population=Histogram(counts=turns),
            positives=Histogram(counts=positives),
            negatives=Histogram(counts=negatives),
            torn=stratum in torn and not positives and not negatives,
        )
        for stratum, (turns, positives, negatives) in sorted(counts.items())
    )


def _whole(layer: Layer) -> Part:
    return _part(layer, lambda histogram: histogram.scored)


def _part(layer: Layer, count: Callable[[Histogram], int]) -> Part:
    positives, labelled = count(layer.positives), count(layer.positives) + count(layer.negatives)
    of, among = (positives, labelled) if labelled else (layer.positives.scored, layer.labelled)
    share = of / among if among else (0.5 if layer.torn else None)
    return Part(turns=count(layer.population), labelled=labelled, positives=positives, share=share)


def _share(of: list[Part], confidence: float) -> Interval:
    """Estimates the share of positives among all turns of some parts."""
    turns = sum(part.turns for part in of)
    total = _total(of, of=True)
    if not turns or total is None:
        return Interval(None, None, None)
    low, high = _bounds(of, (1 - confidence) / 2, of=True)
    return _interval(total / turns, low / turns, high / turns)


def _ratio(inside: list[Part], outside: list[Part], confidence: float, *, of: bool) -> Interval:
    """Estimates which share of all positives (or negatives) is inside; each of its two totals gets half the error."""
    one, other = _total(inside, of=of), _total(outside, of=of)
    if one is None or other is None or not one + other:
        return Interval(None, None, None)
    error = (1 - confidence) / 4
    inside_low, inside_high = _bounds(inside, error, of=of)
    outside_low, outside_high = _bounds(outside, error, of=of)
    return _interval(
        one / (one + other),
        inside_low / (inside_low + outside_high) if inside_low + outside_high else 0.0,
        inside_high / (inside_high + outside_low) if inside_high + outside_low else 1.0,
    )


def _interval(rate: float, low: float, high: float) -> Interval:
    """Keeps the last digits of a search from putting a rate outside its own bounds."""
    return Interval(rate, max(0.0, min(rate, low)), min(1.0, max(rate, high)))


def _total(of_parts: list[Part], *, of: bool) -> float | None:
    total = 0.0
    for part in of_parts:
        if part.share is None:
            return None
        total += part.turns * (part.share if of else 1 - part.share)
    return total


def _bounds(of_parts: list[Part], error: float, *, of: bool) -> tuple[float, float]:
    """Bounds the turns that are true (or false); what is labelled to the last turn is known."""
    known = sum(part.cell(of=of).hits for part in of_parts if part.labelled == part.turns)
    cells = [part.cell(of=of) for part in of_parts if part.labelled < part.turns]
    if not cells:
        return known, known
    return known + max(0.0, least(cells, error)), known + most(cells, error)
