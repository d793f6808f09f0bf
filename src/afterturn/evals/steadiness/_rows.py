"""Makes the rows of a check: each reply as it is, and once for everything that should not move its score."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from afterturn.evals._records import Reply, Row
from afterturn.evals._rows import read_row
from afterturn.evals._rubric import Rubric
from afterturn.evals.steadiness._probes import CHECKS, Check, Probe, fillers, plants, probes
from afterturn.turns import JsonObject, JsonValue, Message, ToolCall

KEY = "check_judge"
"""Where a row's metadata says what the row is."""

PLAIN = "plain"
"""The name of a reply as it is, beside those of the checks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """Is what a row says of itself.

    Attributes:
        item: Id of the reply.
        rubric: The rubric under which it is graded.
        language: Its language.
        check: What was done to it, or `plain`.
        plant: Id of the planted verdict, or empty.
        reply: The reply's text.
        call: The tool that was called with which arguments, or None.
    """

    item: str
    rubric: str
    language: str
    check: str
    plant: str = ""
    reply: str
    call: JsonObject | None = None


def rows_of(
    rubrics: Sequence[Rubric], *, checks: Collection[Check] = CHECKS, limit: int | None = None
) -> Iterator[Row]:
    """Makes the rows for some rubrics.

    Args:
        rubrics: The rubrics. One that is not among those of the replies is tried on all that have what it needs.
        checks: What is done to each reply.
        limit: At most so many replies of each rubric.
    """
    for rubric in rubrics:
        for probe in _of(rubric, limit):
            yield varied(probe, PLAIN)
            for check in CHECKS:
                if check in checks:
                    yield from _varied(probe, check)


def varied(probe: Probe, check: str, plant: str = "") -> Row:
    """Makes the row of one reply with one thing done to it."""
    turned = check == "order"
    lists = {
        name: list(reversed(items) if turned else items)
        for name in ("expected", "criteria", "context")
        if (items := cast(tuple[str, ...], getattr(probe, name)))
    }
    tools: list[JsonValue] = [{"name": name} for name in (reversed(probe.tools) if turned else probe.tools)]
    told: dict[str, JsonValue] = {
        "item": probe.id,
        "rubric": probe.rubric,
        "language": probe.language,
        "check": check,
        **({"plant": plant} if plant else {}),
        **_reply(probe, _further(probe.language, check, plant)),
    }
    if len(lists.get("expected", ())) == 1:
        lists |= {"expected": lists["expected"][0]}
    item = probe.id if probe.id.rpartition("-")[0] == probe.rubric else f"{probe.rubric}/{probe.id}"
    name = f"{item}~{check}{f':{plant}' if plant else ''}"
    wire: dict[str, Any] = {"id": name, "input": probe.input, **lists, "metadata": {KEY: told}}
    return read_row({**wire, "tools": tools} if tools else wire)


def trial_of(row: Row) -> Trial | None:
    """Reads what a row says of itself; None for any other row."""
    told = row.metadata.get(KEY)
    return Trial(**cast(Mapping[str, Any], told)) if isinstance(told, Mapping) else None


def reply_of(row: Row) -> Reply:
    """The reply that is graded.

    Raises:
        ValueError: The row is none of ours.
    """
    trial = trial_of(row)
    if trial is None:
        raise ValueError("the row is none of a check of a judge")
    calls: tuple[ToolCall, ...] = ()
    if trial.call is not None:
        arguments = cast(JsonObject, trial.call["arguments"])
        written = json.dumps(arguments, ensure_ascii=False)
        calls = (ToolCall(name=str(trial.call["name"]), arguments=arguments, raw_arguments=written),)
    message = Message(role="assistant", text=trial.reply, tool_calls=calls)
    return Reply(text=trial.reply, tool_calls=calls, messages=(message,))


def _of(rubric: Rubric, limit: int | None) -> Iterator[Probe]:
    own = [probe for probe in probes() if probe.rubric == rubric.name]
    for probe in own or (replace(probe, rubric=rubric.name) for probe in probes()):
        row = varied(probe, PLAIN)
        if (limit is None or probe.number <= limit) and rubric.skips(row, reply_of(row)) is None:
            yield probe


def _varied(probe: Probe, check: Check) -> Iterator[Row]:
    if check == "planted":
        yield from (varied(probe, check, plant) for plant in plants() if probe.quality != "good")
    elif check == "order":
        yield from (varied(probe, check) for _ in range(probe.has_order))
    elif check != "padded" or not probe.call:  # a judge of calls does not see the reply, and a call has no filler
        yield varied(probe, check)


def _further(language: str, check: str, plant: str) -> str:
    """The text that is put behind a reply."""
    if plant:
        texts = plants()[plant]
        return texts.get(language, texts["en"])
    return fillers()[check][language] if check in fillers() else ""


def _reply(probe: Probe, further: str) -> dict[str, JsonValue]:
    """Writes reply and call; where there is a call the text stands in its argument, since that is what is judged."""
    if probe.call:
        value = f"{probe.value} {further}".strip()
        return {"reply": probe.reply, "call": {"name": probe.call, "arguments": {probe.argument: value}}}
    return {"reply": f"{probe.reply}\n\n{further}".strip()}
