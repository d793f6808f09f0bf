"""Claims about any turn at all: what is read, written and read again stays what it was."""

from __future__ import annotations

import io
import json
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from afterturn.formats import BadLine, read_turns, turn_from_json, turn_to_json
from afterturn.formats._values import dump_json

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
# A key that no level of a turn knows.
extras = st.dictionaries(texts.map(lambda key: f"x-{key}"), values, max_size=3)


def objects(required: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy[dict[str, Any]]:
    known = st.fixed_dictionaries(required, optional=optional or {})
    return st.tuples(known, extras).map(lambda pair: {**pair[0], **pair[1]})


ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
functions = objects({"name": names, "arguments": texts | values.map(json.dumps)})
calls = objects({"id": ids, "type": st.just("function"), "function": functions})
text_parts = objects({"type": st.just("text"), "text": texts})
refusals = objects({"type": st.just("refusal"), "refusal": texts})
parts = text_parts | refusals | objects({"type": st.sampled_from(["image_url", "file"])}) | texts
messages = objects(
    {"role": st.sampled_from(["system", "developer", "user", "assistant", "tool"])},
    {
        "content": st.none() | texts | st.lists(parts, max_size=4),
        "tool_calls": st.lists(calls, max_size=3),
        "tool_call_id": ids,
        "name": ids,
        "refusal": st.none() | texts,
        "reasoning_content": texts,
    },
)
passages = objects({"text": texts}, {"title": st.none() | texts, "uri": texts})
tools = objects({"name": names}, {"description": texts, "parameters": st.dictionaries(texts, values, max_size=2)})
categories = names | objects({"name": names}, {"description": texts})
turns = objects(
    {"messages": st.lists(messages, min_size=1, max_size=4)},
    {
        "tenant": ids,
        "agent": ids | objects({"id": ids}),
        "session": ids,
        "turn": ids,
        "created_at": st.datetimes().map(lambda moment: moment.isoformat()) | st.integers(0, 4_000_000_000),
        "instructions": texts,
        "model": ids,
        "categories": st.lists(categories, max_size=3, unique_by=lambda item: named(item)),
        "parent_agent": ids,
        "conclusion_tool": names,
        "passages": st.lists(passages, max_size=3),
        "tools": st.lists(tools | names, max_size=3),
        "known_aliases": st.lists(ids, max_size=2),
    },
)

# Blocks and parts of the other formats, in and out of place, with keys of any kind.
foreign_parts = objects(
    {
        "type": st.sampled_from(
            ["text", "tool_use", "tool_result", "thinking", "tool_call", "tool_call_response", "reasoning"]
        )
    },
    {
        "name": names,
        "id": ids,
        "text": texts,
        "content": values,
        "input": values,
        "arguments": values,
        "thinking": texts,
    },
)
foreign_messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"])},
    optional={"content": st.lists(foreign_parts, max_size=4), "parts": st.lists(foreign_parts, max_size=4)},
)


@given(turns)
@settings(max_examples=60, deadline=None)
def test_unknown_keys_of_every_level_survive(wire: dict[str, Any]) -> None:
    written = turn_to_json(turn_from_json(wire))
    assert unknown(written) == unknown(wire)


@given(turns)
@settings(max_examples=60, deadline=None)
def test_a_second_round_trip_changes_nothing(wire: dict[str, Any]) -> None:
    first = turn_from_json(wire)
    line = dump_json(turn_to_json(first))
    (again,) = read_turns(io.StringIO(line))
    assert again == first
    assert not isinstance(again, BadLine)
    assert dump_json(turn_to_json(again)) == line
    assert len(line.splitlines()) == 1


@given(st.lists(foreign_messages, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_a_turn_of_any_format_is_read_and_stays_the_same_or_is_a_bad_line(wire: list[dict[str, Any]]) -> None:
    (turn,) = read_turns(io.StringIO(json.dumps({"messages": wire})))
    if not isinstance(turn, BadLine):
        assert turn_from_json(turn_to_json(turn)) == turn


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
@settings(max_examples=60, deadline=None)
def test_no_bytes_at_all_make_the_reader_fail(data: bytes) -> None:
    line = b'{"messages": [{"role": "user"}]}\n'
    found = list(read_turns(io.BytesIO(line + data + b"\n" + line)))
    assert not isinstance(found[0], BadLine)
    assert found[-1] == found[0]


def unknown(wire: dict[str, Any]) -> list[Any]:
    """Collects the unknown keys of every level, in the order of the levels."""
    found: list[Any] = [own(wire), own(wire.get("agent"))]
    for key in ("messages", "passages", "tools"):
        found += [own(item) for item in wire.get(key, [])]
    found += [(named(item), own(item)) for item in wire.get("categories", [])]
    for message in wire["messages"]:
        content: list[Any] | str | None = message.get("content")
        found += [own(part) for part in content] if isinstance(content, list) else []
        for call in message.get("tool_calls", []):
            found += [own(call), own(call["function"])]
    return found


def own(item: Any) -> dict[str, Any]:
    items = cast(dict[str, Any], item) if isinstance(item, dict) else {}
    return {key: value for key, value in items.items() if key.startswith("x-")}


def named(item: Any) -> str:
    return cast(dict[str, str], item)["name"] if isinstance(item, dict) else item
