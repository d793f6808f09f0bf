"""Compares two runs: reads both, pairs them, tests the differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from afterturn.calibration import mcnemar, rank_biserial, wilcoxon
from afterturn.errors import UsageError
from afterturn.evals._run_records import RunHeader
from afterturn.evals._storage import RunFile
from afterturn.evals.compare._pairs import Values, pair, read_seen
from afterturn.evals.compare._records import FEWEST_ROWS, LEVEL, Comparison, Figure, Finding, Side
from afterturn.evals.compare._statistics import bootstrap, detectable_mean, detectable_rate, holm


def compare_runs(a: RunFile, b: RunFile, *, rubric: str | None = None, seed: int = 0) -> Comparison:
    """Compares two runs over the rows that both have judged. A pair is the same row (by content) and the same repeat.

    Args:
        a: The run before.
        b: The run after.
        rubric: Compare the score of this rubric; by default the lowest of each row's scores.
        seed: Seed of the bootstrap: the same runs give the same figures.

    Raises:
        UsageError: No run has the rubric, or NumPy is not installed.
        UnreadableInputError: A run cannot be read.
    """
    if rubric is not None:
        _check_rubric(rubric, a, b)
    pairing = pair(read_seen(a, rubric), read_seen(b, rubric))
    figures = [_rate(pairing.passed, seed)]
    if pairing.scores.rows:
        figures.append(_score(pairing.scores, seed))
    return Comparison(
        a=Side(header=a.header, summary=a.summary(), unpaired=pairing.unpaired[0], unjudged=pairing.unjudged[0]),
        b=Side(header=b.header, summary=b.summary(), unpaired=pairing.unpaired[1], unjudged=pairing.unjudged[1]),
        paired=pairing.paired,
        figures=_judged(figures),
        now_fails=tuple(pairing.now_fails),
        now_passes=tuple(pairing.now_passes),
        differs=_differs(a.header, b.header),
        seed=seed,
    )


def _rate(values: Values, seed: int) -> Figure:
    differences = values.differences()
    better, worse = _split(differences)
    found = _figure(values, differences, seed)
    return replace(found, p_value=mcnemar(worse, better), detectable=detectable_rate(differences))


def _score(values: Values, seed: int) -> Figure:
    differences = values.differences()
    found = _figure(values, differences, seed)
    return replace(
        found,
        name="score",
        test="wilcoxon_signed_rank",
        p_value=wilcoxon(differences),
        detectable=detectable_mean(differences),
    )


def _figure(values: Values, differences: Sequence[float], seed: int) -> Figure:
    before, after = values.means()
    better, worse = _split(differences)
    low, high = bootstrap(differences, seed=seed) or (None, None)
    return Figure(
        name="pass_rate",
        test="mcnemar_exact",
        rows=len(differences),
        pairs=values.pairs,
        before=before,
        after=after,
        difference=None if before is None or after is None else round(after - before, 9),
        low=low,
        high=high,
        better=better,
        worse=worse,
        p_value=None,
        effect=rank_biserial(differences),
        detectable=None,
    )


def _split(differences: Sequence[float]) -> tuple[int, int]:
    return sum(one > 0 for one in differences), sum(one < 0 for one in differences)


def _judged(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    adjusted = holm([figure.p_value for figure in figures])
    both = [replace(figure, p_adjusted=p) for figure, p in zip(figures, adjusted, strict=True)]
    return tuple(replace(figure, finding=_finding(figure)) for figure in both)


def _finding(figure: Figure) -> Finding:
    if figure.rows < FEWEST_ROWS:
        return "not_enough"
    if figure.p_adjusted is None or figure.p_adjusted > LEVEL:
        return "no_evidence"
    towards = figure.effect or 0.0
    if towards * (figure.difference or 0.0) <= 0:
        return "mixed"
    return "better" if towards > 0 else "worse"


def _differs(a: RunHeader, b: RunHeader) -> tuple[str, ...]:
    """What decides a result beside the agent, and is not the same in both runs."""
    first, second = (
        {
            "rubrics": {(one.name, one.digest) for one in header.rubrics},
            "judge": header.judge,
            "assertions": set(header.assertions),
            "threshold": header.threshold,
        }
        for header in (a, b)
    )
    return tuple(name for name, value in first.items() if value != second[name])


def _check_rubric(rubric: str, a: RunFile, b: RunFile) -> None:
    for run in (a, b):
        names = [one.name for one in run.header.rubrics]
        if rubric not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise UsageError(f"{run.path} has no rubric {rubric!r}; {has}")
