"""Counts calls and tokens of a turn: by a cascade, by one call a view, by one call a question."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from measure_judges import CORPUS

from afterturn.calls import Answer, Call, Location, Question
from afterturn.config import Config
from afterturn.formats import BadLine, read_any
from afterturn.judges._prompt import render
from afterturn.judges.encoder import EncoderJudge
from afterturn.judges.wrap import Cascade
from afterturn.judging import Judging

TEMPLATE_TOKENS = 13
"""What the chat format of the model adds to a system and a user message."""

Line = dict[str, Any]


class Caught:
    """Stands behind a cascade, keeps the calls and answers none of them."""

    name: str = "caught"
    location: Location = "local"

    def __init__(self) -> None:
        self.calls: list[Call] = []

    async def ask(self, call: Call) -> Answer:
        """Keeps a call."""
        self.calls.append(call)
        return Answer(values={})

    async def aclose(self) -> None:
        """Holds nothing open."""


async def costs(base_url: str) -> Line:
    """Counts over the corpus of turns, with the questions of the default configuration.

    Args:
        base_url: The server whose tokenizer counts. Its model is asked nothing: an answer is counted as long as the
            encoder's own answer to the same fields, in JSON.
    """
    encoder, caught = EncoderJudge(), Caught()
    cascade = Cascade(encoder, caught)
    judging = Judging(Config(judge="given"), open_judge=lambda _: cascade)
    kinds = {"content": [0, 0, 0, 0, 0, 0, 0], "small_talk": [0, 0, 0, 0, 0, 0, 0]}
    turns = dict.fromkeys(kinds, 0)
    by_question: dict[str, list[int]] = {}
    for turn in read_any(CORPUS):
        if isinstance(turn, BadLine):
            raise SystemExit(str(turn))
        expect: Any = turn.extra["expect"]
        kind = "content" if expect["kind"] == "content" else "small_talk"
        turns[kind] += 1
        planned, _ = judging.plan(turn)
        for call in planned.calls:
            answer = await encoder.ask(call)
            caught.calls.clear()
            await cascade.ask(call)
            passed_on = [question for part in caught.calls for question in part.questions]
            ways = (list(caught.calls), [call], [_part(call, (question,)) for question in call.questions])
            for at, calls in enumerate(ways):
                kinds[kind][2 * at] += len(calls)
                kinds[kind][2 * at + 1] += sum(_tokens(one, answer, base_url) for one in calls)
            kinds[kind][6] += len(passed_on)
            for question in call.questions:
                counts = by_question.setdefault(question.classifier, [0, 0])
                counts[0] += question in passed_on
                counts[1] += 1
    await cascade.aclose()
    return {**{kind: _figures(found, turns[kind]) for kind, found in kinds.items()}, "passed_on_of_asked": by_question}


def _figures(found: Sequence[int], turns: int) -> Line:
    names = ("cascade", "a call a view", "a call a question")
    ways = {name: {"calls": found[2 * at], "tokens": found[2 * at + 1]} for at, name in enumerate(names)}
    return {"turns": turns, "questions": found[4], "passed_on": found[6], **ways}


def _part(call: Call, questions: tuple[Question, ...]) -> Call:
    return replace(call, questions=questions)


def _tokens(call: Call, answer: Answer, base_url: str) -> int:
    prompt = render(call)
    fields = {field for question in call.questions for field in question.fields}
    said = json.dumps({name: value for name, value in answer.values.items() if name in fields}, ensure_ascii=False)
    return sum(_count(text, base_url) for text in (prompt.system, prompt.user, said)) + TEMPLATE_TOKENS


def _count(text: str, base_url: str) -> int:
    address = base_url.removesuffix("/v1") + "/tokenize"
    body = json.dumps({"content": text}).encode()
    request = urllib.request.Request(address, data=body, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as response:
        return len(json.load(response)["tokens"])
