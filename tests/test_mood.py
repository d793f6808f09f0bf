"""What the messages show, what is advised, and how long the advice stands."""

from __future__ import annotations

from typing import Any

import pytest

from afterturn.mood import NO_MOOD, Mood, Signals, advise, signals

LOOP = Signals(reask=True)
REPEATS = Signals(agent_repeats=True)
QUIET = Signals()
WANTS = Signals(wants_human=True)


def _advised(
    seen: Signals, *, target: str | None, sentiment: float | None = None, before: Mood = NO_MOOD, **more: Any
) -> tuple[str | None, str | None]:
    after = advise(before, seen, target=target, sentiment=sentiment, **more)
    return after.advice, after.reason


@pytest.mark.parametrize("target", ["ai", "situation", "none", "unsure", None])
def test_a_request_for_a_person_is_always_granted(target: str | None) -> None:
    assert _advised(WANTS, target=target) == ("hand_off", "wants_human")


def test_a_request_that_only_the_classifier_read_is_granted() -> None:
    assert _advised(QUIET, target="none", human=True) == ("hand_off", "wants_human")


@pytest.mark.parametrize(("seen", "sentiment"), [(LOOP, None), (REPEATS, 0.5), (QUIET, -0.41)])
def test_who_is_unhappy_with_the_agent_and_has_a_trigger_is_handed_off(seen: Signals, sentiment: float | None) -> None:
    assert _advised(seen, target="ai", sentiment=sentiment) == ("hand_off", "ai_frustration")


def test_who_is_unhappy_with_the_agent_without_a_trigger_is_helped() -> None:
    assert _advised(QUIET, target="ai", sentiment=-0.2) == ("keep_helping", "ai_frustration")


@pytest.mark.parametrize("seen", [LOOP, QUIET])
def test_who_is_unhappy_with_the_situation_is_helped_whatever_the_trigger(seen: Signals) -> None:
    assert _advised(seen, target="situation", sentiment=-0.9) == ("keep_helping", "situation")


def test_unsure_means_the_situation_where_there_is_a_trigger_and_nothing_where_there_is_none() -> None:
    assert _advised(LOOP, target="unsure") == ("keep_helping", "situation")
    assert _advised(QUIET, target="unsure") == (None, None)


@pytest.mark.parametrize(
    ("seen", "sentiment", "reason"), [(LOOP, None, "loop"), (REPEATS, None, "loop"), (QUIET, -0.5, "sentiment_below")]
)
def test_a_trigger_alone_hands_off_without_an_attribution_and_keeps_helping_where_nobody_is_blamed(
    seen: Signals, sentiment: float | None, reason: str
) -> None:
    assert _advised(seen, target=None, sentiment=sentiment) == ("hand_off", reason)
    assert _advised(seen, target="none", sentiment=sentiment) == ("keep_helping", reason)


def test_a_sentiment_of_exactly_the_trigger_is_none_and_the_trigger_can_be_set() -> None:
    assert _advised(QUIET, target=None, sentiment=-0.4) == (None, None)
    assert _advised(QUIET, target=None, sentiment=-0.4, sentiment_below=-0.3) == ("hand_off", "sentiment_below")


def test_a_fall_of_eight_tenths_below_zero_is_a_crater() -> None:
    happy = advise(NO_MOOD, QUIET, target="none", sentiment=0.7)
    assert _advised(QUIET, target=None, sentiment=-0.1, before=happy) == ("hand_off", "sentiment_crater")
    assert _advised(QUIET, target=None, sentiment=-0.05, before=happy) == (None, None)
    best = advise(NO_MOOD, QUIET, target="none", sentiment=1.0)
    assert _advised(QUIET, target=None, sentiment=0.1, before=best) == (None, None)  # less happy is not unhappy


def test_nothing_wrong_is_no_advice() -> None:
    assert _advised(QUIET, target="none", sentiment=0.0) == (None, None)
    assert _advised(QUIET, target=None) == (None, None)


def test_the_sentiment_of_the_latest_turn_that_had_one_and_the_best_are_kept() -> None:
    first = advise(NO_MOOD, QUIET, target="none", sentiment=0.6)
    second = advise(first, QUIET, target="none", sentiment=0.2)
    assert advise(second, QUIET, target=None, sentiment=None) == Mood(sentiment=0.2, best=0.6, calm=3)


def test_advice_to_hand_off_stands_until_two_calm_turns_in_a_row() -> None:
    handed = advise(NO_MOOD, WANTS, target="none", sentiment=0.0)
    calm = advise(handed, QUIET, target="none", sentiment=0.1)
    assert (calm.advice, calm.reason) == ("hand_off", "wants_human")
    again = advise(calm, QUIET, target="situation", sentiment=-0.6)
    assert (again.advice, again.reason, again.calm) == ("hand_off", "wants_human", 0)
    one = advise(again, QUIET, target="none", sentiment=0.1)
    two = advise(one, QUIET, target="none", sentiment=0.1)
    assert (one.advice, two.advice, two.reason) == ("hand_off", None, None)


def test_advice_to_keep_helping_ends_with_the_first_calm_turn_and_yields_to_a_handoff() -> None:
    helped = advise(NO_MOOD, QUIET, target="situation", sentiment=-0.2)
    assert _advised(QUIET, target="none", before=helped) == (None, None)
    assert _advised(LOOP, target="ai", before=helped) == ("hand_off", "ai_frustration")


def test_asking_again_is_seen_by_the_words_and_not_by_their_form(make_turn: Any) -> None:
    turn = make_turn("Where is my parcel 4711?", "On its way.", "Where's my parcel 4711 now?", "On its way, I said.")
    assert signals(turn) == Signals(reask=True)


@pytest.mark.parametrize(
    "said",
    [
        ("Where is my parcel?", "On its way.", "And where is my invoice for May?", "In the portal."),
        ("thanks", "You are welcome!", "thanks", "You are welcome!"),
        ("yes please", "Which size?", "M", "Which colour?"),
        ("hello", "Hello! How can I help?", "hello", "Hello! How can I help?"),
        ("Where is it?",),
        (),
    ],
    ids=["another matter", "thanks twice", "short answers", "greeting twice", "one message", "no message"],
)
def test_what_only_looks_alike_is_no_loop(said: tuple[str, ...], make_turn: Any) -> None:
    assert signals(make_turn(*said)) == QUIET


def test_an_agent_that_says_the_same_again_is_seen(make_turn: Any) -> None:
    same = "Please restart the router and wait for two minutes."
    assert signals(make_turn("No internet.", same, "I did that, still nothing.", same)) == REPEATS


def test_a_request_for_a_person_counts_in_the_latest_message_alone(make_turn: Any) -> None:
    assert signals(make_turn("Let me talk to a human.", "Why?", "My parcel is late.", "Sorry.")) == QUIET
    assert signals(make_turn("My parcel is late.", "Sorry.", "Let me talk to a human.", "Why?")) == WANTS


def test_a_question_of_long_ago_is_no_loop(make_turn: Any) -> None:
    between = [
        text for number in range(12) for text in (f"What about order {number} of house {number}?", f"Ok {number}")
    ]
    turn = make_turn(
        "Where is my parcel with the lamp?", "There.", *between, "Where is my parcel with the lamp?", "There"
    )
    assert signals(turn) == QUIET
