"""Shows a calibration to a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterturn.cli._common import printable
from afterturn.cli._labels import whose_sample

if TYPE_CHECKING:
    from afterturn.calibration import Calibration, Interval

_CURVE_ROWS = 20
_ENFORCED_FROM = 51
_COUNTED = ("used", "positives", "negatives")


def show(head: dict[str, Any], result: Calibration) -> None:
    """Prints what was counted, the curve, and the threshold with what it does."""
    from rich.console import Console

    console = Console(markup=False, emoji=False, highlight=False)
    for line in _counted(head):
        console.print(line)
    if result.points[1:]:
        console.print(_curve(result))
    for line in _chosen(result, "of all turns; Chernoff" if head["labels"]["sample"] else "Clopper-Pearson"):
        console.print(line)


def _counted(head: dict[str, Any]) -> list[str]:
    labels = head["labels"]
    whose = ", ".join(f"{name} {printable(head[name])}" for name in ("tenant", "agent") if head[name])
    left_out = [
        f"{number} {name.replace('_', ' ')}"
        for name, number in labels.items()
        if name not in _COUNTED and isinstance(number, int) and number
    ]
    drawn = labels["sample"]
    sampled = f", of {drawn['drawn']} drawn by score from {drawn['turns']:,} turns" if drawn else ""
    if drawn and drawn["version"] != head["version"]:
        sampled += f" by the scores of version {printable(drawn['version'])}"
    elif drawn and (drawn["tenant"], drawn["agent"]) != (head["tenant"], head["agent"]):
        sampled += f", part of a sample of {whose_sample(drawn['tenant'], drawn['agent'])}"
    return [
        f"{printable(head['classifier'])} version {printable(head['version'])}{', ' + whose if whose else ''}: "
        f"{head['answered']:,} answers from {head['from']} to {head['to']}",
        f"labels: {labels['positives']} true, {labels['negatives']} false{sampled}"
        + (f"; left out: {', '.join(left_out)}" if left_out else ""),
    ]


def _curve(result: Calibration) -> Any:
    from rich.table import Table

    table = Table("from score", "recall", "false positives", "precision", "alerts/day")
    costs = {one.threshold: one.alerts for one in result.costs}
    points = result.points[1:]
    step = -(-len(points) // _CURVE_ROWS)
    for place, point in enumerate(points):
        if place % step and point.threshold != result.threshold:
            continue
        cost = costs.get(point.threshold)
        table.add_row(
            str(point.threshold),
            *(_percent(interval) for interval in (point.recall, point.false_alarms, point.precision)),
            f"{cost.a_day:.1f}" if cost else "",
        )
    return table


def _chosen(result: Calibration, method: str) -> list[str]:
    if result.threshold is None or result.alerts is None or result.at_threshold is None:
        return []
    point = result.at_threshold
    lines = [
        f"threshold: {result.threshold}",
        f"alerts: {result.alerts.a_day:.1f} a day, {result.alerts.most} on the worst of {result.alerts.days} days",
    ]
    if result.points[1:]:
        lines += [
            f"recall {_percent(point.recall)}, false positives {_percent(point.false_alarms)}, "
            f"precision {_percent(point.precision)} ({method}, {result.target.confidence:g})"
        ]
    unproven = "Unproven: the labelled turns were not drawn at random, so nothing is promised of this threshold."
    described = "This describes the days that were seen; it promises nothing about others."
    lines.append(result.guarantee or (described if result.decision is None else unproven))
    if result.threshold < _ENFORCED_FROM:
        lines.append("Below 51 a no_finding may alert too; a policy's least_confidence counts findings only.")
    return lines


def _percent(interval: Interval) -> str:
    if interval.rate is None or interval.low is None or interval.high is None:
        return "-"
    return f"{100 * interval.rate:.1f} % ({100 * interval.low:.1f}-{100 * interval.high:.1f})"
