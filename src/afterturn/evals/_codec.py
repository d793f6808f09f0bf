"""Writes the records of a run as JSON and reads them back; what is at its default is left out."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime
from typing import Any, cast

from afterturn.evals._records import NO_USAGE, NOBODY, AssertionResult, Reply, RowResult, Score
from afterturn.evals._rows import row_from_json, row_to_json
from afterturn.evals._run_records import RubricRef, RunHeader
from afterturn.formats import (
    call_to_json,
    is_list,
    message_to_json,
    messages_from_json,
    passage_to_json,
    read_call,
    read_passages,
    read_tools,
    tool_to_json,
    wrong_type,
)
from afterturn.turns import Agent, JsonObject, JsonValue, Message, ToolCall
from afterturn.verdicts import Usage


def result_to_json(result: RowResult) -> dict[str, JsonValue]:
    """Writes what became of a row, the row included: a run can be read without its dataset."""
    wire: dict[str, JsonValue] = {"content": result.row.content, "repeat": result.repeat, "state": result.state}
    if result.reason is not None:
        wire["reason"] = result.reason
    if result.message:
        wire["message"] = result.message
    if result.score is not None:
        wire["score"] = result.score
    if result.scores:
        wire["scores"] = [score_to_json(score) for score in result.scores]
    if result.assertions:
        wire["assertions"] = [_assertion_to_json(assertion) for assertion in result.assertions]
    if result.unasserted:
        wire["unasserted"] = True
    wire["agent_cost_usd"], wire["judge_cost_usd"] = result.agent_cost_usd, result.judge_cost_usd
    wire["latency_ms"] = round(result.latency_ms, 3)
    if result.created_at is not None:
        wire["created_at"] = result.created_at.isoformat()
    wire["row"] = row_to_json(result.row)
    wire["source"] = result.row.source
    if result.reply is not None:
        wire["reply"] = reply_to_json(result.reply)
    return wire


def result_from_json(wire: JsonObject) -> RowResult:
    """Reads what became of a row.

    Raises:
        FormatProblem: It is no result.
        ValueError: A state, a score or a cost is out of range.
    """
    values = cast(dict[str, Any], dict(wire))
    row = row_from_json(values["row"], source=values.get("source", ""))
    reply, created = values.get("reply"), values.get("created_at")
    return RowResult(
        row=replace(row, content=values["content"]),
        repeat=values["repeat"],
        state=values["state"],
        reason=values.get("reason"),
        message=values.get("message", ""),
        score=values.get("score"),
        scores=tuple(score_from_json(score) for score in values.get("scores", ())),
        assertions=tuple(AssertionResult(**assertion) for assertion in values.get("assertions", ())),
        reply=None if reply is None else reply_from_json(reply),
        unasserted=values.get("unasserted", False),
        agent_cost_usd=values.get("agent_cost_usd"),
        judge_cost_usd=values.get("judge_cost_usd"),
        latency_ms=values.get("latency_ms", 0.0),
        created_at=datetime.fromisoformat(created) if created else None,
    )


def reply_to_json(reply: Reply) -> dict[str, JsonValue]:
    """Writes a reply; messages and calls that follow from one another are written once."""
    wire: dict[str, JsonValue] = {"text": reply.text}
    if reply.messages and reply.messages != _only(reply.text):
        wire["messages"] = [message_to_json(message) for message in reply.messages]
    if reply.tool_calls != _calls_of(reply.messages):
        wire["tool_calls"] = [call_to_json(call) for call in reply.tool_calls]
    if reply.agent is not NOBODY:
        wire |= _agent_to_json(reply.agent)
    if reply.passages is not None:
        wire["passages"] = [passage_to_json(passage) for passage in reply.passages]
    if reply.usage is not NO_USAGE and reply.usage != NO_USAGE:
        wire["usage"] = [reply.usage.input_tokens, reply.usage.output_tokens]
    if reply.cost_usd is not None:
        wire["cost_usd"] = reply.cost_usd
    if reply.extra:
        wire["extra"] = reply.extra
    wire["latency_ms"] = None if reply.latency_ms is None else round(reply.latency_ms, 3)
    return wire


def reply_from_json(wire: JsonObject) -> Reply:
    """Reads a reply.

    Raises:
        FormatProblem: It is no reply.
    """
    values = cast(dict[str, Any], dict(wire))
    messages = messages_from_json(values["messages"]) if "messages" in values else _only(values["text"])
    calls = values.get("tool_calls")
    return Reply(
        text=values["text"],
        messages=messages,
        tool_calls=_calls_of(messages) if calls is None else _read_calls(calls),
        agent=_agent_from_json(values.get("agent", {})),
        passages=read_passages(values.get("passages"), ()),
        usage=Usage(input_tokens=values["usage"][0], output_tokens=values["usage"][1])
        if "usage" in values
        else Usage(),
        cost_usd=values.get("cost_usd"),
        latency_ms=values.get("latency_ms", 0.0),
        extra=values.get("extra", {}),
    )


def score_to_json(score: Score) -> dict[str, JsonValue]:
    """Writes a score."""
    wire: dict[str, JsonValue] = {"rubric": score.rubric, "score": score.score, "reasoning": score.reasoning}
    if score.extra:
        wire["extra"] = score.extra
    wire["judge"] = score.judge
    if score.cost_usd is not None:
        wire["cost_usd"] = score.cost_usd
    if score.usage is not NO_USAGE and score.usage != NO_USAGE:
        wire["usage"] = [score.usage.input_tokens, score.usage.output_tokens]
    wire["latency_ms"] = round(score.latency_ms, 3)
    return wire


def score_from_json(wire: JsonObject) -> Score:
    """Reads a score.

    Raises:
        ValueError: It is no integer from 0 to 100.
    """
    values = cast(dict[str, Any], dict(wire))
    usage = values.pop("usage", None)
    return Score(**values, usage=_usage(usage))


def header_to_json(header: RunHeader) -> dict[str, JsonValue]:
    """Writes the head of a run."""
    wire: dict[str, JsonValue] = {spec.name: getattr(header, spec.name) for spec in fields(header)}
    wire["started_at"] = header.started_at.isoformat()
    wire["rubrics"] = [{"name": ref.name, "digest": ref.digest, "path": ref.path} for ref in header.rubrics]
    wire["assertions"] = list(header.assertions)
    wire["command"] = list(header.command)
    return wire


def header_from_json(wire: JsonObject) -> RunHeader:
    """Reads the head of a run; keys of a later version are passed over."""
    known = {spec.name for spec in fields(RunHeader)}
    values = cast(dict[str, Any], {key: value for key, value in wire.items() if key in known})
    values["started_at"] = datetime.fromisoformat(values["started_at"])
    values["rubrics"] = tuple(RubricRef(**ref) for ref in values.get("rubrics", ()))
    values["assertions"] = tuple(values.get("assertions", ()))
    values["command"] = tuple(values.get("command", ()))
    return RunHeader(**values)


def _assertion_to_json(result: AssertionResult) -> JsonObject:
    wire: dict[str, JsonValue] = {"name": result.name, "passed": result.passed}
    if result.reason is not None:
        wire["reason"] = result.reason
    if result.details:
        wire["details"] = result.details
    return wire


def _usage(tokens: list[int | None] | None) -> Usage:
    return Usage(input_tokens=tokens[0], output_tokens=tokens[1]) if tokens else Usage()


def _agent_to_json(agent: Agent) -> dict[str, JsonValue]:
    wire: dict[str, JsonValue] = {} if agent.id == "default" else {"id": agent.id}
    given = {"model": agent.model, "parent": agent.parent, "conclusion_tool": agent.conclusion_tool}
    wire |= {name: value for name, value in given.items() if value is not None}
    if agent.tools:
        wire["tools"] = [tool_to_json(tool) for tool in agent.tools]
    return {"agent": wire} if wire else {}


def _agent_from_json(values: dict[str, Any]) -> Agent:
    return Agent(
        values.get("id", "default"),
        model=values.get("model"),
        parent=values.get("parent"),
        conclusion_tool=values.get("conclusion_tool"),
        tools=read_tools(values.get("tools")),
    )


def _only(text: str) -> tuple[Message, ...]:
    return (Message(role="assistant", text=text),)


def _calls_of(messages: tuple[Message, ...]) -> tuple[ToolCall, ...]:
    return tuple(call for message in messages for call in message.tool_calls)


def _read_calls(calls: JsonValue) -> tuple[ToolCall, ...]:
    if not is_list(calls):
        raise wrong_type("tool_calls", calls, "a list of tool calls")
    return tuple(read_call(call, f"tool_calls[{index}]") for index, call in enumerate(calls))
