"""Histograms and funnel are what the rows say, whatever is sent twice, breaks in the middle or dies."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from afterturn.calibration import Histogram, by_series, merged
from afterturn.calls import Planned
from afterturn.errors import UsageError
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Applied, Claim, Filter, Finished, Funnel, SessionState, Store, TurnOrder, open_store
from afterturn.store import _histograms as module
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]
Answer = Callable[..., Judgement]
Finish = Callable[..., Finished]
PassS = Callable[[float], None]

_START = datetime(2026, 11, 30, 22, tzinfo=UTC)


def _rows(verdicts: Iterable[Verdict]) -> Counter[tuple[Any, ...]]:
    """Counts verdict rows one by one, as the histograms should have."""
    return Counter(
        (
            (one.tenant, one.agent, one.classifier, one.version, one.status, one.label, one.reason, None),
            one.created_at.date(),
            one.confidence,
        )
        for one in verdicts
    )


def _counted(store: Store, narrow: Filter = Filter()) -> Counter[tuple[Any, ...]]:  # noqa: B008
    found: Counter[tuple[Any, ...]] = Counter()
    for one in store.histograms(narrow):
        for value, number in one.histogram.counts.items():
            found[tuple(one.series), one.day, value] += number
        if one.histogram.unscored:
            found[tuple(one.series), one.day, None] += one.histogram.unscored
    return found


class _PowerCut(Exception):
    """Stands for whatever ends a transaction in the middle."""


def _breaks(state: SessionState, order: TurnOrder, turn: Turn, judgements: object) -> Applied:
    raise _PowerCut


_STATUSES = (
    st.tuples(st.just("finding"), st.sampled_from(["self_harm", None]), st.none()),
    st.tuples(st.just("no_finding"), st.none(), st.sampled_from([None, "unsure"])),
    st.tuples(st.just("error"), st.none(), st.sampled_from(["timeout", "refusal"])),
)
_ANSWERS = st.tuples(st.one_of(*_STATUSES), st.one_of(st.none(), st.integers(0, 100)))
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), st.integers(0, 3), st.sampled_from(["acme", "other"])),
        st.tuples(st.just("claim"), st.integers(1, 3), st.none()),
        st.tuples(st.just("finish"), st.integers(0, 9), st.lists(_ANSWERS, min_size=1, max_size=2)),
        st.tuples(st.just("cut"), st.integers(0, 9), st.lists(_ANSWERS, min_size=1, max_size=2)),
        st.tuples(st.just("fail"), st.integers(0, 9), st.none()),
        st.tuples(st.just("wait"), st.integers(1, 20), st.none()),
    ),
    max_size=30,
)


class _Play:
    """Plays steps on a store: turns sent again, leases that run out, answers that come twice, power cuts."""

    def __init__(self, path: Path) -> None:
        self.now = _START
        self.store = open_store(path, clock=lambda: self.now, max_attempts=2, synchronous="OFF")
        self.claims: list[Claim] = []

    def step(self, kind: str, number: int, detail: Any) -> None:
        if kind == "turn":
            self._turn(number, detail)
        elif kind == "claim":
            self.claims += self.store.claim(f"w-{len(self.claims)}", lease_s=1_800, limit=number).claims
        elif kind == "wait":
            self.now += timedelta(minutes=10 * number)
        elif self.claims:
            self._end(kind, self.claims[number % len(self.claims)], detail)

    def _turn(self, number: int, tenant: str) -> None:
        said = (Message(role="user", text="Hello"),)
        turn = Turn(messages=said, agent=Agent("support"), tenant=tenant, session="s", id=f"t-{number}")
        names = {"conversation": None, "safety": None, "sources": "no_passages" if number % 2 else "cited_inline"}
        planned = [
            Planned(classifier=name, version="1", metric="m", judge="encoder", plan="", skip=skip)
            for name, skip in names.items()
        ]
        self.store.add_turn(turn, planned)

    def _end(self, kind: str, claimed: Claim, answers: Any) -> None:
        if kind == "fail":
            self.store.fail(claimed, code="provider_error")
            return
        pairs = zip(claimed.planned, answers, strict=False)  # often not all of its questions
        judgements = [_judgement(claimed, one, status, confidence, self.now) for one, (status, confidence) in pairs]
        if kind == "finish":
            self.store.finish(claimed, judgements, apply)
            return
        with contextlib.suppress(_PowerCut):
            self.store.finish(claimed, judgements, _breaks)


def _judgement(claimed: Claim, one: Planned, status: Any, confidence: int | None, at: datetime) -> Judgement:
    turn = claimed.turn
    verdict = Verdict(
        tenant=turn.tenant,
        agent=turn.agent.id,
        session=turn.session,
        turn=turn.id,
        classifier=one.classifier,
        version=one.version,
        metric=one.metric,
        plan="",
        judge=one.judge,
        status=status[0],
        label=status[1],
        reason=status[2],
        confidence=confidence,
        created_at=at,
    )
    return Judgement(verdict=verdict)


def _funnel_of(store: Store, tenant: str | None) -> Funnel:
    """Counts rows in Python, as the funnel should have."""
    verdicts = list(store.verdicts(Filter(tenant=tenant)))
    turns = [one for one in store.turns(Filter(tenant=tenant))]
    sure = [one for one in verdicts if one.reason != "unsure"]

    def where(status: str, rows: list[Verdict] = sure) -> list[Verdict]:
        return [one for one in rows if one.status == status]

    def tally(codes: Iterable[str | None]) -> dict[str, int]:
        return dict(sorted(Counter(code or "" for code in codes).items()))

    judged = [one for one in verdicts if one.status in ("finding", "no_finding")]
    return Funnel(
        stored=len(turns),
        planned=3 * len(turns),
        open=3 * len(turns) - len(verdicts),
        judged=len(judged),
        finding=len(where("finding")),
        no_finding=len(where("no_finding")),
        unsure=len(verdicts) - len(sure),
        skipped=len(where("skipped")),
        failed=len(where("error")),
        dead=len(list(store.dead_letters(Filter(tenant=tenant)))),
        findings=tally(one.label for one in where("finding")),
        skips=tally(one.reason for one in where("skipped")),
        failures=tally(one.reason for one in where("error")),
    )


@settings(max_examples=60, deadline=None)
@given(_STEPS)
def test_histograms_and_funnel_equal_the_rows_whatever_happens(steps: list[tuple[str, int, Any]]) -> None:
    with TemporaryDirectory() as folder:
        play = _Play(Path(folder) / "a.db")
        for step in steps:
            play.step(*step)
        assert _counted(play.store) == _rows(play.store.verdicts())
        for tenant in (None, "acme", "other"):
            assert play.store.funnel(Filter(tenant=tenant)) == _funnel_of(play.store, tenant)
        play.store.close()


@pytest.fixture
def filled(store: Store, new_turn: NewTurn, question: Question, finish: Finish, pass_s: PassS) -> Store:
    """Findings at 90 and 91 on one day and 90 on the next, a skip each day, of two tenants."""
    for number, (tenant, confidence) in enumerate([("acme", 90), ("other", 91), ("acme", 90)]):
        if number == 2:
            pass_s(86_400)
        store.add_turn(new_turn(number, tenant=tenant), [question(), question("sources", skip="no_passages")])
        finish(store.claim("w", lease_s=60).claims[0], confidence=confidence)
    return store


def test_days_and_tenants_merge_by_addition(filled: Store) -> None:
    findings = filled.histograms(Filter(status="finding"))
    assert [(one.series.tenant, one.day.day, one.histogram.counts) for one in findings] == [
        ("acme", 30, {90: 1}),
        ("acme", 1, {90: 1}),
        ("other", 30, {91: 1}),
    ]
    assert merged(one.histogram for one in findings) == Histogram(counts={90: 2, 91: 1})
    assert [histogram.counts for histogram in by_series(findings).values()] == [{90: 2}, {91: 1}]


@pytest.mark.parametrize(
    ("narrow", "count"),
    [
        (Filter(tenant="acme"), 4),
        (Filter(classifier="sources"), 3),
        (Filter(classifier="sources", version="2"), 0),
        (Filter(agent="support", status="finding"), 3),
        (Filter(since=datetime(2026, 12, 1, tzinfo=UTC)), 2),
        (Filter(until=datetime(2026, 12, 1, tzinfo=UTC)), 4),
    ],
)
def test_histograms_are_narrowed_as_verdicts_are(filled: Store, narrow: Filter, count: int) -> None:
    assert _counted(filled, narrow) == _rows(filled.verdicts(narrow))
    assert sum(one.histogram.total for one in filled.histograms(narrow)) == count


def test_a_funnel_of_a_period_counts_its_turns(filled: Store, new_turn: NewTurn) -> None:
    at = new_turn(1).created_at
    assert filled.funnel(Filter(until=at)).stored == 1
    assert filled.funnel(Filter(since=at)).stored == 2
    assert filled.funnel(Filter(version="2")).planned == 0


@pytest.mark.parametrize("narrow", [Filter(session="s-1"), Filter(turn="t-1")])
def test_histograms_know_no_session(store: Store, narrow: Filter) -> None:
    with pytest.raises(UsageError, match="leave the session and the turn out"):
        store.histograms(narrow)


def test_an_older_database_has_its_verdicts_counted_when_it_is_opened(filled: Store, path: Path) -> None:
    before = filled.histograms()
    filled.close()
    with sqlite3.connect(path) as raw:
        raw.executescript(
            "DROP TABLE modes; DROP TABLE labels; DROP TABLE review_turns; DROP TABLE review_frames;"
            "DROP TABLE review_samples; ALTER TABLE sessions DROP COLUMN signals;"
            "ALTER TABLE sessions DROP COLUMN signals_at; ALTER TABLE sessions DROP COLUMN signals_n;"
            "DROP INDEX turns_with_text; ALTER TABLE turns DROP COLUMN erased_at;"
            "DROP INDEX judgements_replayed; ALTER TABLE judgements DROP COLUMN replayed; DROP TABLE replay_leases;"
            "DROP TABLE histogram_bins; DROP TABLE histogram_series; DELETE FROM afterturn_schema WHERE version >= 4"
        )
    raw.close()
    with open_store(path) as opened:
        assert opened.histograms() == before
    assert before


@pytest.mark.parametrize(
    "narrow",
    [
        Filter(tenant="acme", classifier="safety", since=datetime(2026, 1, 1, tzinfo=UTC)),
        Filter(classifier="safety", since=datetime(2026, 1, 1, tzinfo=UTC), until=datetime(2027, 1, 1, tzinfo=UTC)),
        Filter(tenant="acme", agent="support", classifier="safety", version="1", status="finding"),
        Filter(tenant="acme", classifier="safety", replayed=True, judge="encoder"),
        Filter(),
    ],
)
def test_a_distribution_reads_counts_and_no_verdicts(filled: Store, path: Path, narrow: Filter) -> None:
    compiled = module.query(narrow).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    with sqlite3.connect(path) as raw:
        plan = [str(row[-1]) for row in raw.execute(f"EXPLAIN QUERY PLAN {compiled}")]
    raw.close()
    steps = [line for line in plan if line.startswith(("SEARCH", "SCAN"))]
    assert [line.split()[1] for line in steps] == ["histogram_series", "histogram_bins"]
    assert steps[0].startswith("SEARCH" if narrow.tenant else "SCAN")  # there are few series
    assert steps[1].startswith("SEARCH histogram_bins USING PRIMARY KEY (series_n=?")
    assert all("USING" in line for line in steps)


def test_counts_stay_when_their_turns_are_gone(filled: Store, path: Path) -> None:
    before = filled.histograms()
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA foreign_keys=ON")
        raw.execute("DELETE FROM turns")
    raw.close()
    assert filled.histograms() == before
    assert list(filled.verdicts()) == []


def test_a_day_of_verdicts_ends_at_midnight_utc(
    store: Store, new_turn: NewTurn, question: Question, finish: Finish, time: list[datetime]
) -> None:
    for number, at in enumerate([datetime(2026, 12, 31, 23, 59, 59, 999999, UTC), datetime(2027, 1, 1, tzinfo=UTC)]):
        time[0] = at
        store.add_turn(new_turn(number), [question()])
        finish(store.claim("w", lease_s=60).claims[0])
    assert [one.day for one in store.histograms()] == [date(2026, 12, 31), date(2027, 1, 1)]
