"""Puts a calibration together: a threshold for a target, what it does to the sample, what it costs a day."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

from afterturn.calibration._budget import Alerts, alerts, for_budget
from afterturn.calibration._choose import METHOD, Decision, for_false_alarms, for_precision
from afterturn.calibration._curves import Band, Point, Sample, auroc, bands, point, points
from afterturn.calibration._histogram import TOP, Histogram, merged
from afterturn.calibration._stratified import (
    StratifiedSample,
    weighted_auroc,
    weighted_bands,
    weighted_point,
    weighted_points,
)
from afterturn.calibration._weighted_choice import (
    METHOD_STRATIFIED,
    for_false_alarms_stratified,
    for_precision_stratified,
)

TargetKind = Literal["false_positive_rate", "precision", "alerts_a_day"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """Is what a threshold shall keep.

    Attributes:
        kind: What is promised.
        value: A rate between 0 and 1, or a number of alerts a day.
        confidence: The probability that the promise is kept with, between 0 and 1; also that of all intervals.
    """

    kind: TargetKind
    value: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise ValueError("a confidence is a probability: give a number between 0 and 1, such as 0.95")
        if self.kind == "alerts_a_day":
            if not 0 <= self.value < math.inf:
                raise ValueError("an alert budget is a number of alerts a day: give 0 or more, and no infinity")
        elif not 0 < self.value < 1:
            raise ValueError("a rate is promised as a share: give a number between 0 and 1, such as 0.01")


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """Is what a threshold would have cost on the days that were seen."""

    threshold: int
    alerts: Alerts


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """Is what is known about the thresholds of one classifier.

    Attributes:
        target: What the threshold shall keep.
        threshold: The lowest threshold that keeps it, or None where none does or none could be proven to.
        guarantee: What is promised of the threshold, by which method; None where nothing is.
        decision: How the threshold was proven; None for an alert budget, which is no claim about labels.
        at_threshold: What the threshold does to the sample; None without a threshold.
        alerts: What the threshold would have cost; None without a threshold.
        points: The ROC curve and the precision-recall curve; the threshold is one of them, where there are labels.
        bands: The calibration curve.
        auroc: Area under the ROC curve; None without positives or negatives.
        costs: What each threshold from 1 to 100 would have cost.
    """

    target: Target
    threshold: int | None
    guarantee: str | None
    decision: Decision | None
    at_threshold: Point | None
    alerts: Alerts | None
    points: tuple[Point, ...]
    bands: tuple[Band, ...]
    auroc: float | None
    costs: tuple[Cost, ...]


def calibrate(scores: Mapping[date, Histogram], sample: Sample | StratifiedSample, target: Target) -> Calibration:
    """Chooses a threshold for a target and draws what it rests on.

    Args:
        scores: The scores of the traffic, by day.
        sample: The scores of labelled turns, drawn at random from that traffic, or at random within its strata; may be
            empty.
        target: What the threshold shall keep.
    """
    decision = _decided(scores, sample, target)
    threshold = for_budget(scores, target.value) if decision is None else decision.threshold
    curves = _stratified(sample, target) if isinstance(sample, StratifiedSample) else _simple(sample, target)
    at_threshold = None if threshold is None else _at(sample, threshold, target)
    return Calibration(
        target=target,
        threshold=threshold,
        guarantee=None if threshold is None else _guarantee(target, stratified=isinstance(sample, StratifiedSample)),
        decision=decision,
        at_threshold=at_threshold,
        alerts=None if threshold is None else alerts(scores, threshold),
        points=_with(curves.points, at_threshold),
        bands=curves.bands,
        auroc=curves.auroc,
        costs=tuple(Cost(threshold=one, alerts=alerts(scores, one)) for one in range(1, TOP + 1)),
    )


def _with(curve: tuple[Point, ...], chosen: Point | None) -> tuple[Point, ...]:
    """Adds the chosen threshold to a curve, in its place; a curve of no label stays one."""
    if chosen is None or len(curve) == 1 or any(one.threshold == chosen.threshold for one in curve):
        return curve
    return tuple(sorted((*curve, chosen), key=lambda one: -one.threshold))


class _Curves(NamedTuple):
    points: tuple[Point, ...]
    bands: tuple[Band, ...]
    auroc: float | None


def _simple(sample: Sample, target: Target) -> _Curves:
    confidence = target.confidence
    return _Curves(points(sample, confidence=confidence), bands(sample, confidence=confidence), auroc(sample))


def _stratified(sample: StratifiedSample, target: Target) -> _Curves:
    confidence = target.confidence
    return _Curves(
        weighted_points(sample, confidence=confidence),
        weighted_bands(sample, confidence=confidence),
        weighted_auroc(sample),
    )


def _at(sample: Sample | StratifiedSample, threshold: int, target: Target) -> Point:
    if isinstance(sample, StratifiedSample):
        return weighted_point(sample, threshold, confidence=target.confidence)
    return point(sample, threshold, confidence=target.confidence)


def _decided(scores: Mapping[date, Histogram], sample: Sample | StratifiedSample, target: Target) -> Decision | None:
    error = 1 - target.confidence
    if target.kind == "alerts_a_day":
        return None
    false_alarms = target.kind == "false_positive_rate"
    if isinstance(sample, StratifiedSample):
        choose = for_false_alarms_stratified if false_alarms else for_precision_stratified
        return choose(sample, target.value, error=error)
    if false_alarms:
        return for_false_alarms(sample, target.value, error=error)
    return for_precision(sample, target.value, merged(scores.values()), error=error)


def _guarantee(target: Target, *, stratified: bool) -> str | None:
    if target.kind == "alerts_a_day":
        return None
    bound = (
        "the false-positive rate is at most" if target.kind == "false_positive_rate" else "the precision is at least"
    )
    return (
        f"With probability at least {target.confidence:g} over the draw of the labelled turns, {bound} "
        f"{target.value:g} at this threshold. Method: {METHOD_STRATIFIED if stratified else METHOD}. It holds for "
        f"labelled turns drawn at random from {'each stratum of the sampled' if stratified else 'this'} traffic, and "
        "for traffic, judge and version as they were."
    )
