"""Turns verdicts and labels into decisions: histograms, curves, thresholds with a guarantee. Pure: no I/O, no clock."""

from afterturn.calibration._binomial import Interval, at_least, at_most, clopper_pearson, incomplete_beta
from afterturn.calibration._budget import Alerts, alerts, for_budget
from afterturn.calibration._calibrate import Calibration, Cost, Target, TargetKind, calibrate
from afterturn.calibration._choose import METHOD, Decision, for_false_alarms, for_precision
from afterturn.calibration._curves import Band, Point, Sample, auroc, bands, point, points
from afterturn.calibration._histogram import TOP, DayHistogram, Histogram, Series, by_series, merged
from afterturn.calibration._mcnemar import mcnemar
from afterturn.calibration._scores import score, scores_by_day

__all__ = [
    "METHOD",
    "TOP",
    "Alerts",
    "Band",
    "Calibration",
    "Cost",
    "DayHistogram",
    "Decision",
    "Histogram",
    "Interval",
    "Point",
    "Sample",
    "Series",
    "Target",
    "TargetKind",
    "alerts",
    "at_least",
    "at_most",
    "auroc",
    "bands",
    "by_series",
    "calibrate",
    "clopper_pearson",
    "for_budget",
    "for_false_alarms",
    "for_precision",
    "incomplete_beta",
    "mcnemar",
    "merged",
    "point",
    "points",
    "score",
    "scores_by_day",
]
