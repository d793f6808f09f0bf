"""Says what a comparison found: in words that claim no more than the figures, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from afterturn.evals._summary import summary_to_json
from afterturn.evals.compare._records import FEWEST_ROWS, Comparison, Figure, Flip, Side
from afterturn.turns import JsonValue

_TESTS = {"mcnemar_exact": "McNemar, exact", "wilcoxon_signed_rank": "Wilcoxon signed rank"}


def told(figure: Figure) -> str:
    """Says what one figure comes to."""
    if figure.finding == "not_enough":
        return f"not enough: {figure.rows} rows are judged in both runs, and {FEWEST_ROWS} are the least"
    if figure.finding == "no_evidence":
        return f"no evidence of a difference ({_test(figure)}){_could_see(figure)}"
    words = {
        "better": "the second run is better",
        "worse": "the second run is worse",
        "mixed": "most rows went one way and the mean the other; look at the rows",
    }
    return f"{words[figure.finding]} ({_test(figure)})"


def amount(name: str, value: float, *, signed: bool = False) -> str:
    """Writes a pass rate in percent, a score in points.

    Example:
        >>> amount("pass_rate", 0.815), amount("score", -3.0, signed=True)
        ('81.5 %', '-3.0')
    """
    sign = "+" if signed else ""
    return f"{value * 100:{sign}.1f} %" if name == "pass_rate" else f"{value:{sign}.1f}"


def comparison_to_json(found: Comparison) -> dict[str, JsonValue]:
    """Writes a comparison."""
    return {
        "a": _side(found.a),
        "b": _side(found.b),
        "paired": found.paired,
        "figures": {figure.name: _figure(figure) for figure in found.figures},
        "now_fails": _flips(found.now_fails),
        "now_passes": _flips(found.now_passes),
        "differs": list(found.differs),
        "seed": found.seed,
    }


def _test(figure: Figure) -> str:
    if figure.p_adjusted is None:
        return "no row differs"
    p = figure.p_adjusted
    return f"{_TESTS[figure.test]}: p = {p:.2g}" if p >= 0.0001 else f"{_TESTS[figure.test]}: p < 0.0001"


def _could_see(figure: Figure) -> str:
    if figure.detectable is None:
        return ""
    unit = "points" if figure.name == "score" else "of the rows"
    return (
        f"; less than about {amount(figure.name, figure.detectable)} {unit} would be missed more than one time in five"
    )


def _side(side: Side) -> dict[str, JsonValue]:
    return {
        "run": side.header.run,
        "target": side.header.target,
        "unpaired": side.unpaired,
        "unjudged": side.unjudged,
        "summary": summary_to_json(side.summary),
    }


def _figure(figure: Figure) -> dict[str, JsonValue]:
    wire: dict[str, JsonValue] = {one.name: getattr(figure, one.name) for one in fields(figure) if one.name != "name"}
    return {**wire, "effect_size": "rank_biserial", "told": told(figure)}


def _flips(flips: Sequence[Flip]) -> list[JsonValue]:
    return [{one.name: getattr(flip, one.name) for one in fields(Flip)} for flip in flips]
