"""Claims about the keys of a turn."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from afterturn.errors import TurnFormatError
from afterturn.formats import turn_from_json, turn_to_json
from afterturn.turns import Mark, Passage, Reply, Tool, Turn

HI: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]

FULL: dict[str, Any] = {
    "tenant": "acme",
    "agent": "support",
    "session": "s-17",
    "turn": "t-3",
    "created_at": "2026-11-30T10:00:00Z",
    "instructions": "You are the support assistant of Acme.",
    "model": "openai:gpt",
    "categories": ["Billing", {"name": "Shipping", "description": "Parcels."}],
    "parent_agent": "front",
    "conclusion_tool": "conclude",
    "messages": [*HI, {"role": "user", "content": "And?"}, {"role": "assistant", "content": "Two days [c1]."}],
    "passages": [{"alias": "c1", "text": "Two days.", "title": "Shipping", "uri": "doc:1"}],
    "tools": [{"name": "search", "description": "Searches.", "parameters": {"type": "object"}}],
    "known_aliases": ["c0"],
}


def test_a_full_turn_is_written_as_it_came_and_in_its_order() -> None:
    assert json.dumps(turn_to_json(turn_from_json(FULL))) == json.dumps(FULL)


def test_a_full_turn_reads_into_its_fields() -> None:
    turn = turn_from_json(FULL)
    assert (turn.tenant, turn.session, turn.id) == ("acme", "s-17", "t-3")
    assert turn.created_at == datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert turn.agent.categories == ("Billing", "Shipping")
    assert turn.agent.category_descriptions == {"Shipping": "Parcels."}
    assert (turn.agent.parent, turn.agent.conclusion_tool) == ("front", "conclude")
    assert turn.passages == (Passage(alias="c1", text="Two days.", title="Shipping", uri="doc:1"),)
    assert turn.aliases == ("c0", "c1")
    assert turn.extra == {}


def test_keys_of_the_agent_may_stand_inside_it_and_those_beside_it_win() -> None:
    agent = {"id": "a", "model": "m", "instructions": "in", "categories": ["A"], "parent": "p", "conclusion_tool": "c"}
    turn = turn_from_json({"agent": {**agent, "tools": ["t"]}, "model": "beside", "messages": HI})
    read = turn.agent
    assert (read.id, read.model, read.instructions, read.parent) == ("a", "beside", "in", "p")
    assert (read.categories, read.tools, read.conclusion_tool) == (("A",), (Tool(name="t"),), "c")


def test_unknown_keys_of_every_level_are_written_back() -> None:
    x = {"x": [1, None, {"y": "é"}]}
    call = {"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}", **x}, "at": 1}
    record = {
        "tenant": "default",
        "agent": {"id": "a", **x},
        "session": "s",
        "turn": "t",
        "categories": [{"name": "A", **x}],
        "messages": [{"role": "assistant", "content": None, "tool_calls": [call], **x}],
        "passages": [{"alias": "c1", "text": "p", **x}],
        "tools": [{"name": "t", **x}, {"type": "function", "function": {"name": "u", "strict": True}, **x}],
        **x,
    }
    assert turn_to_json(turn_from_json(record)) == record


def test_a_missing_tenant_and_agent_are_default_and_missing_passages_are_none() -> None:
    turn = turn_from_json({"messages": HI})
    assert (turn.tenant, turn.agent.id, turn.passages, turn.aliases) == ("default", "default", None, None)
    assert turn_from_json({"messages": HI, "passages": []}).passages == ()


def test_null_is_as_good_as_absent() -> None:
    record = {**dict.fromkeys(FULL), "messages": HI}
    assert turn_from_json(record) == turn_from_json({"messages": HI})


def test_made_ids_do_not_depend_on_the_order_of_keys_nor_on_unknown_ones() -> None:
    first = turn_from_json({"messages": [{"role": "user", "content": "Hi"}], "passages": [{"text": "p"}]})
    second = turn_from_json({"passages": [{"text": "p"}], "label": 1, "messages": [{"content": "Hi", "role": "user"}]})
    assert (first.session, first.id) == (second.session, second.id)


def test_made_ids_are_the_same_in_another_process() -> None:
    record = {"messages": [{"role": "user", "content": "Hé"}]}
    code = f"from afterturn.formats import turn_from_json; print(turn_from_json({record}).id)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == turn_from_json(record).id


@pytest.mark.parametrize(
    "change",
    [
        {"tenant": "other"},
        {"agent": "other"},
        {"messages": [{"role": "user", "content": "Hi!"}, HI[1]]},
    ],
)
def test_a_made_session_id_depends_on_tenant_agent_and_first_user_message(change: dict[str, Any]) -> None:
    assert turn_from_json({"messages": HI, **change}).session != turn_from_json({"messages": HI}).session


@pytest.mark.parametrize(
    "change",
    [
        {"created_at": 1},
        {"session": "other"},
        {"passages": []},
        {"messages": [HI[0], {"role": "assistant", "content": "Hello!"}]},
        {"messages": [HI[0], {**HI[1], "refusal": "no"}]},
        {"messages": [HI[0], {**HI[1], "tool_calls": [{"name": "t"}]}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image"}]}, HI[1]]},
    ],
)
def test_a_made_turn_id_depends_on_all_that_the_turn_was_made_of(change: dict[str, Any]) -> None:
    assert turn_from_json({"messages": HI, **change}).id != turn_from_json({"messages": HI}).id


def test_turns_of_one_conversation_without_ids_share_their_session() -> None:
    later = [*HI, {"role": "user", "content": "And?"}, {"role": "assistant", "content": "So."}]
    first, second = turn_from_json({"messages": HI}), turn_from_json({"messages": later})
    assert first.session == second.session
    assert first.id != second.id


def test_a_conversation_without_a_user_message_has_ids_too() -> None:
    turn = turn_from_json({"messages": [{"role": "assistant", "content": "Hello."}]})
    assert turn.session.startswith("s-")
    assert turn.id.startswith("t-")


def test_whole_numbers_are_ids() -> None:
    turn = turn_from_json({"tenant": 1, "agent": 2, "session": 3, "turn": 4, "parent_agent": 5, "messages": HI})
    assert (turn.tenant, turn.agent.id, turn.session, turn.id, turn.agent.parent) == ("1", "2", "3", "4", "5")


def test_an_id_of_more_than_512_characters_is_refused() -> None:
    assert turn_from_json({"turn": "x" * 512, "messages": HI}).id == "x" * 512
    with pytest.raises(TurnFormatError):
        turn_from_json({"turn": "x" * 513, "messages": HI})


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-11-30T10:00:00Z", datetime(2026, 11, 30, 10, tzinfo=UTC)),
        ("2026-11-30T10:00:00.25+02:00", datetime(2026, 11, 30, 10, 0, 0, 250000, timezone(timedelta(hours=2)))),
        ("2026-11-30 10:00:00", datetime(2026, 11, 30, 10, tzinfo=UTC)),
        ("2026-11-30T10:00:00.123456789Z", datetime(2026, 11, 30, 10, 0, 0, 123456, UTC)),
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
        (1796032800, datetime(2026, 11, 30, 10, tzinfo=UTC)),
        (1796032800.5, datetime(2026, 11, 30, 10, 0, 0, 500000, UTC)),
        (-1, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("", None),
    ],
)
def test_times_are_iso_8601_or_seconds_and_keep_their_offset(given: Any, moment: datetime | None) -> None:
    turn = turn_from_json({"created_at": given, "messages": HI})
    assert turn.created_at == moment
    again = turn_from_json(turn_to_json(turn)).created_at
    assert again == moment
    assert moment is None or (again is not None and again.utcoffset() == moment.utcoffset())


def test_leading_system_messages_are_the_instructions_where_none_are_given() -> None:
    system = [{"role": "system", "content": "You help."}, {"role": "developer", "content": "Be brief."}]
    turn = turn_from_json({"messages": [*system, *HI, {"role": "system", "content": "Later."}]})
    assert turn.agent.instructions == "You help.\nBe brief."
    assert len(turn.messages) == 5


def test_given_instructions_win_over_the_system_message_even_where_they_are_empty() -> None:
    messages = [{"role": "system", "content": "You help."}, *HI]
    turn = turn_from_json({"instructions": "", "messages": messages})
    assert turn.agent.instructions == ""
    assert turn_from_json(turn_to_json(turn)) == turn


def test_a_top_level_system_text_is_the_instructions() -> None:
    turn = turn_from_json({"system": "You help.", "messages": HI})
    assert turn.agent.instructions == "You help."
    assert "system" not in turn.extra


def test_system_blocks_with_more_than_text_are_kept_as_well() -> None:
    blocks = [{"type": "text", "text": "You help.", "cache_control": {"type": "ephemeral"}}]
    turn = turn_from_json({"system": blocks, "messages": HI})
    assert turn.agent.instructions == "You help."
    assert turn.extra == {"system": blocks}
    assert turn_from_json(turn_to_json(turn)) == turn


def test_passages_without_alias_get_the_next_free_number() -> None:
    passages = ["one", {"text": "two", "alias": "c4"}, {"text": "three", "alias": None}, {"text": "four", "alias": "x"}]
    turn = turn_from_json({"passages": passages, "known_aliases": ["c7"], "messages": HI})
    assert [passage.alias for passage in turn.passages or ()] == ["c8", "c4", "c9", "x"]


@pytest.mark.parametrize(
    ("given", "tool"),
    [
        ("search", Tool(name="search")),
        ({"name": "search"}, Tool(name="search")),
        ({"name": "s", "description": None, "parameters": None}, Tool(name="s")),
        ({"type": "function", "function": {"name": "s", "parameters": {"a": 1}}}, Tool(name="s", parameters={"a": 1})),
        (
            {"name": "s", "input_schema": {"a": 1}, "type": "custom"},
            Tool(name="s", parameters={"a": 1}, extra={"type": "custom"}),
        ),
        ({"type": "web_search"}, Tool(name="web_search", extra={"type": "web_search"})),
        ({"type": "custom", "custom": {"name": "sql"}}, Tool(name="sql", extra={"type": "custom", "custom": {}})),
    ],
)
def test_tools_are_read_in_every_form(given: Any, tool: Tool) -> None:
    turn = turn_from_json({"tools": [given], "messages": HI})
    assert turn.agent.tools == (tool,)
    assert turn_from_json(turn_to_json(turn)) == turn


def test_the_filtered_reply_comes_back() -> None:
    reply = Reply(
        text="Two days.", raw="Two days [c1].", cited=("c1",), marks=(Mark("c1", 8, 8),), leaks=("t",), complete=False
    )
    turn = Turn(messages=turn_from_json({"messages": HI}).messages, session="s", id="t", reply=reply)
    assert turn_from_json(turn_to_json(turn)) == turn


@pytest.mark.parametrize("marks", [[7], [["c1", "0", 0]], [["c1", 0]]])
def test_a_mark_that_is_none_is_refused(marks: list[Any]) -> None:
    with pytest.raises(TurnFormatError):
        turn_from_json({"filtered_reply": {"text": "", "raw": "", "marks": marks}, "messages": HI})


def test_lone_surrogates_become_replacement_characters_and_pairs_become_one_letter() -> None:
    text = json.loads(r'"a\ud83d b\ude00 c\ud83d\ude00 \udfff\ud800"')
    turn = turn_from_json({"messages": [{"role": "user", "content": text}], text: "\ud83d" + "\ude00"})
    clean = "a\ufffd b\ufffd c😀 \ufffd\ufffd"
    assert turn.messages[0].text == clean
    assert turn.extra == {clean: "😀"}


def test_a_nul_character_in_a_text_is_kept() -> None:
    turn = turn_from_json({"messages": [{"role": "user", "content": "a\x00b"}]})
    assert turn_from_json(json.loads(json.dumps(turn_to_json(turn)))).messages[0].text == "a\x00b"


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, {1, 2}, b"x", object()])
def test_what_json_does_not_have_is_refused_on_the_way_in_and_out(value: Any) -> None:
    with pytest.raises(TurnFormatError):
        turn_from_json({"messages": HI, "x": value})
    with pytest.raises(TurnFormatError):
        turn_to_json(Turn(messages=turn_from_json({"messages": HI}).messages, extra={"x": value}))


def test_a_turn_may_be_nested_a_hundred_levels_deep_and_no_deeper() -> None:
    deep: Any = "x"
    for _ in range(99):
        deep = [deep]
    turn = turn_from_json({"messages": HI, "x": deep})
    assert turn_to_json(turn)["x"] == deep
    with pytest.raises(TurnFormatError):
        turn_from_json({"messages": HI, "x": [deep]})


def test_a_record_that_is_no_object_is_refused() -> None:
    with pytest.raises(TurnFormatError) as caught:
        turn_from_json([1], where="line 3")
    assert str(caught.value) == "line 3: the record is a list; it must be an object with `messages`"


def test_ten_thousand_messages_are_all_there() -> None:
    turn = turn_from_json({"messages": HI * 5000})
    assert len(turn.messages) == 10_000
    assert len(turn.exchange) == 2
    assert turn_from_json(turn_to_json(turn)) == turn
