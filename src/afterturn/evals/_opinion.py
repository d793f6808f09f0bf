"""Gives a first opinion on an agent's choice of tools, by the local encoder: no LLM, no text leaves the machine.

A logistic model over `_tool_features`, fitted on labelled calls by `training/tools/fit.py`. It sees how near the tools
are to the request and how the calls look, not what they mean: a first opinion, beside the rubric `tool_selection` with
a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from afterturn.evals._encoder_grader import EncoderGrader, Found
from afterturn.evals._encoder_scores import on_scale
from afterturn.evals._evidence import neutral, tools_of
from afterturn.evals._records import Reply, Row
from afterturn.evals._rubric import Rubric
from afterturn.evals._tool_features import ToolFeatures, is_end, tool_features, tool_text
from afterturn.evals._tool_weights import BIAS, CUT, WEIGHTS
from afterturn.judges.encoder._load import shared_encoder
from afterturn.turns import Message, Tool, ToolCall

BY_HOW_MUCH = 0.1
"""A tool is named where the probability is higher by this without its calls, or with one."""

_NEAREST = 3
_CONTEXT_MESSAGES = 3
_CONTEXT_CHARACTERS = 600


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """Is what the encoder thinks of a choice of tools.

    Attributes:
        probability: How probable it is that the choice fits.
        wrongly_called: Tools that were better not called.
        wrongly_skipped: Tools that were better called.
        ends_unasked: Whether a call deletes or cancels, and the request has no word for it.
    """

    probability: float
    wrongly_called: tuple[str, ...] = ()
    wrongly_skipped: tuple[str, ...] = ()
    ends_unasked: bool = False

    @property
    def fits(self) -> bool:
        """Whether the choice fits."""
        return self.probability >= CUT

    @property
    def score(self) -> int:
        """The probability on the rubric's scale."""
        return on_scale(self.probability, CUT)


class ToolOpinion:
    """Has an opinion on an agent's choice of tools.

    Args:
        encoder: Gives the encoder, when it is first needed.
    """

    def __init__(self, encoder: Callable[[], Any] = shared_encoder) -> None:
        self._encoder = encoder

    def look(self, row: Row, reply: Reply) -> Found:
        """Applies the rubric `tool_selection`.

        Raises:
            JudgeError: The encoder is not there.
        """
        found = self.opinion(row, reply)
        named = {"wrongly_called": list(found.wrongly_called), "wrongly_skipped": list(found.wrongly_skipped)}
        return Found(score=found.score, reasoning=_reasoning(found), extra=named)

    def opinion(self, row: Row, reply: Reply) -> Opinion:
        """Gives the opinion on the calls of a reply."""
        tools = tools_of(row, reply)
        similar = self.similarities(row.input, tools)
        features = tool_features(row.text, tools, reply.tool_calls, similar)
        chance = probability(features)
        called: tuple[str, ...] = ()
        skipped: tuple[str, ...] = ()
        if chance < CUT:
            called, skipped = _what_if(row.text, tools, reply.tool_calls, similar, chance)
        if features.ends_unasked:
            called = tuple(dict.fromkeys((*called, *_ending(tools, reply.tool_calls))))
        return Opinion(
            probability=chance,
            wrongly_called=tuple(neutral(name) for name in called),
            wrongly_skipped=tuple(neutral(name) for name in skipped),
            ends_unasked=bool(features.ends_unasked),
        )

    def similarities(self, said: Sequence[Message], tools: Sequence[Tool]) -> dict[str, float]:
        """Compares each tool with the latest request, and with it in its context; the nearer one counts."""
        request = next((message.text for message in reversed(said) if message.role == "user"), "")
        latest = [message.text for message in said[-_CONTEXT_MESSAGES:] if message.text and message.role != "system"]
        context = "\n".join(latest)[-_CONTEXT_CHARACTERS:]
        vectors = self._encoder().vectors([request, context, *map(tool_text, tools)])
        asked, around = vectors[0].mean, vectors[1].mean
        return {
            tool.name: max(float(asked @ vector.mean), float(around @ vector.mean))
            for tool, vector in zip(tools, vectors[2:], strict=True)
        }


def make(rubric: Rubric) -> EncoderGrader:
    """Makes the grader for a rubric."""
    return EncoderGrader(rubric, ToolOpinion().look, load=shared_encoder)


def probability(features: ToolFeatures) -> float:
    """Gives the probability that a choice fits."""
    score = BIAS + sum(WEIGHTS[name] * value for name, value in features.by_name().items())
    return 1 / (1 + math.exp(-max(-30.0, min(score, 30.0))))


def _what_if(
    request: str, tools: Sequence[Tool], calls: Sequence[ToolCall], similar: Mapping[str, float], chance: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names the tools without which, or with which, the choice would have fitted better."""

    def gain(other: Sequence[ToolCall]) -> float:
        return probability(tool_features(request, tools, other, similar)) - chance

    names = list(dict.fromkeys(call.name for call in calls))
    called = [name for name in names if gain([call for call in calls if call.name != name]) >= BY_HOW_MUCH]
    nearest = sorted((tool.name for tool in tools if tool.name not in names), key=lambda name: -similar.get(name, 0.0))
    skipped = [name for name in nearest[:_NEAREST] if gain([*calls, ToolCall(name=name, arguments={})]) >= BY_HOW_MUCH]
    return tuple(called), tuple(skipped[:1])


def _ending(tools: Sequence[Tool], calls: Sequence[ToolCall]) -> list[str]:
    about = {tool.name: tool.description for tool in tools}
    return [call.name for call in calls if is_end(call.name, about.get(call.name, ""))]


def _reasoning(found: Opinion) -> str:
    parts = [f"First opinion of the local encoder: {found.probability:.0%} that the tools were well chosen."]
    if found.ends_unasked:
        parts.append("A call deletes or cancels something, and the request has no word for it.")
    if found.wrongly_called:
        parts.append(f"Better not called: {', '.join(found.wrongly_called)}.")
    if found.wrongly_skipped:
        parts.append(f"Better called: {', '.join(found.wrongly_skipped)}.")
    return " ".join(parts)
