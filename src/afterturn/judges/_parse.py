"""Reads a model's reply: the WHOLE reply must be one JSON object.

Taking the first object out of a longer reply would let the judged text plant a verdict, so nothing is searched for:
thinking text is cut from the front only, one code fence around everything is taken off, and what is left is the object
or an error. Errors never hold text of the reply.
"""

from __future__ import annotations

import json
import math
import re
from typing import Literal, NoReturn, cast

from afterturn.errors import InvalidJsonError, JudgeError, RefusedError, TruncatedError
from afterturn.turns import JsonObject, JsonValue

Finish = Literal["stop", "length", "refusal"]

# (what opens thinking text at the very start of a reply, what closes it). The FIRST closer counts: a closer that the
# thinking quotes from the judged text then leaves a rest that is no JSON, which is an error and not a planted verdict.
_THINKING: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"<(?:think|thinking)>"), re.compile(r"</(?:think|thinking)>")),
    (re.compile(r"<\|channel\|>(?:analysis|commentary)"), re.compile(r"<\|end\|>|(?=<\|channel\|>final)")),
    (re.compile(r"<\|channel>thought(?:<channel\|>)?"), re.compile(r"<channel\|>")),
    (re.compile(r"<unused\d+>thought"), re.compile(r"<unused\d+>")),
)
_UNOPENED_CLOSER = re.compile(r"</(?:think|thinking)>")
_HEADER = re.compile(r"(?:<\|start\|>assistant)?(?:<\|channel\|>final[^<\n]{0,40})?<\|message\|>")
_LAST_TOKEN = re.compile(r"<\|[a-z_]{1,24}\|>\Z")
_TOKEN_LENGTH = 28
MAX_REPLY_CHARACTERS = 1_000_000
"""A reply longer than this is no answer to our questions; reading it would hold up everything else."""
_FENCE = re.compile(r"```[ \t]*(?:json|JSON)?[ \t]*\r?\n(.*)\n[ \t]*```\Z", re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_reply(text: str, *, finish: Finish = "stop") -> JsonObject:
    """Reads the one JSON object that a reply is.

    Args:
        text: The reply's text.
        finish: How the model ended: `length` if it ran into the token limit, `refusal` if it or a filter declined.

    Raises:
        RefusedError: The model declined.
        TruncatedError: The token limit cut the reply.
        InvalidJsonError: The whole reply is not one JSON object: empty, prose, two objects, a key twice, NaN, …
    """
    if finish == "refusal":
        raise RefusedError("the model declined to answer; another judge may not")
    if finish == "length":
        raise TruncatedError("the answer hit the token limit; ask fewer questions in one call")
    if len(text) > MAX_REPLY_CHARACTERS:
        raise InvalidJsonError("the reply is far longer than any answer; use a model that keeps to a schema")
    body = json_text(text)
    failure: JudgeError | None = None
    value: object = None
    try:
        value = json.loads(
            body, object_pairs_hook=_unique, parse_constant=_not_json, parse_float=_finite, parse_int=_bounded
        )
    except (ValueError, RecursionError):
        failure = InvalidJsonError("the whole reply is not one JSON object; use a model that keeps to a schema")
    if failure is None and not isinstance(value, dict):
        failure = InvalidJsonError("the reply is JSON but not an object; use a model that keeps to a schema")
    if failure is not None:
        raise failure  # here, so that no parser error with the reply in it is kept as its context
    return cast(JsonObject, _mended(cast(JsonValue, value)))


def json_text(text: str) -> str:
    """Cuts thinking text in front, control tokens behind and one fence around the whole, and nothing else."""
    rest = _without_last_tokens(_cut_thinking(text))
    fence = _FENCE.match(rest)
    if fence is None or "```" in fence.group(1):
        return rest
    return fence.group(1).strip()


def _without_last_tokens(text: str) -> str:
    """Takes control tokens off the end one by one: a pattern for all of them would be quadratic in blanks."""
    rest = text.strip()
    while found := _LAST_TOKEN.search(rest, max(len(rest) - _TOKEN_LENGTH, 0)):
        rest = rest[: found.start()].rstrip()
    return rest


def _cut_thinking(text: str) -> str:
    rest = text.strip()
    while (after := _after_thinking(rest)) is not None:
        rest = after.strip()
    header = _HEADER.match(rest)
    return rest[header.end() :] if header else rest


def _after_thinking(text: str) -> str | None:
    """What follows thinking text at the start, empty where it never ends, None where there is none."""
    for opener, closer in _THINKING:
        start = opener.match(text)
        if start:
            end = closer.search(text, start.end())
            return text[end.end() :] if end else ""
    if text.startswith(("{", "`", "[", "<|")):
        return None  # a closer further on is inside the answer, not the end of thinking
    end = _UNOPENED_CLOSER.search(text)  # chat templates that open the thinking themselves
    return text[end.end() :] if end else None


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _not_json(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number beyond the range of floats")
    return value


def _bounded(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError("a number that no field asks for")
    return int(digits)


def _mended(value: JsonValue) -> JsonValue:
    """Replaces half surrogate pairs, which can be neither encoded nor stored."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", key): _mended(item) for key, item in value.items()}
    return value
