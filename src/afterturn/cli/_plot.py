"""Draws a calibration with matplotlib, which is imported here and only when something is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.calibration import Calibration, Interval

_INCHES = (10.0, 8.0)
_DPI = 110


def draw(result: Calibration, path: Path, *, kind: str, title: str) -> None:
    """Writes ROC, precision-recall and calibration curves and the alerts a day to one picture, in one step.

    Args:
        result: The calibration.
        path: The file.
        kind: `png` or `svg`.
        title: What stands above: the classifier and its version.

    Raises:
        UsageError: matplotlib is not installed.
        OutputError: The file cannot be written.
    """
    from afterturn.formats import writing

    figure, settings = picture(result, title)
    with settings, writing(path) as stream:
        figure.savefig(stream, format=kind, dpi=_DPI, metadata={"Date": None} if kind == "svg" else None)


def picture(result: Calibration, title: str) -> tuple[Any, Any]:
    """Draws the figure of a calibration; gives it with the settings to save it under.

    Raises:
        UsageError: matplotlib is not installed.
    """
    figure, settings = _figure()
    axes = figure.subplots(2, 2)
    figure.suptitle(_plain(title))
    _roc(axes[0, 0], result)
    _precision_recall(axes[0, 1], result)
    _calibrated(axes[1, 0], result)
    _alerts(axes[1, 1], result)
    figure.tight_layout()
    return figure, settings


def _figure() -> tuple[Any, Any]:
    """Gives a figure, and the settings under which the same curves become the same file, its texts searchable."""
    try:
        from matplotlib import rc_context  # pyright: ignore[reportUnknownVariableType]
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("--plot needs matplotlib; install it with: pip install 'afterturn[data]'") from None
    return Figure(figsize=_INCHES), rc_context({"svg.hashsalt": "afterturn", "svg.fonttype": "none"})


def _roc(axes: Any, result: Calibration) -> None:
    area = "" if result.auroc is None else f" (area {result.auroc:.3f})"
    _label(axes, f"ROC{area}", "false-positive rate", "recall")
    pairs = [(point.false_alarms, point.recall) for point in result.points]
    _line(axes, pairs)
    at = result.at_threshold
    _mark(axes, [] if at is None else [(at.false_alarms, at.recall)])


def _precision_recall(axes: Any, result: Calibration) -> None:
    _label(axes, "Precision and recall", "recall", "precision")
    _line(axes, [(point.recall, point.precision) for point in result.points])
    at = result.at_threshold
    _mark(axes, [] if at is None else [(at.recall, at.precision)])


def _calibrated(axes: Any, result: Calibration) -> None:
    _label(axes, "Calibration", "mean score", "share labelled true")
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    means = [band.mean_score / 100 for band in result.bands]
    rates = [band.positives.rate or 0.0 for band in result.bands]
    lows = [(band.positives.rate or 0.0) - (band.positives.low or 0.0) for band in result.bands]
    highs = [(band.positives.high or 0.0) - (band.positives.rate or 0.0) for band in result.bands]
    axes.errorbar(means, rates, yerr=[lows, highs], fmt="o-", capsize=3)


def _alerts(axes: Any, result: Calibration) -> None:
    axes.set(title="Alerts a day", xlabel="threshold", ylabel="alerts a day", xlim=(0, 101))
    thresholds = [cost.threshold for cost in result.costs]
    axes.plot(thresholds, [cost.alerts.a_day for cost in result.costs], label="mean")
    axes.plot(thresholds, [cost.alerts.most for cost in result.costs], label="worst day", linewidth=1, linestyle=":")
    if result.threshold is not None:
        axes.axvline(result.threshold, color="tab:red", label=f"threshold {result.threshold}")
    axes.legend()


def _line(axes: Any, pairs: Sequence[tuple[Interval, Interval]]) -> None:
    """Draws a curve, and the interval of what stands upwards as a band."""
    known = [(across, up) for across, up in pairs if across.rate is not None and up.rate is not None]
    across = [one.rate for one, _ in known]
    axes.plot(across, [up.rate for _, up in known], marker=".")
    axes.fill_between(across, [up.low for _, up in known], [up.high for _, up in known], alpha=0.2)


def _mark(axes: Any, at: Sequence[tuple[Interval, Interval]]) -> None:
    for across, up in at:
        if across.rate is not None and up.rate is not None:
            axes.plot([across.rate], [up.rate], marker="o", color="tab:red", markersize=8)


def _label(axes: Any, title: str, across: str, up: str) -> None:
    axes.set(title=title, xlabel=across, ylabel=up, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))


def _plain(text: str) -> str:
    """Keeps a name from being read as a formula."""
    return text.replace("$", r"\$")
