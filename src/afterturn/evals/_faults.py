"""Turns what an agent or a judge raised into a code, a message and whether to wait and ask again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from afterturn.errors import AgentError, JudgeError, RateLimitedError
from afterturn.evals._evidence import clip
from afterturn.evals._redact import redact_error
from afterturn.formats import clean_text
from afterturn.verdicts import is_code

MESSAGE_CHARS = 500
RATE_LIMITED = "rate_limited"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """Is what went wrong.

    Attributes:
        code: The reason in the result.
        message: What the error said, secrets taken out and clipped.
        wait: Whether it was a rate limit that passes.
        retry_after_s: How long the server asks to wait, or None.
    """

    code: str
    message: str = ""
    wait: bool = False
    retry_after_s: float | None = None


def agent_fault(error: BaseException) -> Fault:
    """What an agent raised: the code of an `AgentError`, a rate limit of any client library, else `raised`."""
    if isinstance(error, AgentError):
        code = error.code if is_code(error.code) else "raised"
        wait = code == RATE_LIMITED
        return Fault(code=code, message=_message(error), wait=wait, retry_after_s=error.retry_after_s)
    if getattr(error, "status_code", None) == 429:
        return Fault(code=RATE_LIMITED, message=_message(error), wait=True, retry_after_s=_retry_after_s(error))
    return Fault(code="raised", message=_message(error))


def judge_fault(error: BaseException) -> Fault:
    """What a judge raised: the code of a `JudgeError`; one that breaks its contract is `judge_broke`."""
    if not isinstance(error, JudgeError):
        return Fault(code="judge_broke", message=type(error).__name__)
    wait = isinstance(error, RateLimitedError) and error.transient
    return Fault(code=error.code, message=told_safely(error.hint), wait=wait, retry_after_s=error.retry_after_s)


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # an error whose own text breaks
        text = ""
    named = text if isinstance(error, AgentError) else f"{type(error).__name__}: {text}".removesuffix(": ")
    return told_safely(named)


def told_safely(text: str) -> str:
    """Takes secrets out of what an error says, and clips it."""
    return clip(redact_error(clean_text(text)), MESSAGE_CHARS)


def _retry_after_s(error: BaseException) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    try:
        return float(headers["retry-after"])
    except (TypeError, KeyError, ValueError):
        return None
