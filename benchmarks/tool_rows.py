"""Reads the shared rows about tool choice, and makes wrong calls out of right ones."""

from __future__ import annotations

import copy
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from afterturn.evals import Reply, Row
from afterturn.evals._rows import read_row
from afterturn.formats import read_tools
from afterturn.turns import Agent, ToolCall

DATA = Path(os.environ.get("AFTERTURN_SHARED", Path(__file__).parents[2] / "shared")) / "data"
GOLD_ONLY = ("bfcl-v4-nonlive", "tooltalk", "metatool", "star-wizard")
WORKBENCH = "workbench-model-outputs"
READS = ("*.search_*", "*.get_*", "*.find_*", "*_count")
"""The tools of WorkBench that change nothing; its gold calls do not name them."""

Calls = list[dict[str, Any]]
_MOST_ALTERNATIVES = 200


@dataclass(frozen=True, kw_only=True)
class Case:
    """Is a list of calls with the modes in which it has to pass.

    Attributes:
        row: The row.
        kind: How the calls came about.
        calls: The calls.
        passes: The modes in which they are right.
    """

    row: Row
    kind: str
    calls: Calls
    passes: frozenset[str]


MODES = frozenset(("strict", "ordered", "unordered", "subset", "superset"))


def read(name: str, split: str = "dev") -> list[dict[str, Any]]:
    """Reads a file of the shared tool data, the named tool lists put in."""
    lists = json.loads((DATA / "tool_lists.json").read_text(encoding="utf-8"))
    path = DATA / "tools" / "selection" / f"{name}.{split}.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if isinstance(row["tools"], str):
            row["tools"] = lists[row["tools"][1:]]
    return rows


def as_row(item: dict[str, Any]) -> Row:
    """Makes an eval row of a shared one; what BFCL accepts becomes a matcher for each argument."""
    accepted = item.get("accepted_arguments") or [{}] * len(item["expected_calls"])
    expected = [_expected(call, also) for call, also in zip(item["expected_calls"], accepted, strict=True)]
    return read_row({"id": item["id"], "input": item["request"], "expected_tool_calls": expected})


def as_reply(item: dict[str, Any], calls: Iterable[dict[str, Any]]) -> Reply:
    """Makes a reply out of calls."""
    return Reply(
        text=item.get("reply") or "",
        tool_calls=tuple(
            ToolCall(name=call["name"], arguments=call.get("arguments") or {}, raw_arguments=json.dumps(call))
            for call in calls
        ),
        agent=Agent("agent", tools=read_tools([{**tool, "parameters": {}} for tool in item["tools"]])),
    )


def cases(item: dict[str, Any]) -> Iterator[Case]:
    """Makes right calls and wrong ones out of the gold calls of a row, each with the modes in which they pass."""
    row = as_row(item)
    right = _right(row, item)
    yield Case(row=row, kind="right", calls=right, passes=MODES)
    for calls in _other_right(row, right):
        yield Case(row=row, kind="right, other accepted arguments", calls=calls, passes=MODES)
    reversed_calls = right[::-1]
    if not _same_order(row, reversed_calls):
        loose = MODES - {"strict", "ordered"}
        yield Case(row=row, kind="order swapped", calls=reversed_calls, passes=loose)
    other = _other_tool(item)
    more = frozenset(("ordered", "superset")) if right else frozenset[str]()
    yield Case(row=row, kind="extra call", calls=[*right, {"name": other, "arguments": {}}], passes=more)
    for index, call in enumerate(right):
        rest = [*right[:index], *right[index + 1 :]]
        yield Case(row=row, kind="call dropped", calls=rest, passes=frozenset(("subset",)))
        yield Case(row=row, kind="call doubled", calls=[*right[: index + 1], *right[index:]], passes=more)
        wrong = {**call, "name": other}
        yield Case(row=row, kind="wrong tool", calls=_put(right, index, wrong), passes=frozenset())
        for name in call["arguments"]:
            changed = {**call, "arguments": {**call["arguments"], name: _changed(call["arguments"][name])}}
            yield Case(row=row, kind="changed argument", calls=_put(right, index, changed), passes=frozenset())


