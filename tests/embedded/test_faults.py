"""Whatever the judge does: the stream is byte-identical, the turn is stored, every question has an error verdict."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from afterturn import Agent
from afterturn.calls import Judge
from afterturn.errors import ProviderError, RateLimitedError
from afterturn.judges import Deadline, ModelJudge, Retry, Trace, open_judge
from afterturn.judges._ladder import forget
from afterturn.testing import HANG, ScriptedJudge

DELTAS = ["You have ", "27 days", " of leave. ", "[not a marker] ", "search{", '"q": 1} ', "Enjoy!"]
CLEAN = "You have 27 days of leave. [not a marker] Enjoy!"
ALL = ("conversation", "sources", "conclusion", "safety", "ai_frustration", "scope_drift")


class _PanicError(BaseException):
    """As the error of an extension module that derives from BaseException alone."""


def _hangs(_: object) -> None:
    """Never answers."""


def _refusal(replies: Any) -> Any:
    return replies.chat(None, message={"role": "assistant", "content": None, "refusal": "I cannot."})


SERVED: list[tuple[str, Callable[[Any], Any], str]] = [
    ("hangs", lambda r: _hangs, "timeout"),
    ("refuses", _refusal, "refusal"),
    ("returns prose", lambda r: r.chat("The title is: leave."), "invalid_json"),
    ("returns an array", lambda r: r.chat("[1]"), "invalid_json"),
    ("returns other fields", lambda r: r.chat('{"other": 1}'), "schema_violation"),
    ("truncates", lambda r: r.chat('{"title": "Le', finish="length"), "truncated"),
    ("limits the rate", lambda r: r.http(429, {"error": {}}), "rate_limited"),
    ("fails", lambda r: r.http(500, {"error": {}}), "provider_error"),
    ("resets", lambda r: b"X-Breaks: 1", "provider_error"),
    ("wants another key", lambda r: r.http(401, {"error": {}}), "judge_missing"),
]


async def _no_wait(seconds: float) -> None:
    """Retries at once."""


async def _judged(at: Any, agent: Agent) -> tuple[str, Any, Any]:
    with capture_logs() as lines:
        async with at.turn(agent=agent, session="s-1", message="How much leave do I have?") as turn:
            turn.passages(["Leave is 27 days a year."])
            text = "".join([piece async for piece in turn.stream(DELTAS)])
        verdicts = await turn.verdicts()
    assert at.store.turn("default", turn.id).reply.text == CLEAN
    return text, verdicts, lines


def _check(text: str, verdicts: Any, lines: Any, code: str) -> None:
    assert text == CLEAN
    assert [verdict.classifier for verdict in verdicts] == list(ALL)
    attempt = 3 if code in ("rate_limited", "timeout", "provider_error") else 1  # an outage may pass, the rest is final
    assert {(verdict.status, verdict.reason, verdict.attempt) for verdict in verdicts} == {("error", code, attempt)}
    failures = [line for line in lines if line["event"] == "agent.judgement.failed"]
    assert [(line["classifier"], line["code"], line["log_level"]) for line in failures] == [
        (name, code, "error") for name in ALL
    ]


@pytest.mark.parametrize(("fault", "code"), [f[1:] for f in SERVED], ids=[f[0] for f in SERVED])
async def test_a_model_that_fails_leaves_the_reply_alone_and_errs_every_question(
    fault: Callable[[Any], Any], code: str, server: Any, replies: Any, make_afterturn: Any, agent: Agent
) -> None:
    forget()
    server.says(fault(replies))
    bare = ModelJudge("openai:m", base_url=server.base_url, api_key="k")
    judge = Trace(Deadline(Retry(bare, wait_s=0, sleep=_no_wait), seconds=0.5 if code == "timeout" else 20))
    _check(*await _judged(make_afterturn(judge), agent), code)


@pytest.mark.parametrize(
    ("step", "code"), [(_PanicError("x"), "provider_error"), (ValueError("x"), "provider_error"), (HANG, "timeout")]
)
async def test_a_judge_that_breaks_its_contract_errs_every_question(
    step: Any, code: str, make_afterturn: Any, agent: Agent
) -> None:
    judge = Deadline(ScriptedJudge(step), seconds=0.05)
    _check(*await _judged(make_afterturn(judge), agent), code)


@pytest.mark.parametrize(
    "name", ["llama:/gone/model.gguf", "nobody:model", "gpt-without-provider", "google:gemini-2.5"]
)
async def test_a_judge_that_is_not_there_errs_every_question(
    name: str, make_afterturn: Any, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    _check(*await _judged(make_afterturn(config={"judge": name}), agent), "judge_missing")


async def test_a_library_that_is_not_installed_errs_every_question(
    make_afterturn: Any, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] == "pydantic_ai"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    _check(*await _judged(make_afterturn(config={"judge": "openai:m"}), agent), "judge_missing")


async def test_an_outage_that_passes_leaves_findings_and_no_error(make_afterturn: Any, agent: Agent) -> None:
    judge = ScriptedJudge([RateLimitedError(), ProviderError(), {"title": "Leave", "categoryNames": []}])
    at = make_afterturn(judge, config={"classifiers": ["conversation"]})
    _, (verdict,), lines = await _judged(at, agent)
    assert (verdict.status, verdict.attempt, len(judge.calls)) == ("finding", 3, 3)
    assert [(line["event"], line.get("code"), line["attempt"]) for line in lines] == [
        ("afterturn.attempt_failed", "rate_limited", 1),
        ("afterturn.attempt_failed", "provider_error", 2),
        ("agent.conversation.verdict", None, 3),
    ]


async def test_an_outage_ends_after_the_attempts_that_are_configured(make_afterturn: Any, agent: Agent) -> None:
    judge = ScriptedJudge(RateLimitedError())
    at = make_afterturn(judge, config={"classifiers": ["conversation"], "max_attempts": 2})
    _, (verdict,), _ = await _judged(at, agent)
    assert (verdict.reason, verdict.attempt, len(judge.calls)) == ("rate_limited", 2, 2)


async def test_a_tenant_whose_text_must_stay_here_asks_no_judge_elsewhere(make_afterturn: Any, agent: Agent) -> None:
    judge: Judge = ScriptedJudge({}, location="remote")
    at = make_afterturn(judge, config={"residency": "local"})
    text, verdicts, _ = await _judged(at, agent)
    assert text == CLEAN
    assert {(verdict.status, verdict.reason) for verdict in verdicts} == {("skipped", "residency")}


async def test_the_encoder_without_its_model_errs_and_says_what_to_install(
    make_afterturn: Any, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr("afterturn.judges.encoder._load._shared", [])  # whatever other tests have loaded
    judge = open_judge("encoder")
    _, verdicts, _ = await _judged(make_afterturn(judge), agent)
    answered = {verdict.classifier: (verdict.status, verdict.reason) for verdict in verdicts}
    assert answered["conversation"] == ("error", "judge_missing")


async def test_a_working_model_answers_every_question(
    server: Any, replies: Any, make_afterturn: Any, agent: Agent
) -> None:
    forget()
    answer = {
        "title": "Days of leave",
        "categoryNames": ["Leave"],
        "sourceIds": ["c1"],
        "taskConcluded": False,
        "handoffSummary": None,
        "safetySignal": "none",
        "sentiment": 0.1,
        "frustrationTarget": "none",
        "wantsHuman": False,
        "scopeDrift": "none",
    }
    server.says(replies.chat(json.dumps(answer)))
    judge = ModelJudge("openai:m", base_url=server.base_url, api_key="k")
    text, verdicts, _ = await _judged(make_afterturn(judge), agent)
    assert text == CLEAN
    assert [verdict.status for verdict in verdicts] == ["finding", "finding", *["no_finding"] * 4]
    assert verdicts[0].params.max_tokens is not None
    assert verdicts[0].params.temperature == 0
    assert (verdicts[0].usage.input_tokens, verdicts[0].usage.output_tokens) == (11, 7)
