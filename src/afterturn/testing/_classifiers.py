"""Checks that a classifier keeps its contract, on turns of every kind."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from afterturn.classifiers import Checked, Classifier, project
from afterturn.replies import filtered
from afterturn.testing._judges import CANARY
from afterturn.turns import Agent, JsonObject, JsonValue, Message, Passage, Turn
from afterturn.verdicts import is_code

_MAX_INSTRUCTIONS = 1_500
_MAX_ANSWERS = 200


def sample_turns() -> dict[str, Turn]:
    """Gives turns of many kinds by name: a greeting, without categories, with 120 of them, with passages.

    Every text of a customer or an agent holds `CANARY`.
    """
    passages = (Passage(alias="c1", text=f"Parcels take two days. {CANARY}"),)
    many = tuple(f"Category {number}" for number in range(120))
    question, answer = f"My parcel {CANARY} is late.", f"It comes tomorrow {CANARY}."
    few = ("Billing", "Shipping")
    turns = {
        "greeting": _turn(("hello", "Hello! How can I help?"), few),
        "no categories": _turn((question, answer), ()),
        "120 categories": _turn((question, answer), many),
        "passages": _turn((question, answer), few, passages),
        "passages cited": _turn((question, f"{answer[:-1]} [c1]."), few, passages),
        "sub-agent": _turn((question, answer), few, parent="desk"),
        "long": _turn((question * 200, answer * 200) * 6, few),
        "no question": _turn(("", answer), few),
    }
    return {name: filtered(turn) for name, turn in turns.items()}


def check_classifier(classifier: Classifier, *, turns: Sequence[Turn] = ()) -> None:
    """Checks that a classifier keeps its contract on sample turns and on yours.

    Its skip gives a code; its fields are valid, bounded JSON schemas without empty enums; its instructions are short,
    name every field and hold no text of the conversation; it reads every answer that fits its fields; its labels are
    codes of its closed set; its heads are fields.

    Args:
        classifier: The classifier.
        turns: Further turns to check it on.

    Raises:
        AssertionError: The contract is broken; the message lists how.

    Example:
        >>> from afterturn.classifiers import BUILT_IN
        >>> for classifier in BUILT_IN:
        ...     check_classifier(classifier)
    """
    faults = [f"label {label} is no code" for label in classifier.labels if not is_code(label)]
    for name, turn in [*sample_turns().items(), *((f"your turn {n}", t) for n, t in enumerate(turns, start=1))]:
        seen = project(filtered(turn), classifier.view)
        faults += [f"on {name}: {fault}" for fault in _faults(classifier, seen)]
    assert not faults, f"{classifier.name} breaks its contract: {'; '.join(faults)}"


def _turn(
    said: Sequence[str],
    categories: Sequence[str],
    passages: tuple[Passage, ...] | None = None,
    parent: str | None = None,
) -> Turn:
    messages = tuple(Message(role="assistant" if n % 2 else "user", text=text) for n, text in enumerate(said))
    agent = Agent("sample", instructions=f"You help. {CANARY}", categories=categories, parent=parent)
    return Turn(messages=messages, agent=agent, session="s-1", id="t-1", passages=passages)


def _faults(classifier: Classifier, seen: Turn) -> Iterator[str]:
    reason = classifier.skip(seen)
    if reason is not None:
        if not is_code(reason):
            yield "skip gives no code"
        return
    fields = classifier.fields(seen)
    wrong = [f"field {name}: {fault}" for name, schema in fields.items() for fault in _schema_faults(schema)]
    if wrong:
        yield from wrong
        return
    if fields:
        yield from _instruction_faults(classifier.instructions(seen), fields)
    for values in _answers(fields):
        yield from _reading_faults(classifier, values, seen)


def _instruction_faults(instructions: str, fields: Mapping[str, JsonObject]) -> Iterator[str]:
    yield from (f"the instructions do not name the field {name}" for name in fields if name not in instructions)
    if CANARY in instructions:
        yield "the instructions hold text of the conversation"
    if len(instructions) > _MAX_INSTRUCTIONS:
        yield f"the instructions are longer than {_MAX_INSTRUCTIONS} characters"


def _schema_faults(schema: JsonObject) -> Iterator[str]:
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError:
        yield "no valid JSON schema"
        return
    kind, enum = schema.get("type"), schema.get("enum")
    if enum is not None and not enum:
        yield "an empty enum"
    if isinstance(kind, list | tuple):
        yield "a list of types; use anyOf, which every provider takes"
    if kind == "array" and not isinstance(schema.get("maxItems"), int):
        yield "a list without maxItems"
    if kind == "string" and enum is None and not isinstance(schema.get("maxLength"), int):
        yield "a string without maxLength"
    for inner in _inner(schema):
        yield from _schema_faults(inner)


def _inner(schema: JsonObject) -> list[JsonObject]:
    branches: Any = schema.get("anyOf") or ()
    return [inner for inner in (*branches, schema.get("items")) if isinstance(inner, Mapping)]


def _answers(fields: Mapping[str, JsonObject]) -> Iterator[dict[str, JsonValue]]:
    """Gives answers that fit the fields, all combinations of a few values a field, up to a limit."""
    choices = [list(_values(schema)) for schema in fields.values()]
    for values in itertools.islice(itertools.product(*choices), _MAX_ANSWERS):
        yield dict(zip(fields, values, strict=True))


def _values(schema: JsonObject) -> Iterator[JsonValue]:
    enum: Any = schema.get("enum")
    branches: Any = schema.get("anyOf")
    items: Any = schema.get("items")
    if enum:
        yield from enum[:4]
    elif branches:
        for branch in branches:
            yield from _values(branch)
    elif items:
        yield []
        yield list(itertools.islice(_values(items), 1))
    else:
        kinds: dict[JsonValue, tuple[JsonValue, ...]] = {
            "boolean": (True, False),
            "null": (None,),
            "integer": (0, 100),
            "number": (0.0, 1.0),
        }
        yield from kinds.get(schema.get("type"), ("some text", ""))


def _reading_faults(classifier: Classifier, values: dict[str, JsonValue], seen: Turn) -> Iterator[str]:
    reading = classifier.read(Checked(values=values), seen)
    if reading.status not in ("finding", "no_finding"):
        yield f"reads the status {reading.status}"
    if reading.label is not None and reading.label not in classifier.labels:
        yield "reads a label outside its closed set"
    if values and classifier.heads and not set(classifier.heads) & set(values):
        yield "has a head for a field that it does not declare"
