"""Every error that Afterturn raises, as one tree.

AfterturnError
├── UsageError                    the caller did what the interface does not allow
│   └── ConfigError               a setting has no meaning or a wrong type
├── InputError                    something read from outside cannot be used
│   ├── TurnFormatError           one record is no turn
│   └── UnreadableInputError      a whole file cannot be read
├── OutputError                   something cannot be written
├── StoreError                    the database refused; `code` says why
├── AgentError                    an agent under test gave no reply that can be scored; `code` says why
└── JudgeError                    a judge gave no usable answer; `code` says why
    ├── RefusedError              refusal
    ├── TruncatedError            truncated
    ├── InvalidJsonError          invalid_json
    ├── SchemaViolationError      schema_violation
    ├── RateLimitedError          rate_limited   (a retry helps)
    ├── JudgeTimeoutError         timeout
    ├── ProviderError             provider_error (a retry helps if `transient`)
    └── JudgeMissingError         judge_missing

No message holds text of a conversation: ids, counts, class names, and what to do.
"""

from __future__ import annotations

from typing import ClassVar, Literal

ErrorCode = Literal[
    "refusal",
    "truncated",
    "invalid_json",
    "schema_violation",
    "rate_limited",
    "timeout",
    "provider_error",
    "judge_missing",
]

StoreCode = Literal[
    "busy",
    "cannot_open",
    "conflict",
    "corrupt",
    "disk_error",
    "foreign_tables",
    "full",
    "missing",
    "newer_schema",
    "no_database",
    "older_schema",
    "readonly",
    "refused",
    "too_big",
]


class AfterturnError(Exception):
    """Is the root of the tree: catch it to catch all of Afterturn's own errors."""


class UsageError(AfterturnError):
    """Says that a call does not fit the interface; fix the call."""


class ConfigError(UsageError):
    """Says that a setting is unknown, of the wrong type or out of range; fix the setting."""


class InputError(AfterturnError):
    """Says that something read from outside cannot be used."""


class TurnFormatError(InputError):
    """Says that one record is no turn, and which part of it is wrong."""


class UnreadableInputError(InputError):
    """Says that a file cannot be read at all."""


class OutputError(AfterturnError):
    """Says that a result cannot be written, and where."""


class StoreError(AfterturnError):
    """Says that the database refused; nothing of the failed transaction was stored.

    Args:
        message: What is wrong with which file, and what to do.
        code: Why, for logs, which hold no message.
    """

    def __init__(self, message: str, *, code: StoreCode = "refused") -> None:
        super().__init__(message)
        self.code: StoreCode = code


class AgentError(AfterturnError):
    """Says that an agent under test gave no reply that can be scored.

    Args:
        code: Why, as a code (`timeout`, `rate_limited`, `bad_reply`, …).
        hint: What to do about it.
        retry_after_s: How long the agent's server asks to wait, where it does.
    """

    def __init__(self, code: str, hint: str = "", *, retry_after_s: float | None = None) -> None:
        super().__init__(hint)
        self.code = code
        self.hint = hint
        self.retry_after_s = retry_after_s


class JudgeError(AfterturnError):
    """Says that a judge gave no usable answer.

    Args:
        hint: What to do about it, without any text of the conversation or of the provider's reply.
    """

    code: ClassVar[ErrorCode] = "provider_error"

    def __init__(self, hint: str = "", *, transient: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(hint)
        self.hint = hint
        self.transient = transient
        self.retry_after_s = retry_after_s


class RefusedError(JudgeError):
    """Says that the model declined to answer."""

    code = "refusal"


class TruncatedError(JudgeError):
    """Says that the answer hit the token limit; fewer questions in one call help."""

    code = "truncated"


class InvalidJsonError(JudgeError):
    """Says that the whole reply is not one JSON object."""

    code = "invalid_json"


class SchemaViolationError(JudgeError):
    """Says that the answer is JSON but not what the schema asked for."""

    code = "schema_violation"


class RateLimitedError(JudgeError):
    """Says that the provider limits the rate; a later retry helps."""

    code = "rate_limited"


class JudgeTimeoutError(JudgeError):
    """Says that the deadline of the whole call passed."""

    code = "timeout"


class ProviderError(JudgeError):
    """Says that the provider failed (5xx, connection, protocol); `transient` says if a retry helps."""

    code = "provider_error"


class JudgeMissingError(JudgeError):
    """Says that the judge cannot be used here: not installed, no model file, no key, unknown name."""

    code = "judge_missing"
