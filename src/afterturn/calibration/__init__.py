"""Turns verdicts and labels into decisions: samples, curves, thresholds with a guarantee, modes, drift. Pure."""

from afterturn.calibration._agreement import Agreement, agreement
from afterturn.calibration._binomial import Interval, at_least, at_most, clopper_pearson, incomplete_beta
from afterturn.calibration._budget import Alerts, alerts, for_budget
from afterturn.calibration._calibrate import Calibration, Cost, Target, TargetKind, calibrate
from afterturn.calibration._choose import METHOD, Decision, for_false_alarms, for_precision
from afterturn.calibration._curves import Band, Point, Sample, auroc, bands, point, points
from afterturn.calibration._drift import Drift, Group, Marks, drift, far_from, ks, psi
from afterturn.calibration._histogram import TOP, DayHistogram, Histogram, Series, by_series, merged
from afterturn.calibration._mcnemar import mcnemar
from afterturn.calibration._modes import ModeRule, Modes, RuleMode
from afterturn.calibration._paired import Pairs, gain
from afterturn.calibration._sample import Candidate, Drawn, Stratum, allocate, draw, stratum_of
from afterturn.calibration._scores import score, scores_by_day
from afterturn.calibration._stratified import Estimates, Layer, StratifiedSample, estimates, layers_of, weighted_point
from afterturn.calibration._weighted_choice import (
    METHOD_STRATIFIED,
    for_false_alarms_stratified,
    for_precision_stratified,
)
from afterturn.calibration._wilcoxon import rank_biserial, wilcoxon

__all__ = [
    "METHOD",
    "METHOD_STRATIFIED",
    "TOP",
    "Agreement",
    "Alerts",
    "Band",
    "Calibration",
    "Candidate",
    "Cost",
    "DayHistogram",
    "Decision",
    "Drawn",
    "Drift",
    "Estimates",
    "Group",
    "Histogram",
    "Interval",
    "Layer",
    "Marks",
    "ModeRule",
    "Modes",
    "Pairs",
    "Point",
    "RuleMode",
    "Sample",
    "Series",
    "StratifiedSample",
    "Stratum",
    "Target",
    "TargetKind",
    "agreement",
    "alerts",
    "allocate",
    "at_least",
    "at_most",
    "auroc",
    "bands",
    "by_series",
    "calibrate",
    "clopper_pearson",
    "draw",
    "drift",
    "estimates",
    "far_from",
    "for_budget",
    "for_false_alarms",
    "for_false_alarms_stratified",
    "for_precision",
    "for_precision_stratified",
    "gain",
    "incomplete_beta",
    "ks",
    "layers_of",
    "mcnemar",
    "merged",
    "point",
    "points",
    "psi",
    "rank_biserial",
    "score",
    "scores_by_day",
    "stratum_of",
    "weighted_point",
    "wilcoxon",
]
