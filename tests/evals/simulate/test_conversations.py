"""A scripted customer says its moves, a conversation ends when it is over, and the agent learns nothing hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from simulation_parts import ANN, GOAL, cast_of, goes_on, how, said, simulated

from afterturn.evals import Row
from afterturn.evals.simulate import read_persona
from afterturn.turns import ToolCall

NOTHING: dict[str, Any] = {}


def parrot(row: Row) -> str:
    return f"You said: {row.text}"


def test_moves_that_answer_the_reply_go_before_those_without_a_condition(tmp_path: Path) -> None:
    moves = [
        "And then?",
        {"when_reply_matches": "order number", "say": "4711"},
        {"say": "Thanks.", "end": "goal_reached"},
    ]
    replies = iter(["What is the ORDER NUMBER?", "I see.", "It comes today.", "You are welcome."])
    (result,) = simulated(cast_of(tmp_path, {"input": "Where is it?", "moves": moves}), lambda _: next(replies))
    assert said(result)[::2] == ["Where is it?", "4711", "And then?", "Thanks."]
    assert (how(result).stop, how(result).turns, how(result).player) == ("goal_reached", 4, "script")


def test_several_messages_of_a_row_are_said_one_after_the_other(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": text} for text in ("One", "Two")]
    (result,) = simulated(cast_of(tmp_path, {"input": asked, "assert": ["contains:Two"]}), parrot)
    assert said(result) == ["One", "You said: One", "Two", "You said: Two"]
    assert (result.state, how(result).stop) == ("pass", "script_over")


def test_assertions_are_over_the_whole_conversation(tmp_path: Path) -> None:
    def agent(row: Row) -> Any:
        if len(row.input) == 1:
            return {"text": "I look it up.", "tool_calls": [{"name": "find_order", "arguments": NOTHING}]}
        return "It is on its way."

    scenario = {
        "input": "Where is it?",
        "moves": ["And now?"],
        "expected_tool_calls": ["find_order"],
        "assert": ["contains:look it up", "contains:on its way", "ended:script_over|goal_reached"],
    }
    (result,) = simulated(cast_of(tmp_path, scenario), agent)
    assert [(one.name, one.passed) for one in result.assertions] == [
        ("contains", True),
        ("contains", True),
        ("ended", True),
        ("expected_tool_calls", True),
    ]
    assert result.reply is not None
    assert [call.name for call in result.reply.tool_calls] == ["find_order"]


def _handing_over(row: Row) -> Any:
    return {"text": "I pass you on.", "tool_calls": [{"name": "transfer_to_billing", "arguments": NOTHING}]}


def _no(row: Row) -> str:
    return "No."


def _numbered(row: Row) -> str:
    return f"Reply {len(row.input)}"


def _polite(row: Row) -> str:
    return "Goodbye, have a nice day." if "bye" in row.text.lower() else f"About {len(row.input)}: it is on its way."


@pytest.mark.parametrize(
    ("moves", "agent", "stop", "turns"),
    [
        ([{"end": "gave_up"}], parrot, "gave_up", 1),
        (["More."], _handing_over, "handoff", 1),
        (["A", "B", "C", "D"], _no, "loop", 3),
        ([{"say": "No.", "again": True}], _numbered, "loop", 4),
        (["Thanks, bye!", "More."], _polite, "goodbye", 2),
        ([{"say": "1"}, {"say": "2"}, {"say": "3"}, {"say": "4"}, {"say": "5"}], parrot, "max_turns", 5),
        ((), parrot, "script_over", 1),
    ],
)  # fmt: skip
def test_a_conversation_ends_when_it_is_over(tmp_path: Path, moves: Any, agent: Any, stop: str, turns: int) -> None:
    scenario = {"input": "Hello, a question.", "moves": list(moves), "patience": 50}
    (result,) = simulated(cast_of(tmp_path, scenario), agent, max_turns=5)
    assert (how(result).stop, how(result).turns) == (stop, turns)


def test_patience_ends_a_conversation_unless_the_last_reply_reached_the_goal(tmp_path: Path) -> None:
    waiting = [goes_on(f"Question {number}?") for number in range(9)]
    cast = cast_of(tmp_path, {"id": "s"}, personas=[ANN], simulated=True)
    (result,) = simulated(cast, parrot, simulator=waiting)
    assert (how(result).stop, how(result).turns) == ("patience_over", 4)
    reached = [*waiting[:4], {"status": "goal_reached", "message": "Thanks!"}]
    (result,) = simulated(cast, parrot, simulator=reached)
    assert (how(result).stop, how(result).turns) == ("goal_reached", 4)
    assert "Thanks!" not in said(result)


def test_the_closing_message_of_a_customer_is_answered(tmp_path: Path) -> None:
    cast = cast_of(tmp_path, {"id": "s"}, personas=[ANN], simulated=True)
    script = [goes_on("I want it back."), {"status": "goal_reached", "message": "Thanks."}]
    (result,) = simulated(cast, parrot, simulator=script)
    assert said(result) == ["I want it back.", "You said: I want it back.", "Thanks.", "You said: Thanks."]


def test_the_agent_sees_neither_persona_nor_goal_nor_what_is_asserted(tmp_path: Path) -> None:
    asked: list[Row] = []

    def agent(row: Row) -> str:
        asked.append(row)
        return f"Reply {len(row.input)}"

    scenario = {
        "id": "s",
        "criteria": "Polite",
        "expected": "x",
        "situation": "It is late.",
        "assert": ["contains:Reply"],
    }
    cast = cast_of(tmp_path, scenario, personas=[ANN], simulated=True)
    simulated(cast, agent, simulator=[goes_on("Hello?"), {"status": "gave_up", "message": ""}])
    (row,) = asked
    assert (row.text, row.metadata, row.assertions, row.expected, row.criteria) == ("Hello?", {}, (), None, ())
    assert GOAL not in str(row)
    assert "It is late." not in str(row)


def test_tools_of_a_scenario_and_their_stubs_reach_the_agent(tmp_path: Path) -> None:
    asked: list[Row] = []
    scenario = {"input": "Hi", "tools": [{"name": "find_order"}], "tool_results": {"find_order": {"day": "Monday"}}}
    simulated(cast_of(tmp_path, scenario), lambda row: asked.append(row) or "Yes.")
    assert [tool.name for tool in asked[0].tools] == ["find_order"]
    assert asked[0].tool_results == {"find_order": {"day": "Monday"}}


def test_the_customer_sees_the_reply_without_leaked_calls(tmp_path: Path) -> None:
    seen: list[Any] = []

    def simulator(call: Any) -> Any:
        seen.append(call.evidence)
        return goes_on(f"Question {len(seen)}") if len(seen) == 1 else {"status": "gave_up", "message": ""}

    cast = cast_of(tmp_path, {"id": "s", "tools": [{"name": "find_order"}]}, personas=[ANN], simulated=True)
    simulated(
        cast, lambda _: 'Wait. <tool_call>{"name": "find_order", "arguments": {}}</tool_call>', simulator=simulator
    )
    (exchange,) = seen[1]["conversation"]
    assert exchange["person"] == "Question 1"
    assert "find_order" not in exchange["agent"]


def test_what_a_turn_costs_is_added_up_and_unknown_where_one_is_unknown(tmp_path: Path) -> None:
    cast = cast_of(tmp_path, {"input": "1", "moves": ["2"]})
    priced: dict[str, Any] = {"free": False}
    (result,) = simulated(cast, lambda _: {"text": "Yes.", "cost_usd": 0.25}, target=priced)
    assert result.agent_cost_usd == 0.5
    costs = iter([0.25, None])
    (result,) = simulated(cast, lambda _: {"text": "Yes.", "cost_usd": next(costs)}, target=priced)
    assert result.agent_cost_usd is None


def test_scripts_of_the_library_reach_their_goal_with_an_agent_that_helps(tmp_path: Path) -> None:
    replies = iter(["What is your order number?", "It comes on Monday.", "Noted."])
    (result,) = simulated(cast_of(tmp_path, {"id": "late", "persona": "hurried_en"}), lambda _: next(replies))
    assert (result.row.id, how(result).stop, how(result).persona) == ("late~hurried_en", "goal_reached", "hurried_en")


def test_a_call_without_text_is_a_reply(tmp_path: Path) -> None:
    call = ToolCall(name="find_order")
    persona = read_persona({"id": "p", "opening": "Hi", "moves": [{"end": "gave_up"}]})
    cast = cast_of(tmp_path, {"id": "s"}, personas=[persona])
    (result,) = simulated(cast, lambda _: {"tool_calls": [{"name": call.name, "arguments": NOTHING}]})
    assert (how(result).stop, how(result).turns) == ("gave_up", 1)
