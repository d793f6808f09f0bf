"""Reads how sure a model was of its yes/no and one-of-a-list fields from the log-probabilities of its tokens.

The tokens are aligned with the JSON text, each field's value is walked token by token, and at each step the
probability of the tokens that lead to the value is taken among those that lead to any allowed value. So it does not
matter that some servers (llama.cpp) report the probabilities before the grammar forbids tokens. An allowed value that
the reported alternatives do not show may have at most the probability of the last one shown; it is counted with that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from afterturn import failopen
from afterturn.calls import Confidence
from afterturn.turns import JsonObject, JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """Is one token of a reply with the alternatives at its place.

    Attributes:
        text: The token's bytes.
        logprob: Its natural log-probability.
        top: The likeliest tokens at its place with their log-probabilities, likeliest first.
    """

    text: bytes
    logprob: float
    top: tuple[tuple[bytes, float], ...] = ()


def told_confidence(body: str, schema: JsonObject, logprobs: object) -> dict[str, Confidence]:
    """Finds the confidence of each field that a server's log-probabilities tell; empty where they cannot be read.

    Args:
        body: The JSON object exactly as the model wrote it.
        schema: The schema that was asked for.
        logprobs: The tokens as the server sent them, in the OpenAI form, or anything else.
    """
    return failopen.call(
        "judges.logprobs",
        lambda: confidences(body, schema, tokens_of(logprobs)),
        lambda _: dict[str, Confidence](),
    )


def tokens_of(items: object) -> tuple[Token, ...]:
    """Reads tokens in the OpenAI form (`token`, `bytes`, `logprob`, `top_logprobs`); empty where it is another."""
    found = [_token(item) for item in _mappings(items)]
    return () if None in found else tuple(token for token in found if token is not None)


def confidences(body: str, schema: JsonObject, tokens: Sequence[Token]) -> dict[str, Confidence]:
    """Finds the confidence of each boolean and single-enum field, where the tokens tell it.

    Args:
        body: The JSON object exactly as the model wrote it.
        schema: The schema that was asked for.
        tokens: The reply's tokens; they may have more around the object (thinking, a fence).
    """
    whole = b"".join(token.text for token in tokens)
    start = whole.rfind(body.encode("utf-8", "replace"))
    properties = schema.get("properties")
    if start < 0 or not body or not isinstance(properties, Mapping):
        return {}
    found: dict[str, Confidence] = {}
    for name, offset, literal in _fields(body):
        field = properties.get(name)
        choices = _choices(field) if isinstance(field, Mapping) else ()
        if len(choices) < 2 or literal not in choices:
            continue
        at = start + len(body[:offset].encode())
        probability = _probability(tokens, at, literal.encode(), [choice.encode() for choice in choices])
        if probability is not None:
            found[name] = Confidence(percent=max(0, min(100, round(100 * probability))), source="logprob")
    return found


def _mappings(items: object) -> list[JsonObject]:
    if not isinstance(items, list | tuple):
        return []
    return [item for item in cast(Sequence[JsonValue], items) if isinstance(item, Mapping)]


def _token(item: JsonObject) -> Token | None:
    pair = _pair(item)
    if pair is None:
        return None
    top = (_pair(other) for other in _mappings(item.get("top_logprobs")))
    return Token(text=pair[0], logprob=pair[1], top=tuple(other for other in top if other is not None))


def _pair(item: JsonObject) -> tuple[bytes, float] | None:
    raw, token, logprob = item.get("bytes"), item.get("token"), item.get("logprob")
    if not isinstance(logprob, int | float) or isinstance(logprob, bool) or math.isnan(logprob):
        return None
    if isinstance(raw, list):
        octets = [octet for octet in raw if isinstance(octet, int) and 0 <= octet < 256]
        return (bytes(octets), float(logprob)) if len(octets) == len(raw) else None
    return (token.encode("utf-8", "replace"), float(logprob)) if isinstance(token, str) else None


def _fields(body: str) -> Iterator[tuple[str, int, str]]:
    """Yields each top-level field: its name, where its value starts (characters), the value as it was written."""
    decoder = json.JSONDecoder()
    at = _skip(body, body.find("{") + 1)
    while at < len(body) and body[at] == '"':
        name, at = decoder.raw_decode(body, at)
        start = _skip(body, _skip(body, at) + 1)
        value, at = decoder.raw_decode(body, start)
        # Escapes may be written in several ways; the canonical form is what the choices are compared in.
        literal = json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | None) else ""
        if body.startswith(literal, start):
            yield name, start, literal
        at = _skip(body, at)
        if at < len(body) and body[at] == ",":
            at = _skip(body, at + 1)


def _skip(body: str, at: int) -> int:
    while at < len(body) and body[at] in " \t\r\n":
        at += 1
    return at


def _choices(field: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The values a field may have, as JSON literals; empty where it is not one of a few."""
    branches = field.get("anyOf")
    if isinstance(branches, Sequence) and not isinstance(branches, str):
        parts = [_choices(branch) if isinstance(branch, Mapping) else () for branch in branches]
        return tuple(dict.fromkeys(c for part in parts for c in part)) if all(parts) else ()
    enum = field.get("enum")
    if isinstance(enum, Sequence) and not isinstance(enum, str):
        return tuple(json.dumps(value, ensure_ascii=False) for value in enum)
    return {"boolean": ("true", "false"), "null": ("null",)}.get(str(field.get("type")), ())


def _probability(tokens: Sequence[Token], at: int, value: bytes, choices: Sequence[bytes]) -> float | None:
    """The probability of the value among the choices, or None where the tokens do not tell it.

    Args:
        tokens: All tokens.
        at: Where the value starts, in bytes of the joined tokens.
        value: The value, one of the choices.
        choices: All allowed values.
    """
    position, probability, told = 0, 1.0, False
    open_choices = list(choices)
    for token in tokens:
        begin, position = position, position + len(token.text)
        if position <= at or not token.text:
            continue
        if begin >= at + len(value):
            break
        before = token.text[: max(0, at - begin)]
        done = value[: max(0, begin - at)]
        open_choices = [choice for choice in open_choices if choice.startswith(done)]
        if len(open_choices) < 2:
            break
        share = _share(token, before, done, value, open_choices)
        if share is None:
            return None
        probability, told = probability * share, True
    return probability if told else None


def _share(token: Token, before: bytes, done: bytes, value: bytes, choices: Sequence[bytes]) -> float | None:
    """The share of the value at one token, among all choices that are still open there."""
    top = dict(token.top)
    if not top:
        return None
    lowest = min(top.values())
    top.setdefault(token.text, token.logprob)
    ours, theirs = 0.0, 0.0
    shown: set[bytes] = set()
    for text, logprob in top.items():
        led = _leads(text, before, done, choices)
        shown.update(led)
        if value in led:
            ours += math.exp(logprob)
        elif led:
            theirs += math.exp(logprob)
    if len(shown) < len(choices):
        left = max(0.0, 1.0 - sum(math.exp(logprob) for logprob in top.values()))
        theirs += min(math.exp(lowest), left)
    return ours / (ours + theirs) if ours > 0 else None


def _leads(text: bytes, before: bytes, done: bytes, choices: Sequence[bytes]) -> list[bytes]:
    """The choices that a token at this place may still become; none where it leads elsewhere."""
    if before.strip():
        if not text.startswith(before):
            return []
        part = text[len(before) :]
    else:
        part = text.lstrip() if not done else text
    if not part:
        return []
    written = done + part
    return [choice for choice in choices if choice.startswith(written) or written.startswith(choice)]
