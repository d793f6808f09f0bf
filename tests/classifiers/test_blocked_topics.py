"""The second opinion on blocked topics: what it asks, of whom, and what it answers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from afterturn import Turn
from afterturn.calls import Answer, Confidence, Meaning
from afterturn.classifiers import Classifier, topic_opinion
from afterturn.classifiers.blocked_topics import MAX_EXAMPLES, topic_label
from afterturn.config import Config, TenantConfig
from afterturn.guard import Guard, Policy, Topic
from afterturn.guarding import Guards
from afterturn.judging import Judging
from afterturn.run import judge_turn, plan
from afterturn.testing import ScriptedJudge, check_classifier

LEGAL = Topic(id="legal-advice", description="Law suits and contracts.", terms=("my lawyer", "sue*"))
RIVALS = Topic(id="rivals", terms=("Globex",))
TOPICS = (LEGAL, RIVALS)
MAX_INSTRUCTIONS = 1_500


def _opinion(topics: Sequence[Topic] = TOPICS) -> Classifier:
    return topic_opinion(lambda tenant: topics, topics)


async def _told(turn: Turn, answer: object) -> tuple[Any, ...]:
    (judgement,) = await judge_turn(turn, (_opinion(),), ScriptedJudge(answer))  # type: ignore[arg-type]
    verdict = judgement.verdict
    return verdict.status, verdict.label, verdict.reason


def test_it_keeps_the_contract_of_classifiers() -> None:
    check_classifier(_opinion())


async def test_its_verdicts_have_a_metric_of_their_own(make_turn: Any) -> None:
    (judgement,) = await judge_turn(
        make_turn("Can I sue?", "No."), (_opinion(),), ScriptedJudge({"blockedTopic": "none"})
    )
    assert judgement.verdict.metric == "agent.blocked_topics.verdict"


async def test_a_finding_has_the_topic_as_its_label(make_turn: Any) -> None:
    turn = make_turn("Is this contract binding?", "I cannot say.")
    assert await _told(turn, {"blockedTopic": "legal_advice"}) == ("finding", "legal_advice", None)
    assert await _told(turn, {"blockedTopic": "none"}) == ("no_finding", None, None)


async def test_an_unsure_judge_finds_nothing_and_says_so(make_turn: Any) -> None:
    unsure = Answer(
        values={"blockedTopic": "none"},
        confidence={"blockedTopic": Confidence(percent=70, source="encoder")},
        unsure=frozenset({"blockedTopic"}),
    )
    assert await _told(make_turn("Is it binding?", "Perhaps."), unsure) == ("no_finding", None, "unsure")


async def test_a_topic_outside_the_policy_is_no_answer(make_turn: Any) -> None:
    assert await _told(make_turn("Hello there", "Hello."), {"blockedTopic": "politics"}) == (
        "error",
        None,
        "schema_violation",
    )


def test_it_shares_the_call_of_the_descriptive_questions(make_turn: Any) -> None:
    judging = Judging(Config(), guards=Guards(Config(), Guard(policy=Policy(topics=TOPICS))))
    planned, _ = judging.plan(make_turn("Can I sue them?", "I cannot say."))
    (call,) = planned.calls
    assert call.questions[-1].classifier == "blocked_topics"
    assert call.view == "exchange"


def test_what_a_topic_means_is_in_the_question_for_either_judge(make_turn: Any) -> None:
    (call,) = plan(make_turn("Can I sue them?", "No."), (_opinion(),)).calls
    (question,) = call.questions
    assert '"legal_advice" (Law suits and contracts, my lawyer, sue); "rivals" (Globex)' in question.instructions
    assert question.meanings == {
        "legal_advice": Meaning(
            name="legal advice", description="Law suits and contracts.", examples=("my lawyer", "sue")
        ),
        "rivals": Meaning(name="rivals", examples=("Globex",)),
    }


def test_a_tenant_without_topics_has_no_such_question(make_turn: Any) -> None:
    turn = make_turn("Can I sue them?", "No.")
    config = Config(tenants={"bank": TenantConfig(guard_policy="banking")})
    judging = Judging(config)
    assert "blocked_topics" not in [one.name for one in judging.plan(turn)[0].classifiers]
    (row,) = [one for one in judging.plan(replace(turn, tenant="bank"))[0].rows("encoder") if "topics" in one.metric]
    assert row.skip is None
    assert row.metric == "agent.blocked_topics.verdict"


def test_a_tenant_without_topics_is_skipped_where_it_is_asked_all_the_same(make_turn: Any) -> None:
    assert plan(make_turn("Hello", "Hello."), (topic_opinion(lambda tenant: (), TOPICS),)).skips == {
        "blocked_topics": "no_topics"
    }


def test_nothing_is_asked_where_no_policy_has_topics_or_the_question_is_off(make_turn: Any) -> None:
    turn = make_turn("Can I sue them?", "No.")
    off = Config(classifiers=("safety",), guard_policy="banking")
    for config in (Config(), off):
        assert "blocked_topics" not in [one.name for one in Judging(config).plan(turn)[0].classifiers]


@pytest.mark.parametrize(
    ("topic", "label"),
    [
        ("legal-advice", "legal_advice"),
        ("none", "topic_none_140bed"),
        ("3d-printed-weapons", "topic_3d_printed_weapons_1fcf25"),
        ("a-very-long-name-that-is-no-code-any-more-by-itself", "topic_a_very_long_name_that_is_n_2b4012"),
    ],
)
def test_a_label_is_the_id_of_the_topic_as_a_code(topic: str, label: str) -> None:
    assert topic_label(Topic(id=topic, terms=("x",))) == label


def test_many_topics_keep_the_prompt_short() -> None:
    many = tuple(Topic(id=f"topic-{n}", terms=("word",) * 20, description="What it is. " * 20) for n in range(40))
    seen = Turn(messages=(), id="t")
    assert len(_opinion(many).instructions(seen)) <= MAX_INSTRUCTIONS
    assert {len(one.examples) for one in _opinion(many).meanings(seen).values()} == {MAX_EXAMPLES}
