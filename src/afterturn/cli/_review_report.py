"""Reports what a review says: how good the judge is on all traffic, and how far people agree with each other and it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

from afterturn.cli._common import printable
from afterturn.cli._labels import facts, other_samples, whose_sample

if TYPE_CHECKING:
    from afterturn.calibration import Agreement, Interval
    from afterturn.store import Filter, Label, Reviewed, Store

JUDGE = "judge"
METHOD = (
    "Horvitz-Thompson by stratum; intervals by Chernoff bounds for stratified samples (Hoeffding 1963, worst case over "
    "the strata), valid for any number of labels"
)
_RATES = {
    "positives": "of all turns",
    "precision": "of the findings",
    "recall": "of the positives",
}
_WHY = {
    "no_common_turns": "no turn was answered by both",
    "one_answer_only": "both gave one and the same answer to all turns, as chance would",
}


def report(store: Store, narrow: Filter, *, confidence: float = 0.95) -> dict[str, Any]:
    """Puts the report of one version of a classifier together."""
    from afterturn.calibration import estimates

    given = store.reviews.labels(narrow.classifier, tenant=narrow.tenant, agent=narrow.agent)
    reviewed = store.reviews.newest_reviewed(narrow, given)
    found = None if reviewed is None else estimates(reviewed.stratified, confidence=confidence)
    return {
        "classifier": narrow.classifier,
        "version": narrow.version,
        "tenant": narrow.tenant,
        "agent": narrow.agent,
        "other_samples": other_samples(store, narrow) if reviewed is None else "",
        "sample": None if reviewed is None else _drawn(reviewed),
        "estimates": None if found is None else asdict(found) | {"confidence": confidence, "method": METHOD},
        "reviewers": _reviewers(given),
        "agreement": _between_people(given, confidence),
        "judge": _with_judge(store, narrow, given, confidence),
    }


def _drawn(reviewed: Reviewed) -> dict[str, Any]:
    """Gives what a sample was drawn from, and what of it has no label, whole strata among it."""
    left_out = ("unlabelled", "unreadable", "contradictory", "strata_contradictory", "outside")
    layers = reviewed.stratified.layers
    strata = {"strata": len(layers), "strata_without_label": sum(not layer.labelled for layer in layers)}
    return facts(reviewed) | {name: getattr(reviewed, name) for name in left_out} | strata


def show(told: Mapping[str, Any]) -> None:
    """Prints a report."""
    from rich.console import Console
    from rich.table import Table

    console = Console(markup=False, emoji=False, highlight=False)
    console.print(f"{printable(told['classifier'])} version {printable(told['version'])}")
    if told["sample"] is None:
        there = told["other_samples"]
        hint = f"there are samples of: {there}" if there else "run afterturn review"
        console.print(f"no reviewed sample of this traffic: its rates are unknown; {hint}")
    else:
        for line in _sampled(told):
            console.print(line)
    table = Table("who", "and", "turns", "agree", "kappa", "")
    for one in (*told["agreement"], *told["judge"]):
        why = _WHY[one["undefined"]] if one["undefined"] else ""
        first, second = (printable(one[name]) for name in ("first", "second"))
        table.add_row(first, second, str(one["turns"]), _percent(one["agreement"]), _number(one["kappa"]), why)
    if table.row_count:
        console.print(table)


def _sampled(told: Mapping[str, Any]) -> Iterator[str]:
    """Says what a sample is and what it says of its traffic."""
    drawn, found = told["sample"], told["estimates"]
    part = (drawn["tenant"], drawn["agent"]) != (told["tenant"], told["agent"])
    of = f", the part of it that is of this traffic (it is of {whose_sample(drawn['tenant'], drawn['agent'])})"
    yield (
        f"sample {drawn['number']}{of if part else ''}: {drawn['labelled']} labelled of {drawn['drawn']} drawn from "
        f"{drawn['turns']:,} turns; {drawn['unlabelled']} open, {drawn['unreadable']} lost their text since, "
        f"{drawn['expired']} had none at the draw"
    )
    for name, of_what in _RATES.items():
        yield f"{name}, {of_what}: {_percent(found[name])}"
    torn = drawn["strata_contradictory"]
    silent = drawn["strata_without_label"] - torn
    if torn:
        yield (
            f"all labels of {torn} strata contradict each other: none to all of their turns may be true; "
            "rates count half, and intervals hold both ends; have a third reviewer run afterturn review: it shows "
            "those turns first"
        )
    if silent:
        yield (
            f"{silent} of {drawn['strata']} strata have no label yet, so rates that need them "
            "are unknown (-): go on with the review, or draw more turns of this traffic"
        )
    yield f"in brackets: {100 * found['confidence']:g} % intervals"


def _reviewers(given: Sequence[Label]) -> list[dict[str, Any]]:
    names = sorted({label.reviewer for label in given})
    return [
        {
            "reviewer": name,
            **{
                answer: sum(label.answer == answer for label in given if label.reviewer == name)
                for answer in ("yes", "no", "unsure")
            },
        }
        for name in names
    ]


def _between_people(given: Sequence[Label], confidence: float) -> list[dict[str, Any]]:
    by_name = _answers(given)
    return [
        _compared(first, second, by_name[first], by_name[second], confidence)
        for first, second in combinations(sorted(by_name), 2)
    ]


def _with_judge(store: Store, narrow: Filter, given: Sequence[Label], confidence: float) -> list[dict[str, Any]]:
    """Compares the judge with each reviewer, and with what most of them say where there are several."""
    from afterturn.store import majority

    by_name = _answers(given)
    keys = sorted({key for answers in by_name.values() for key in answers})
    judged = {key: status == "finding" for key, (status, _) in store.reviews.answers(narrow, keys).items()}
    people = {name: by_name[name] for name in sorted(by_name)}
    if len(people) > 1:
        people |= {"majority": majority(given)[0]}
    return [_compared(JUDGE, name, judged, answers, confidence) for name, answers in people.items()]


def _answers(given: Sequence[Label]) -> dict[str, dict[int, bool]]:
    found: dict[str, dict[int, bool]] = {}
    for label in given:
        if label.answer != "unsure":
            found.setdefault(label.reviewer, {})[label.key] = label.answer == "yes"
    return found


def _compared(
    first: str, second: str, one: Mapping[int, bool], other: Mapping[int, bool], confidence: float
) -> dict[str, Any]:
    from afterturn.calibration import agreement

    both = sorted(one.keys() & other.keys())
    found: Agreement = agreement([(one[key], other[key]) for key in both], confidence=confidence)
    return {"first": first, "second": second} | asdict(found)


def _percent(interval: Interval | Sequence[float | None]) -> str:
    rate, low, high = interval
    if rate is None or low is None or high is None:
        return "-"
    return f"{100 * rate:.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def _number(interval: Interval | Sequence[float | None]) -> str:
    rate, low, high = interval
    return "-" if rate is None or low is None or high is None else f"{rate:.2f} ({low:.2f} to {high:.2f})"
