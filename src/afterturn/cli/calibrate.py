"""`afterturn calibrate`: a threshold for a target, with its guarantee and its cost, or how many labels are missing."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterturn.cli._common import configured, json_line, note
from afterturn.cli._evidence import refuted, with_digest
from afterturn.cli._labels import Used, from_file, from_replay, from_store
from afterturn.cli._narrow import days_option, one_version
from afterturn.cli._outputs import refuse_overwriting
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from afterturn.calibration import Calibration, DayHistogram, Histogram, Target, TargetKind
    from afterturn.store import Filter, Store

INCONCLUSIVE = 3

_MISSING = {
    "negatives": "turns labelled false",
    "alerts": "labelled turns that alert",
    "sample": "of a larger sample: afterturn review --size",
    "all": "all turns that are left, as far as these labels tell",
    "strata": "at least, one in each stratum without any",
}


def calibrate_command(
    classifier: Annotated[str, typer.Option(help="Whose threshold: the name of a classifier.")],
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    version: Annotated[str | None, typer.Option(help="Only this version of the classifier.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from then on: a date, or 24h, 7d; whole days in UTC.")] = None,
    until: Annotated[str | None, typer.Option(help="Only before then; whole days in UTC.")] = None,
    replayed: Annotated[
        bool,
        typer.Option("--replayed", help="Of what replays judged, by the days of the turns, not of live traffic."),
    ] = False,
    judge: Annotated[str | None, typer.Option(help="Whose replayed verdicts, where several judges replayed.")] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help='Labels of turns drawn at random, in place of those of `afterturn review`: JSONL of {"turn", '
            '"classifier", "label"}.'
        ),
    ] = None,
    target_fpr: Annotated[float | None, typer.Option(help="Promise at most this false-positive rate, 0 to 1.")] = None,
    target_precision: Annotated[float | None, typer.Option(help="Promise at least this precision, 0 to 1.")] = None,
    alert_budget: Annotated[float | None, typer.Option(help="At most so many alerts a day in the mean.")] = None,
    confidence: Annotated[float, typer.Option(help="Probability that a promise is kept with, 0 to 1.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves: a .png or .svg file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object with all curves.")] = False,
) -> None:
    """Chooses the threshold from which a verdict shall alert, and says what it finds, what it costs and what is proven.

    The score is the confidence of a finding, or 100 less the confidence of no finding. Give one target. Exit code 3:
    no threshold keeps it, there are not enough labels to prove one, or they were not drawn at random.
    """
    from afterturn.calibration import calibrate, scores_by_day
    from afterturn.store import Filter, open_store

    target = _target(target_fpr, target_precision, alert_budget, confidence)
    kind = _plot_kind(plot)
    begin, end = days_option(since, until)
    config = configured(db=db)
    refuse_overwriting({"--plot": plot}, [labels], config)
    narrow = Filter(
        tenant=tenant,
        agent=agent,
        classifier=classifier,
        version=version,
        since=begin,
        until=end,
        replayed=replayed,
        judge=judge,
    )
    with open_store(config.db, create=False) as store:
        days = store.histograms(narrow)
        chosen_version = one_version(days, classifier)
        narrow = replace(narrow, version=chosen_version, judge=_judge(days))
        found = _labelled(store, labels, narrow)
    scores = scores_by_day(days)
    looks = _looks_random(found, scores)
    if torn := found.left_out.get("strata_contradictory"):
        note(
            f"all labels of {torn} strata contradict each other: rates count half of their turns, intervals "
            "hold none to all, and no promise rests on them; have a third reviewer run "
            "afterturn review: it shows those turns first"
        )
    result, lacking = _kept(calibrate(scores, found.sample, target), found, looks)
    if plot is not None:
        from afterturn.cli._plot import draw

        draw(result, plot, kind=kind, title=f"{classifier} {chosen_version}")
        note(f"curves are in {plot}")
    head = _head(narrow, scores, found)
    head["labels"]["looks_random"] = looks
    if as_json or not sys.stdout.isatty():
        sys.stdout.write(json_line(with_digest(head | _results(result) | {"missing": lacking})) + "\n")
    else:
        from afterturn.cli._calibration import show

        show(head, result)
    if lacking is not None:
        note(lacking)
        raise typer.Exit(INCONCLUSIVE)


def _kept(result: Calibration, found: Used, looks: dict[str, float] | None) -> tuple[Calibration, str | None]:
    """Takes a promise back whose labels were not drawn at random; says what is missing for one."""
    picked = None
    if looks is not None and refuted(looks):
        picked = (
            "the labelled turns do not look drawn at random from this traffic: their scores are others (p at most "
            f"{looks['p_value']:.2g}); what is promised rests on that draw, so label turns that afterturn review draws"
        )
    if picked and result.guarantee is not None:
        return replace(result, guarantee=None), f"threshold {result.threshold} is unproven: {picked}"
    if picked:
        note(picked)
    return result, None if result.threshold is not None else missing(result, found)


def missing(result: Calibration, found: Used) -> str:
    """Says why there is no threshold, and what would help."""
    decision = result.decision
    if decision is None:
        return "no threshold keeps this budget: the surest alerts alone are more; raise --alert-budget"
    if decision.more_labels is None:
        return "no threshold keeps this promise: the labelled sample breaks it at every one; ask for less"
    told = f"not enough labels: {decision.more_labels} more for this claim ({_MISSING[decision.labels_of]})"
    waiting = found.left_out.get("unlabelled", 0)
    return f"{told}; first answer the {waiting} drawn turns that are open: afterturn review" if waiting else told


def _looks_random(found: Used, scores: Mapping[date, Histogram]) -> dict[str, float] | None:
    """Compares the scores of turns said to be drawn at random with those of the traffic."""
    from afterturn.calibration import Sample, far_from, merged

    if not isinstance(found.sample, Sample) or not found.sample.size:
        return None
    distance, p_value = far_from(merged((found.sample.positives, found.sample.negatives)), merged(scores.values()))
    return {"distance": distance, "p_value": p_value}


def _target(fpr: float | None, precision: float | None, budget: float | None, confidence: float) -> Target:
    from afterturn.calibration import Target

    targets: dict[TargetKind, float | None] = {
        "false_positive_rate": fpr,
        "precision": precision,
        "alerts_a_day": budget,
    }
    given: list[tuple[TargetKind, float]] = [(kind, value) for kind, value in targets.items() if value is not None]
    if len(given) != 1:
        raise UsageError("give exactly one of --target-fpr, --target-precision and --alert-budget")
    kind, value = given[0]
    try:
        return Target(kind=kind, value=value, confidence=confidence)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _plot_kind(plot: Path | None) -> str:
    kind = "" if plot is None else plot.suffix.lower().removeprefix(".")
    if plot is not None and kind not in ("png", "svg"):
        raise UsageError(f"{plot} is neither a PNG nor an SVG; give --plot a file that ends in .png or .svg")
    return kind


def _labelled(store: Store, labels: Path | None, narrow: Filter) -> Used:
    if labels is not None:
        return from_file(store, labels, narrow)
    return from_replay(store, narrow) if narrow.replayed else from_store(store, narrow)


def _judge(days: Iterable[DayHistogram]) -> str | None:
    """Gives the one judge that replayed; None for live traffic."""
    judges = {one.series.replayed_by for one in days}
    if len(judges) > 1:
        raise UsageError(f"replayed by {', '.join(sorted(filter(None, judges)))}; choose one by --judge")
    return next(iter(judges), None)


def _head(narrow: Filter, scores: Mapping[date, Histogram], found: Used) -> dict[str, Any]:
    sample = found.sample
    return {
        "classifier": narrow.classifier,
        "version": narrow.version,
        "tenant": narrow.tenant,
        "agent": narrow.agent,
        "replayed_by": narrow.judge,
        "from": min(scores).isoformat(),
        "to": max(scores).isoformat(),
        "verdicts": sum(one.total for one in scores.values()),
        "answered": sum(one.scored for one in scores.values()),
        "labels": {
            "source": found.source,
            "used": sample.size,
            "positives": sample.positives.scored,
            "negatives": sample.negatives.scored,
            **found.left_out,
            "sample": found.drawn,
        },
    }


def _results(result: Calibration) -> dict[str, Any]:
    """Gives a calibration as JSON; an interval is a list of rate, low and high."""
    values = asdict(result)
    values["decision"] = None if result.decision is None else asdict(result.decision)
    return values