def _expected(call: dict[str, Any], accepted: dict[str, Any]) -> dict[str, Any]:
    if call["arguments"] is None or not accepted:
        return call
    values = {
        key: [value for option in options if option != "" for value in _alternatives(option)]
        for key, options in accepted[call["name"]].items()
    }
    match = {
        key: {"kind": "any_of", "value": options, "optional": "" in accepted[call["name"]][key]}
        for key, options in values.items()
    }
    return {"name": call["name"], "arguments": {key: values[key][0] for key in call["arguments"]}, "match": match}


def _alternatives(option: Any) -> list[Any]:
    """Spells out what BFCL accepts: in an object, each value is a list of accepted ones, the empty text absence."""
    if isinstance(option, dict):
        keys = list(option)
        picks = itertools.product(*(option[key] for key in keys))
        made = [
            {key: value for key, value in zip(keys, pick, strict=True) if value != ""}
            for pick in itertools.islice(picks, _MOST_ALTERNATIVES)
        ]
        return made or [option]
    if isinstance(option, list) and option and all(isinstance(item, dict) for item in option):
        products = itertools.product(*(_alternatives(item) for item in option))
        return [list(pick) for pick in itertools.islice(products, _MOST_ALTERNATIVES)]
    return [option]


def _right(row: Row, item: dict[str, Any]) -> Calls:
    wanted = row.expected_tool_calls
    assert wanted is not None
    assert len(wanted) == len(item["expected_calls"])
    return [{"name": call.name, "arguments": dict(call.arguments or {})} for call in wanted]


def _other_right(row: Row, right: Calls) -> Iterator[Calls]:
    """Gives the right calls with each argument written in another accepted way, or left out where it may be."""
    for index, wanted in enumerate(row.expected_tool_calls or ()):
        match: Any = wanted.extra.get("match", {})
        for name, matcher in match.items():
            for value in matcher["value"]:
                changed = {**right[index], "arguments": {**right[index]["arguments"], name: value}}
                yield _put(right, index, changed)
            if matcher["optional"]:
                rest = {key: value for key, value in right[index]["arguments"].items() if key != name}
                yield _put(right, index, {**right[index], "arguments": rest})


def _same_order(row: Row, calls: Calls) -> bool:
    """Says whether calls are right in this order too: of one tool, with arguments that each other accepts."""
    texts = [
        json.dumps([call.name, call.arguments, call.extra], sort_keys=True) for call in row.expected_tool_calls or ()
    ]
    if texts == texts[::-1]:
        return True
    return len({call["name"] for call in calls}) == 1 and _interchangeable(row)


def _interchangeable(row: Row) -> bool:
    """Says whether some call fits the place of its mirror image, by what the rows accept."""
    wanted = row.expected_tool_calls or ()
    return all(_accepts(one.extra, two.arguments or {}) for one, two in zip(wanted, wanted[::-1], strict=True))


def _accepts(extra: Any, arguments: Any) -> bool:
    match = extra.get("match", {})
    return all(value in match[name]["value"] for name, value in arguments.items() if name in match) and bool(match)


def _other_tool(item: dict[str, Any]) -> str:
    wanted = {call["name"] for call in item["expected_calls"]}
    names = [tool["name"] for tool in item["tools"] if tool["name"] not in wanted]
    return names[0] if names else "a_tool_that_is_not_there"


def _put(calls: Sequence[dict[str, Any]], index: int, call: dict[str, Any]) -> Calls:
    return [*calls[:index], call, *calls[index + 1 :]]


def _changed(value: Any) -> Any:
    """Gives another value of the same type, or of another where the type has but two."""
    change = _CHANGES.get(type(value))
    return "something else" if change is None else change(copy.deepcopy(value))


_CHANGES: dict[type, Callable[[Any], Any]] = {
    str: lambda text: f"{text} or not",
    int: lambda number: number + 7_000_003,
    float: lambda number: number + 7_000_003.5,
    list: lambda items: [*items, "one more"],
    dict: lambda items: {**items, "one_more": True},
}
