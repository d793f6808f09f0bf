"""Lets a rubric of Afterturn score in Inspect: `Task(dataset=…, scorer=rubric_scorer("correctness", judge=…))`.

The sample's target is what is expected, its metadata may hold `criteria` and `context`. A sample that lacks what the
rubric needs stays unscored. An answer of the judge that is no score raises, so that Inspect counts an error and no 0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, cast

from afterturn.calls import Judge
from afterturn.evals import Prices, Reply, Row, load_rubric, open_grader
from afterturn.evals.targets import reply_from
from afterturn.formats import dump_json
from afterturn.integrations._rows import graded, opened_judge, row_of

InspectScorer = Callable[[Any, Any], Awaitable[Any]]


def rubric_scorer(rubric: str, *, judge: Judge | str) -> InspectScorer:
    """Gives a scorer for Inspect: 0 to 100, with the mean and its standard error.

    Args:
        rubric: The rubric's name, or a file.
        judge: Who applies it: a judge, or its name.

    Raises:
        UsageError: There is no such rubric or judge.
    """
    inspect = import_module("inspect_ai.scorer")
    loaded = load_rubric(rubric)
    grader = open_grader(loaded, opened_judge(judge), prices=Prices({}))

    async def score(state: Any, target: Any) -> Any:
        row, reply = _read(state, target)
        if grader.skips(row, reply):
            return None
        found = await graded(grader, row, reply)
        return inspect.Score(
            value=found.score, answer=reply.text, explanation=found.reasoning, metadata=dict(found.extra)
        )

    def make() -> InspectScorer:
        return score

    return inspect.scorer(metrics=[inspect.mean(), inspect.stderr()], name=f"afterturn_{loaded.name}")(make)()


def _read(state: Any, target: Any) -> tuple[Row, Reply]:
    asked = state.input if isinstance(state.input, str) else [_message(one) for one in state.input]
    named: Any = target.target
    expected = cast(list[Any], named) if isinstance(named, list) else [named]
    wanted: Any = [one for one in expected if one]
    row = row_of(asked, (wanted[0] if len(wanted) == 1 else wanted) or None, state.metadata)
    messages = [_message(one) for one in state.messages]
    return row, reply_from(messages, row)


def _message(message: Any) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        return {**wire, "tool_call_id": message.tool_call_id or "", "name": message.function}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.function, "arguments": dump_json(call.arguments)}}
        for call in getattr(message, "tool_calls", None) or ()
    ]
    return {**wire, "tool_calls": calls} if calls else wire
