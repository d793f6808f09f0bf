"""What is removed of a session, what stays, and how it is proved."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterturn.calls import Planned
from afterturn.outcomes import Judgement, Outcome
from afterturn.session import apply
from afterturn.store import Finished, Forgotten, Place, Store, TimelineEvent
from afterturn.turns import Agent, Message, Passage, Reply, ToolCall, Turn

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]
Finish = Callable[..., Finished]

_CANARY = "zebraquartz"


def _marked(what: str) -> str:
    return f"{_CANARY} {what} " * 3


def _turn(new_turn: NewTurn, number: int = 1, **fields: object) -> Turn:
    call = ToolCall(name="search", raw_arguments=_marked("arguments"))
    said = (
        Message(role="user", text=_marked(f"question {number}"), extra={"k": _marked("key")}),
        Message(role="assistant", text=_marked("answer") * 400, reasoning=_marked("thoughts"), tool_calls=(call,)),
    )
    return new_turn(
        number,
        messages=said,
        agent=Agent("support", instructions="You help the customers of Acme.", parent="desk"),
        passages=(Passage(alias="c1", text=_marked("passage")),),
        reply=Reply(text=_marked("answer"), raw=_marked("raw"), leaks=("search",)),
        extra={"note": _marked("note")},
        **fields,
    )


@pytest.fixture
def filled(store: Store, new_turn: NewTurn, question: Question, finish: Finish) -> Store:
    """A session of two turns, one judged and one open."""
    told = TimelineEvent(name="guard.checked", at=datetime(2026, 11, 30, tzinfo=UTC), data={"x": _marked("event")})
    store.add_turn(_turn(new_turn), [question(), question("conclusion")], events=[told])
    outcome = Outcome(
        title=_marked("title"),
        categories=(_marked("category"),),
        task_concluded=True,
        handoff_summary=_marked("summary"),
        rationale=_marked("rationale"),
    )
    finish(store.claim("w", lease_s=60).claims[0], outcome)
    store.add_turn(_turn(new_turn, 2), [question(), question("sources", skip="no_passages")])
    return store


def _tables(path: Path) -> Iterator[str]:
    """Gives each table as text."""
    with sqlite3.connect(path) as raw:
        for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            yield repr(raw.execute(f"SELECT * FROM {name}").fetchall())
    raw.close()


def _forget(store: Store, session: str = "s-1") -> Forgotten:
    forgotten = store.forget("acme", session)
    assert forgotten is not None
    return forgotten


def test_no_word_of_a_forgotten_session_is_left_in_rows_or_files(filled: Store, path: Path) -> None:
    assert any(_CANARY in table for table in _tables(path))
    forgotten = _forget(filled)
    proof = filled.prove(forgotten, tenant="acme", session="s-1")
    assert not any(_CANARY in table for table in _tables(path))
    assert _CANARY.encode() not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert (forgotten.turns, proof.gone, proof.own, proof.elsewhere, proof.residue) == (2, True, (), (), 0)
    assert proof.texts >= 10  # questions, answer, thoughts, arguments, title, summary, …
    assert (proof.files[0], proof.columns > 40, proof.rows > 5) == ("afterturn.db", True, True)
    assert _CANARY not in repr(forgotten)


def test_ids_verdicts_and_the_names_of_events_stay(filled: Store) -> None:
    before = {(one.turn, one.classifier): one for one in filled.verdicts()}
    _forget(filled)
    after = {(one.turn, one.classifier): one for one in filled.verdicts()}
    assert {key: after[key] for key in before} == before
    state = filled.session("acme", "s-1")
    assert state is not None
    assert (state.title, state.categories, state.handoff_summary, state.concluded) == (None, (), None, "classifier")
    happened = filled.timeline("acme", "s-1")
    assert "session.title" in [event.name for event in happened]
    assert [dict(event.data) for event in happened if event.data] == [{"turns": 2, "reason": "forgotten"}]
    assert happened[-1].name == "text.removed" or "text.removed" in [event.name for event in happened]


def test_the_open_questions_are_skipped_and_given_back_to_publish(filled: Store) -> None:
    forgotten = _forget(filled)
    assert [(one.turn, one.classifier, one.status, one.reason) for one in forgotten.verdicts] == [
        ("t-2", "conversation", "skipped", "forgotten")
    ]
    assert forgotten.verdicts[0] in list(filled.verdicts())
    assert (filled.open_questions(), filled.claim("w", lease_s=60).claims) == (0, ())
    counted = sum(one.histogram.total for one in filled.histograms())
    assert counted == len(list(filled.verdicts())) == 4


def test_a_worker_that_was_at_it_brings_no_text_back(
    store: Store, path: Path, new_turn: NewTurn, question: Question, answer: Callable[..., Judgement]
) -> None:
    store.add_turn(_turn(new_turn), [question()])
    claimed = store.claim("w", lease_s=60).claims[0]
    _forget(store)
    late = answer(claimed, outcome=Outcome(title=_marked("title")))
    assert store.finish(claimed, [late], apply) == Finished()
    assert not any(_CANARY in table for table in _tables(path))


def test_a_forgotten_turn_is_no_turn_any_more_and_cannot_be_sent_again(
    filled: Store, new_turn: NewTurn, question: Question
) -> None:
    _forget(filled)
    assert (filled.turn("acme", "t-1"), filled.last_turn("acme", "s-1"), list(filled.turns())) == (None, None, [])
    assert not filled.add_turn(_turn(new_turn), [question()])
    assert filled.funnel().stored == 2


def test_the_same_words_in_another_session_are_told(filled: Store, new_turn: NewTurn) -> None:
    filled.add_turn(_turn(new_turn, 3, session="s-2"))
    proof = filled.prove(_forget(filled), tenant="acme", session="s-1")
    assert (proof.gone, proof.elsewhere) == (
        True,
        (Place(table="turns", column="body", tenant="acme", session="s-2"),),
    )
    assert filled.turn("acme", "t-3") is not None


def test_what_another_program_left_in_free_space_is_rewritten(filled: Store, path: Path) -> None:
    with sqlite3.connect(path) as raw:  # one that does not overwrite what it deletes
        raw.execute("PRAGMA secure_delete=OFF")
        raw.execute("INSERT INTO outcomes SELECT n, ? FROM judgements WHERE classifier = 'sources'", (_marked("old"),))
        raw.commit()
        raw.execute("DELETE FROM outcomes WHERE body LIKE '%old%'")
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    old = _marked("old")
    assert old.encode() in path.read_bytes()
    forgotten = _forget(filled)
    more = Forgotten(texts=forgotten.texts | {old})
    assert filled.prove(more, tenant="acme", session="s-1").gone
    assert _CANARY.encode() not in path.read_bytes()


def test_texts_that_are_in_a_row_of_the_session_are_no_proof(filled: Store) -> None:
    proof = filled.prove(Forgotten(texts=frozenset({_marked("question 1"), "ab"})), tenant="acme", session="s-1")
    assert (proof.gone, proof.texts, proof.short) == (False, 1, 1)
    assert {place.table for place in proof.own} == {"turns"}


def test_a_session_that_is_not_there_is_told_and_a_second_time_changes_nothing(filled: Store) -> None:
    assert filled.forget("acme", "gone") is None
    assert filled.forget("other", "s-1") is None
    assert (_forget(filled).turns, _forget(filled).turns) == (2, 0)


def test_text_expires_by_the_days_of_its_tenant(
    store: Store, new_turn: NewTurn, question: Question, pass_s: Callable[[float], None]
) -> None:
    for tenant in ("acme", "long", "never"):
        store.add_turn(_turn(new_turn, 1, tenant=tenant), [question()])
    pass_s(30 * 86400 - 1)
    days = {"acme": 30, "long": 31, "never": None}
    assert store.forget_expired(days.__getitem__).turns == 0
    pass_s(1)
    forgotten = store.forget_expired(days.__getitem__)
    assert [(one.tenant, one.reason) for one in forgotten.verdicts] == [("acme", "expired")]
    assert [turn.tenant for turn in store.turns()] == ["long", "never"]
    pass_s(86400 * 1000)
    assert store.forget_expired(days.__getitem__).turns == 1
    assert [turn.tenant for turn in store.turns()] == ["never"]


def test_a_sessions_own_words_go_with_its_last_text(
    filled: Store, path: Path, new_turn: NewTurn, pass_s: Callable[[float], None]
) -> None:
    pass_s(86400)
    filled.add_turn(new_turn(3), [])
    pass_s(1)
    assert filled.forget_expired(lambda _: 1).turns == 2
    state = filled.session("acme", "s-1")
    assert state is not None
    assert state.title == _marked("title").strip() or state.title is not None
    pass_s(86400)
    assert filled.forget_expired(lambda _: 1).turns == 1
    state = filled.session("acme", "s-1")
    assert state is not None
    assert (state.title, state.handoff_summary) == (None, None)
    assert not any(_CANARY in table for table in _tables(path))


def test_expiry_comes_in_portions(store: Store, new_turn: NewTurn, pass_s: Callable[[float], None]) -> None:
    store.add_turns([(new_turn(number), [], ()) for number in range(5)])
    pass_s(86400)
    assert [store.forget_expired(lambda _: 1, limit=2).turns for _ in range(4)] == [2, 2, 1, 0]


def test_expired_text_is_found_by_the_index(store: Store, path: Path) -> None:
    with sqlite3.connect(path) as raw:
        plans = [
            raw.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()[0][3]
            for query in (
                "SELECT min(tenant) FROM turns WHERE erased_at IS NULL AND tenant > 'a'",
                "SELECT n FROM turns WHERE tenant = 'a' AND erased_at IS NULL AND received_at <= 1 "
                "ORDER BY received_at LIMIT 5",
            )
        ]
    raw.close()
    assert [plan.split(" (")[0].split(" INDEX ")[1] for plan in plans] == ["turns_with_text"] * 2
