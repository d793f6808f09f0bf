"""A stratum whose labels all contradict each other widens what a replay says by its weight, and hides nothing."""

from __future__ import annotations

import random

import pytest

from afterturn.calibration import Interval
from afterturn.replay import Diff, Labels, compare
from afterturn.store import Change, Changed, GivenAnswer

_CHANGE = Change("safety", "1", "old", "2", "new")
_OLD = {
    "sure": GivenAnswer("finding", None, 95, None),
    "torn": GivenAnswer("finding", None, 55, None),
    "low": GivenAnswer("no_finding", None, 95, None),
}
_FOUND = GivenAnswer("finding", None, 90, None)
_NONE = GivenAnswer("no_finding", None, 90, None)
_SIZES = {"sure": 200, "torn": 60, "low": 740}
_RATES = ("precision_old", "precision_new", "recall_old", "recall_new", "gain")


def _new(kind: str, number: int) -> bool:
    """Says whether the new side finds something: less in what is torn, now and then more elsewhere."""
    return {"sure": number % 10 != 0, "torn": number % 3 != 0, "low": number % 37 == 0}[kind]


def _true(kind: str, number: int, true_of_torn: int) -> bool:
    return {"sure": number % 8 != 0, "torn": number < true_of_torn, "low": number % 25 == 0}[kind]


def _turns() -> list[tuple[str, int, Changed]]:
    return [
        (
            kind,
            number,
            Changed(tenant="a", turn=f"{kind}-{number}", old=_OLD[kind], new=_FOUND if _new(kind, number) else _NONE),
        )
        for kind, size in _SIZES.items()
        for number in range(size)
    ]


def _share(of: list[tuple[bool, bool, bool]], wanted: int, among: int) -> float:
    inside = [one for one in of if one[among]]
    return sum(one[wanted] for one in inside) / len(inside)


def _truth(true_of_torn: int) -> dict[str, float]:
    """Gives the rates that who knows everything would tell."""
    known = [
        (_true(kind, number, true_of_torn), one.old == _FOUND or kind != "low", one.new == _FOUND)
        for kind, number, one in _turns()
    ]
    return {
        "precision_old": _share(known, 0, 1),
        "precision_new": _share(known, 0, 2),
        "recall_old": _share(known, 1, 0),
        "recall_new": _share(known, 2, 0),
        "gain": sum((new == true) - (old == true) for true, old, new in known) / len(known),
    }


def _drawn(chance: random.Random, *, tied: bool = True) -> Diff:
    """Labels some turns of each stratum, of the torn one with a tie alone."""
    turns = _turns()
    some = {f"{kind}-{number}" for kind in ("sure", "low") for number in chance.sample(range(_SIZES[kind]), 60)}
    labels: Labels = {("a", one.turn): _true(kind, number, 0) for kind, number, one in turns if one.turn in some}
    ties: set[tuple[str | None, str]] = {("a", "torn-3"), ("a", "torn-7")} if tied else set()
    return compare(_CHANGE, [one for _, _, one in turns], labels=labels, stratified=True, tied=ties)


@pytest.mark.parametrize("true_of_torn", [0, 25, 60])
def test_intervals_hold_the_truth_whatever_is_true_of_a_torn_stratum(true_of_torn: int) -> None:
    chance, truth = random.Random(5), _truth(true_of_torn)
    found = [_drawn(chance).labelled for _ in range(30)]
    for name in _RATES:
        intervals: list[Interval] = [getattr(one, name) for one in found]
        held = sum((one.low or 0) <= truth[name] <= (one.high or 0) for one in intervals)
        assert held >= 28, name


def test_without_a_tie_a_stratum_without_a_label_leaves_rates_unknown() -> None:
    silent, torn = (_drawn(random.Random(5), tied=tied).labelled for tied in (False, True))
    assert silent is not None
    assert torn is not None
    assert {getattr(silent, name) for name in _RATES} == {Interval(None, None, None)}
    assert None not in [getattr(torn, name).rate for name in _RATES]
    assert (silent.strata_contradictory, torn.strata_contradictory) == (0, 1)


def test_a_label_in_the_stratum_of_a_tie_is_what_counts() -> None:
    turns = [one for kind, _, one in _turns() if kind == "torn"]
    labels: Labels = {("a", one.turn): True for one in turns[10:]}
    found = compare(_CHANGE, turns, labels=labels, stratified=True, tied={("a", "torn-3")}).labelled
    assert found is not None
    assert (found.strata_contradictory, found.precision_old.rate) == (0, 1.0)
