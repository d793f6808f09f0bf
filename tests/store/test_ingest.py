from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from afterturn.calls import Planned
from afterturn.errors import StoreError, TurnFormatError, UsageError
from afterturn.outcomes import Judgement
from afterturn.session import apply, turn_events
from afterturn.store import Filter, Funnel, Store, TimelineEvent, skipped
from afterturn.turns import Agent, Mark, Message, Passage, Reply, Tool, ToolCall, Turn

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]
Answer = Callable[..., Judgement]
Now = Callable[[], datetime]


def test_a_stored_turn_comes_back_equal(store: Store, question: Question, answer: Answer, now: Now) -> None:
    call = ToolCall(name="search", raw_arguments='{"q": 1', id="c", extra={"index": 0})
    turn = Turn(
        messages=(
            Message(role="system", text="You help."),
            Message(role="user", text="naïve \U0001f600 \x00 question", name="Ann"),
            Message(role="assistant", tool_calls=(call,)),
            Message(role="tool", text="found", tool_call_id="c"),
            Message(role="assistant", text="answer [c1]", extra={"mood": "calm"}),
        ),
        agent=Agent("support", model="openai:m", categories=("Billing",), tools=(Tool(name="search"),), parent="main"),
        tenant="acme",
        session="s-1",
        id="t-1",
        created_at=now(),
        passages=(Passage(alias="c1", text="text"),),
        known_aliases=("c0",),
        reply=Reply(text="answer", raw="answer [c1]", cited=("c1",), marks=(Mark("c1", 6, 6),)),
        extra={"channel": "web"},
    )
    assert store.add_turn(turn, [question()])
    stored = store.turn("acme", "t-1")
    assert stored is not None
    assert stored.reply == turn.reply
    assert (stored.known_aliases, stored.passages, stored.created_at) == (("c0",), turn.passages, turn.created_at)
    assert stored.messages[1].text == "naïve \U0001f600 \x00 question"
    assert (stored.extra, stored.agent) == (turn.extra, turn.agent)


def test_half_a_surrogate_pair_in_a_text_is_stored(store: Store) -> None:
    turn = Turn(messages=(Message(role="user", text="half \ud83d pair"),), session="s", id="t")
    assert store.add_turn(turn)
    assert store.turn("default", "t") is not None


def test_half_a_surrogate_pair_in_an_id_is_refused(store: Store) -> None:
    turn = Turn(messages=(Message(role="user", text="hello"),), session="s", id="t-\ud83d")
    with pytest.raises(StoreError, match="lone surrogate"):
        store.add_turn(turn)
    assert store.funnel().stored == 0


_HELLO = Message(role="user", text="Hello")
_NAMELESS = Message(role="assistant", tool_calls=(ToolCall(name="", raw_arguments="{}", arguments={}),))
_DOUBLE = (Passage(alias="c1", text="one"), Passage(alias="C1", text="two"))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param({"id": "t-\x00"}, id="id with NUL"),
        pytest.param({"messages": ()}, id="no messages"),
        pytest.param({"messages": (replace(_HELLO, role="pilot"),)}, id="role that nobody knows"),
        pytest.param({"messages": (_NAMELESS,)}, id="call without a name"),
        pytest.param({"agent": Agent("support", categories=("Billing", " "))}, id="category without a name"),
        pytest.param({"agent": Agent("support", tools=(Tool(name=""),))}, id="tool without a name"),
        pytest.param({"agent": Agent("support", parent="a\nb")}, id="parent with a line break"),
        pytest.param({"passages": _DOUBLE}, id="two passages with one alias"),
    ],
)
def test_a_turn_that_could_not_be_read_back_is_refused_at_the_door(
    store: Store, new_turn: NewTurn, broken: dict[str, object]
) -> None:
    with pytest.raises(TurnFormatError, match="the turn to store"):
        store.add_turn(new_turn(1, **broken))
    assert store.funnel().stored == 0


def test_the_same_turn_again_changes_nothing(store: Store, new_turn: NewTurn, question: Question, now: Now) -> None:
    first = new_turn(1)
    assert store.add_turn(first, [question()], events=turn_events(first, now()))
    before = store.timeline("acme", "s-1")
    other = new_turn(1, session="s-2")
    assert not store.add_turn(other, [question(), question("safety")], events=turn_events(other, now()))
    assert store.timeline("acme", "s-1") == before
    assert store.session("acme", "s-2") is None
    assert store.funnel() == Funnel(stored=1, planned=1, open=1, judged=0, skipped=0, failed=0, dead=0)


def test_two_tenants_may_use_the_same_turn_id(store: Store, new_turn: NewTurn) -> None:
    assert store.add_turn(new_turn(1, tenant="acme"))
    assert store.add_turn(new_turn(1, tenant="other"))
    assert [turn.tenant for turn in store.turns()] == ["acme", "other"]


def test_a_skipped_question_has_its_verdict_at_once(
    store: Store, new_turn: NewTurn, question: Question, now: Now
) -> None:
    turn, skip = new_turn(1), question("sources", skip="no_passages")
    store.add_turn(turn, [question(), skip])
    assert list(store.verdicts()) == [skipped(turn, skip, now())]
    (claimed,) = store.claim("w", lease_s=60).claims
    assert [one.classifier for one in claimed.planned] == ["conversation"]


def test_a_turn_without_ids_is_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="ids"):
        store.add_turn(Turn(messages=(Message(role="user", text="hello"),), session="s"))


def test_the_same_question_twice_is_refused(store: Store, new_turn: NewTurn, question: Question) -> None:
    with pytest.raises(UsageError, match="double"):
        store.add_turn(new_turn(1), [question(), question()])


def test_what_breaks_in_the_middle_leaves_nothing(
    store: Store, new_turn: NewTurn, question: Question, now: Now
) -> None:
    bad = TimelineEvent(name="turn.received", at=now(), turn="half \ud83d")
    with pytest.raises(StoreError):
        store.add_turn(new_turn(1), [question()], events=[bad])
    assert store.funnel() == Funnel(stored=0, planned=0, open=0, judged=0, skipped=0, failed=0, dead=0)
    assert store.session("acme", "s-1") is None


def test_a_batch_is_stored_as_a_whole_or_not_at_all(
    store: Store, new_turn: NewTurn, question: Question, now: Now
) -> None:
    batch = [(new_turn(n), [question()], ()) for n in (1, 2, 1)]
    assert store.add_turns(batch) == (True, True, False)
    bad = TimelineEvent(name="turn.received", at=now(), turn="half \ud83d")
    with pytest.raises(StoreError):
        store.add_turns([(new_turn(3), [], ()), (new_turn(4), [], [bad])])
    assert [turn.id for turn in store.turns()] == ["t-1", "t-2"]


def test_citations_reach_the_session_at_ingest(store: Store, new_turn: NewTurn, answer: Answer) -> None:
    turn = Turn(
        messages=new_turn(1).messages,
        tenant="acme",
        session="s-1",
        id="t-1",
        reply=Reply(text="answer", raw="answer [c1]", cited=("c1",)),
    )
    store.add_turn(turn, [], fold=apply)
    state = store.session("acme", "s-1")
    assert state is not None
    assert state.sources == (("c1", "cited"),)


def test_ten_thousand_messages_are_one_turn(store: Store) -> None:
    messages = tuple(Message(role="user", text=f"message {number}") for number in range(10_000))
    store.add_turn(Turn(messages=messages, session="s", id="t"))
    (stored,) = store.turns(Filter(tenant="default"))
    assert stored.messages == messages
