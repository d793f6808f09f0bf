"""The encoder answers first, the model what it passes on; where the model fails, the encoder's answer stands."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from afterturn.calls import Answer, Call, Confidence, Question
from afterturn.errors import ProviderError, RefusedError
from afterturn.judges import open_judge
from afterturn.judges.wrap import Agreement, Cascade
from afterturn.testing import Script, ScriptedJudge, sample_call
from afterturn.turns import JsonObject
from afterturn.verdicts import Usage

FIELD: JsonObject = {"type": "string", "enum": ["yes", "no"]}
MOOD, SCOPE, WORDS = (
    Question(classifier=name, version="1", fields={name: FIELD}, instructions="-")
    for name in ("mood", "scope", "words")
)
FIRST = Answer(
    values={"mood": "yes", "scope": "no"},
    confidence={"mood": Confidence(percent=97, source="encoder"), "scope": Confidence(percent=52, source="encoder")},
    unsure=frozenset({"scope"}),
    no_head=frozenset({"words"}),
)
SECOND = Answer(
    values={"mood": "no", "scope": "yes", "words": "yes"},
    confidence={"scope": Confidence(percent=80, source="model")},
    usage=Usage(input_tokens=40, output_tokens=4),
)


def part(call: Call) -> Answer:
    """Answers what it is asked and nothing else, as a model does."""
    fields = {field for question in call.questions for field in question.fields}
    return Answer(
        values={name: value for name, value in SECOND.values.items() if name in fields},
        confidence={name: value for name, value in SECOND.confidence.items() if name in fields},
        usage=SECOND.usage,
    )


def cascade(second: Script = part, *, first: Script = FIRST, shadow: float = 0.0) -> Cascade:
    return Cascade(ScriptedJudge(first), ScriptedJudge(second, name="model"), shadow=shadow, draw=lambda: 0.5)


async def test_the_model_is_asked_what_the_encoder_is_unsure_of_or_has_no_head_for() -> None:
    judge = cascade()
    found = await judge.ask(sample_call(MOOD, SCOPE, WORDS))
    assert found.values == {"mood": "yes", "scope": "yes", "words": "yes"}
    assert {name: one.source for name, one in found.confidence.items()} == {"mood": "encoder", "scope": "model"}
    assert (found.unsure, found.no_head, found.usage) == (frozenset(), frozenset(), SECOND.usage)
    assert judge.agreement == Agreement(questions=3, escalated=2)


async def test_where_the_encoder_is_sure_of_all_the_model_is_not_asked() -> None:
    judge = cascade(RefusedError("never asked"), first=Answer(values={"mood": "yes"}))
    assert (await judge.ask(sample_call(MOOD))).values == {"mood": "yes"}
    assert judge.agreement == Agreement(questions=1)


async def test_where_the_model_fails_the_encoders_answer_stands() -> None:
    judge = cascade(ProviderError("down"))
    with capture_logs():
        assert await judge.ask(sample_call(MOOD, SCOPE, WORDS)) == FIRST
    assert judge.agreement == Agreement(questions=3, escalated=2, failed=2)


async def test_where_the_encoder_fails_the_model_is_asked_everything() -> None:
    judge = cascade(first=ProviderError("broken"))
    with capture_logs():
        found = await judge.ask(sample_call(MOOD, SCOPE))
    assert found.values == {"mood": "no", "scope": "yes"}


async def test_where_both_fail_the_models_error_is_the_calls() -> None:
    with capture_logs(), pytest.raises(RefusedError):
        await cascade(RefusedError("no"), first=ProviderError("broken")).ask(sample_call(MOOD))


async def test_in_the_shadow_sample_the_two_are_compared_and_the_sure_encoder_counts() -> None:
    judge = cascade(shadow=0.6)
    found = await judge.ask(sample_call(MOOD, SCOPE))
    assert found.values == {"mood": "yes", "scope": "yes"}
    assert judge.agreement == Agreement(questions=2, escalated=1, compared=1, agreed=0)


def test_a_cascade_is_as_remote_as_its_model_and_is_opened_by_its_name() -> None:
    judge = open_judge("cascade:openai:gpt-4o-mini")
    assert (judge.name, judge.location) == ("cascade:openai:gpt-4o-mini", "remote")
