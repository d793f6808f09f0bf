"""Tests the encoder's first opinion on a choice of tools."""

from __future__ import annotations

import pytest
from benchmark_modules import benchmark_module

from afterturn.evals import Reply, Row
from afterturn.evals._opinion import Opinion, ToolOpinion, make, probability
from afterturn.evals._rows import read_row
from afterturn.evals._rubric import load_rubric
from afterturn.evals._tool_features import FEATURE_NAMES, is_end, is_read, tool_features
from afterturn.evals._tool_weights import CUT, WEIGHTS
from afterturn.judges.encoder._load import shared_encoder
from afterturn.turns import Agent, Tool, ToolCall

TOOLS = (
    Tool(name="orders.find_order", description="Finds an order of a customer by its number."),
    Tool(name="orders.cancel_order", description="Cancels an order."),
    Tool(name="weather.get_forecast", description="Gets the weather forecast of a city."),
    Tool(name="send_newsletter", description="Sends the newsletter to all customers."),
)


@pytest.fixture
def judge() -> ToolOpinion:
    return ToolOpinion(shared_encoder)


def _row(text: str) -> Row:
    return read_row({"id": "r", "input": text})


def _reply(*called: str) -> Reply:
    return Reply(
        text="",
        tool_calls=tuple(ToolCall(name=name, arguments={"number": "4711"}) for name in called),
        agent=Agent("support", tools=TOOLS),
    )


def test_the_fitting_tool_is_thought_better_than_another_and_than_all(judge: ToolOpinion) -> None:
    row = _row("Where is my order 4711?")

    def chance(*called: str) -> float:
        return judge.opinion(row, _reply(*called)).probability

    fitting = chance("orders.find_order")
    assert fitting > chance("weather.get_forecast")
    assert fitting > chance("send_newsletter")
    assert fitting > chance("orders.find_order", "weather.get_forecast", "send_newsletter")


def test_what_is_deleted_or_cancelled_unasked_is_named(judge: ToolOpinion) -> None:
    found = judge.opinion(_row("Where is my order 4711?"), _reply("orders.find_order", "orders.cancel_order"))
    assert found.ends_unasked
    assert "orders.cancel_order" in found.wrongly_called
    assert not judge.opinion(_row("Please cancel my order 4711."), _reply("orders.cancel_order")).ends_unasked


async def test_a_score_stands_on_the_rubrics_scale_and_says_who_gave_it(judge: ToolOpinion) -> None:
    rubric = load_rubric("tool_selection")
    grader = make(rubric)
    row, reply = _row("Will it rain in Rome?"), _reply("weather.get_forecast")
    score = await grader.grade(row, reply)
    opinion = judge.opinion(row, reply)
    assert (score.rubric, score.judge, score.score, score.cost_usd) == (
        "tool_selection",
        "encoder",
        opinion.score,
        0.0,
    )
    assert set(score.extra) == set(rubric.fields)
    assert f"{opinion.probability:.0%}" in score.reasoning
    assert grader.skips(row, Reply(text="")) == "no_tools"


def test_the_cut_is_the_score_from_which_a_row_passes() -> None:
    chances = [0.0, CUT / 2, CUT - 1e-9, CUT, 1.0]
    assert [Opinion(probability=one).score for one in chances] == [0, 35, 69, 70, 100]


def test_every_feature_has_a_weight_and_no_other_has() -> None:
    assert tuple(WEIGHTS) == FEATURE_NAMES


def test_nothing_is_no_error() -> None:
    features = tool_features("", (), (), {})
    assert 0 < probability(features) < 1
    odd = tool_features("x" * 10_000, TOOLS, [ToolCall(name="", arguments=None)] * 500, {"": -1.0})
    assert 0 <= probability(odd) <= 1


@pytest.mark.parametrize(
    ("name", "description", "reads", "ends"),
    [
        ("calendar.search_events", "", True, False),
        ("calendar.deleteEvent", "", False, True),
        ("GetAccountInformation", "", True, False),
        ("visits_count", "", True, False),
        ("send_email", "", False, False),
        ("get_deleted_items", "", True, False),
        ("ride", "Cancels a booked ride.", False, True),
        ("hours", "Returns the opening hours.", True, False),
        ("", "", False, False),
    ],
)
def test_the_verb_says_what_a_tool_does(name: str, description: str, reads: bool, ends: bool) -> None:
    assert (is_read(name, description), is_end(name, description)) == (reads, ends)


def test_the_opinion_is_better_than_always_appropriate_on_workbench(judge: ToolOpinion) -> None:
    tool_opinion = benchmark_module("tool_opinion", data="tools")
    examples = [one for one in tool_opinion.examples("dev") if one.kind == "model"][::3]
    pairs = [(one.fits, judge.opinion(one.row, one.reply).fits) for one in examples]
    assert len(pairs) == 116
    assert tool_opinion.balanced(pairs) >= 0.65
