"""Tests groundedness by the encoder."""

from __future__ import annotations

import pytest
from benchmark_modules import benchmark_module

from afterturn.evals import Reply, Row
from afterturn.evals._encoder_scores import on_scale
from afterturn.evals._ground_features import GROUND_FEATURES, word_overlap
from afterturn.evals._ground_weights import CUT, WEIGHTS
from afterturn.evals._grounded import NO_PASSAGE, STATES_NOTHING, GroundingGrader, make
from afterturn.evals._rows import read_row
from afterturn.evals._rubric import load_rubric
from afterturn.judges.encoder._load import shared_encoder

PASSAGE = "Employees have 27 days of paid leave a year. Unused days expire at the end of March of the following year."
INVENTED = "The canteen serves a free lobster dinner to all visitors on Sundays."


@pytest.fixture
def grader() -> GroundingGrader:
    return GroundingGrader(shared_encoder)


def _row(*context: str) -> Row:
    return read_row({"id": "r", "input": "How many days of leave do I have?", "context": list(context)})


def test_what_stands_in_a_passage_is_more_grounded_than_what_is_invented(grader: GroundingGrader) -> None:
    grounded = grader.grounding("You have 27 days of paid leave a year.", [PASSAGE])
    invented = grader.grounding(INVENTED, [PASSAGE])
    assert grounded.grounded
    assert grounded.unsupported == ()
    assert not invented.grounded
    assert invented.unsupported == (INVENTED,)


@pytest.mark.parametrize("reply", ["Hello!", "Which year do you mean?", "You're welcome!", ""])
def test_a_reply_that_states_nothing_needs_no_passage(grader: GroundingGrader, reply: str) -> None:
    assert grader.grounding(reply, []).probability == STATES_NOTHING
    assert grader.grounding(reply, [PASSAGE]).probability == STATES_NOTHING


def test_statements_without_any_passage_are_not_grounded(grader: GroundingGrader) -> None:
    found = grader.grounding("You have 27 days of leave.", ["  "])
    assert (found.probability, found.unsupported) == (NO_PASSAGE, ("You have 27 days of leave.",))


async def test_a_score_reads_what_the_customer_sees_and_names_the_sentences_without_support() -> None:
    rubric = load_rubric("groundedness")
    grader = make(rubric)
    good = await grader.grade(
        _row(PASSAGE), Reply(text=f"<think>{INVENTED}</think>You have 27 days of paid leave a year.")
    )
    bad = await grader.grade(_row(PASSAGE), Reply(text=INVENTED))
    assert good.score >= 70 > bad.score
    assert (bad.rubric, bad.judge, bad.cost_usd, bad.extra) == (
        "groundedness",
        "encoder",
        0.0,
        {"unsupported": [INVENTED]},
    )
    assert grader.skips(read_row({"id": "r", "input": "x"}), Reply(text="y")) == "no_context"


def test_every_feature_has_a_weight_and_no_other_has() -> None:
    assert tuple(WEIGHTS) == GROUND_FEATURES
    assert 0 < CUT < 1


def test_the_cut_is_the_score_from_which_a_row_passes() -> None:
    assert [on_scale(chance, 0.4) for chance in (0.0, 0.2, 0.3999999, 0.4, 1.0)] == [0, 35, 69, 70, 100]


def test_on_labelled_replies_it_is_better_than_word_overlap(grader: GroundingGrader) -> None:
    rows = benchmark_module("ground_rows", data="rag").read("dev")[::6]
    right = {"encoder": [0, 0], "overlap": [0, 0]}
    for row in rows:
        label = bool(row["grounded"])
        right["encoder"][label] += grader.grounding(row["reply"], row["passages"]).grounded == label
        right["overlap"][label] += (word_overlap(row["reply"], row["passages"]) >= 0.78) == label
    counts = [sum(bool(row["grounded"]) == label for row in rows) for label in (False, True)]
    balanced = {name: sum(hit / of for hit, of in zip(hits, counts, strict=True)) / 2 for name, hits in right.items()}
    assert balanced["encoder"] >= 0.8
    assert balanced["encoder"] > balanced["overlap"]
