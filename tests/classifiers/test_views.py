from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from afterturn import Message, Passage
from afterturn.calls import CUT
from afterturn.classifiers import project, shorten
from afterturn.replies import filtered


def _seen(turn: Any) -> str:
    return repr(turn)


@pytest.fixture
def full(make_turn: Any) -> Any:
    turn = make_turn(
        *(f"history {number}" for number in range(10)),
        "question [c1]?",
        "answer [c1].",
        categories=("A",),
        instructions="SECRET-SCOPE",
        tools=("search",),
        passages=(Passage(alias="c1", text="PASSAGE-TEXT", title="Doc"),),
    )
    tool = Message(role="tool", text="TOOL-OUTPUT", tool_call_id="1")
    system = Message(role="system", text="SYSTEM-TEXT")
    messages = (system, *turn.messages[:-1], tool, turn.messages[-1])
    return filtered(replace(turn, messages=messages, extra={"note": "EXTRA"}))


@pytest.mark.parametrize("view", ["message", "exchange", "exchange+passages"])
def test_only_the_scope_view_has_the_agents_instructions(full: Any, view: Any) -> None:
    assert "SECRET-SCOPE" not in _seen(project(full, view))
    assert "SYSTEM-TEXT" not in _seen(project(full, view))
    assert project(full, "scope").agent.instructions == "SECRET-SCOPE"


@pytest.mark.parametrize("view", ["message", "exchange", "scope"])
def test_only_the_view_with_passages_has_passages(full: Any, view: Any) -> None:
    assert "PASSAGE-TEXT" not in _seen(project(full, view))
    assert project(full, "exchange+passages").passages == (Passage(alias="c1", text="PASSAGE-TEXT", title="Doc"),)


@pytest.mark.parametrize("view", ["message", "exchange", "exchange+passages", "scope"])
def test_no_view_has_tool_outputs_or_unknown_keys(full: Any, view: Any) -> None:
    assert "TOOL-OUTPUT" not in _seen(project(full, view))
    assert "EXTRA" not in _seen(project(full, view))


def test_the_exchange_view_has_the_latest_exchange_and_six_messages_before_it(full: Any) -> None:
    seen = project(full, "exchange")
    assert [message.text for message in seen.history] == [f"history {number}" for number in range(4, 10)]
    assert [message.text for message in seen.exchange] == ["question [c1]?", "answer."]


def test_of_an_agent_that_spoke_often_a_view_has_the_question_and_the_last_six_messages(make_turn: Any) -> None:
    turn = make_turn("question", "answer")
    between = tuple(Message(role="assistant", text=f"step {number}") for number in range(500))
    seen = project(filtered(replace(turn, messages=(turn.messages[0], *between, turn.messages[1]))), "exchange")
    steps = [f"step {number}" for number in range(495, 500)]
    assert [message.text for message in seen.messages] == ["question", *steps, "answer"]


def test_the_message_view_has_the_customers_message_alone(full: Any) -> None:
    assert [message.text for message in project(full, "message").messages] == ["question [c1]?"]
    assert project(full, "message").reply is None


def test_of_a_very_long_message_the_message_view_has_both_ends(make_turn: Any) -> None:
    seen = project(make_turn("begins " + "x" * 50_000 + " ends", "a"), "message").messages[0].text
    assert 23_990 < len(seen) <= 24_000
    assert (seen.startswith("begins "), seen.endswith(" ends"), seen.count(CUT)) == (True, True, 1)


def test_the_scope_view_has_the_reply_alone(full: Any) -> None:
    assert [message.text for message in project(full, "scope").messages] == ["answer."]


def test_a_previous_message_is_cut_to_600_characters_on_a_word_boundary_and_marked(make_turn: Any) -> None:
    seen = project(filtered(make_turn("word " * 300, "ok", "question", "answer")), "exchange")
    first = seen.history[0].text
    assert len(first) <= 600
    assert first.endswith("word" + CUT)


def test_markers_are_gone_from_earlier_replies_in_a_view(make_turn: Any) -> None:
    turn = make_turn("q", "old [c1].", "q2", "new.", passages=(Passage(alias="c1", text="t"),))
    assert [m.text for m in project(filtered(turn), "exchange").messages] == ["q", "old.", "q2", "new."]


def test_text_without_blanks_is_cut_at_the_limit_all_the_same() -> None:
    assert shorten("x" * 1000, 600) == "x" * (600 - len(CUT)) + CUT


def test_a_short_text_is_not_cut() -> None:
    assert shorten("x" * 600, 600) == "x" * 600


def test_more_passages_get_shorter_excerpts(make_turn: Any) -> None:
    many = tuple(Passage(alias=f"c{number}", text="word " * 200) for number in range(1, 101))
    seen = project(filtered(make_turn("q", "a", passages=many)), "exchange+passages")
    assert seen.passages is not None
    assert len(seen.passages) == 100
    assert max(len(passage.text) for passage in seen.passages) <= 120
