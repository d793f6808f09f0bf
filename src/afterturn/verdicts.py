"""Holds the verdict: what was decided about a turn, never a word of the conversation.

A verdict holds ids, enums and numbers by type; `label` and `reason` are codes and checked to be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Status = Literal["finding", "no_finding", "skipped", "error"]
ConfidenceSource = Literal["logprob", "encoder", "model", "rule"]
ResponseFormat = Literal["json_schema", "json_schema_reduced", "json_object"]

_STATUSES: tuple[str, ...] = get_args(Status)
_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}")


def is_code(text: str) -> bool:
    """Says whether a text is a code: lower-case letters, digits and underscores, at most 40 characters.

    Example:
        >>> is_code("no_passages"), is_code("No passages!")
        (True, False)
    """
    return _CODE.fullmatch(text) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeParams:
    """Are the effective parameters of a judge call, as the provider took them.

    Attributes:
        temperature: What was sent, or None where the model takes none (or no model was asked).
        max_tokens: The limit that was sent, or None where no model was asked.
        response_format: The rung of the dialect ladder that answered, or None where no model was asked.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    response_format: ResponseFormat | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Is what a judge call used: tokens in and out, None where the judge does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """Is the recorded answer of one classifier about one turn.

    Attributes:
        tenant: Id of the tenant.
        agent: Id of the agent.
        session: Id of the session.
        turn: Id of the turn.
        classifier: Name of the classifier.
        version: Version of the classifier.
        plan: Hash of the plan that the question was asked in (company changes scores); empty where none was made.
        metric: Name of the metric that the verdict is logged under.
        status: finding, no_finding, skipped or error.
        label: A code of the classifier's closed set, or None.
        confidence: 0 to 100, or None where nobody gave one.
        confidence_source: Where the confidence comes from, or None.
        reason: Code of a skip, of an error, or `unsure`; else None.
        judge: Name of the judge that was asked or would have been.
        latency_ms: Wall time of the call that answered, in milliseconds; 0 where none was made.
        attempt: Which attempt at the job gave this verdict, from 1.
        dropped: How many values outside the closed lists were dropped from the answer.
        params: Effective parameters of the call.
        usage: Tokens of the whole call (shared by all its verdicts).
        created_at: When the verdict was made.
    """

    tenant: str
    agent: str
    session: str
    turn: str
    classifier: str
    version: str
    plan: str
    metric: str
    status: Status
    label: str | None = None
    confidence: int | None = None
    confidence_source: ConfidenceSource | None = None
    reason: str | None = None
    judge: str
    latency_ms: float = 0.0
    attempt: int = 1
    dropped: int = 0
    params: JudgeParams = JudgeParams()
    usage: Usage = Usage()
    created_at: datetime

    def __post_init__(self) -> None:
        for name, code in (("label", self.label), ("reason", self.reason)):
            if code is not None and not is_code(code):
                raise ValueError(f"{name} of a verdict is a lower-case code of at most 40 characters, never text")
        if self.status not in _STATUSES:
            raise ValueError(f"status of a verdict is one of {', '.join(_STATUSES)}")
        if self.confidence is not None and not 0 <= self.confidence <= 100:
            raise ValueError("confidence of a verdict is an integer from 0 to 100")
