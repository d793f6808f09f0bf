"""Holds the persona: who a simulated customer is, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from afterturn.evals.simulate._moves import Move, read_moves
from afterturn.formats import FormatProblem, is_object, read_id, wrong_type
from afterturn.turns import JsonObject, JsonValue

PATIENCE = 8
MOST_PATIENCE = 100
SCRIPT = "script"
"""Id of whoever says what stands in a scenario that names no persona."""

_TEXTS = ("name", "language", "goal", "situation", "knowledge", "mood", "style", "opening")
_KEYS = ("id", *_TEXTS, "facts", "patience", "moves")
OVER = ("goal", "situation", "facts", "patience", "moves", "opening")
"""What a scenario may say of its customer; it wins over the persona."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Persona:
    """Is a simulated customer.

    Attributes:
        id: A short id, unique in its file.
        name: A few words for lists.
        language: The language that it writes, as a code (`de`) or in words.
        goal: What it wants. Hidden: the agent learns of it only by what the customer says.
        situation: What happened before, as the customer knows it.
        knowledge: What it knows and does not know of the matter.
        mood: How it feels.
        style: How it writes. Hidden, like the goal.
        facts: What it tells when asked, by name of the fact.
        patience: How many replies it waits for its goal.
        opening: Its first message, where a script plays it.
        moves: What it says then, where a script plays it.
    """

    id: str
    name: str = ""
    language: str = "en"
    goal: str = ""
    situation: str = ""
    knowledge: str = ""
    mood: str = ""
    style: str = ""
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    patience: int = PATIENCE
    opening: str = ""
    moves: tuple[Move, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """Writes the persona; what it does not have is left out."""
        wire: dict[str, JsonValue] = {"id": self.id}
        wire |= {key: text for key in _TEXTS if (text := cast(str, getattr(self, key)))}
        if self.facts:
            wire["facts"] = dict(self.facts)
        wire["patience"] = self.patience
        if self.moves:
            wire["moves"] = [move.to_json() for move in self.moves]
        return wire


def read_persona(value: JsonValue, path: str = "the persona") -> Persona:
    """Reads a persona.

    Raises:
        FormatProblem: It is none; names the place, never a text of it.

    Example:
        >>> read_persona({"id": "ann", "goal": "A refund", "facts": {"order": 4711}}).facts
        {'order': '4711'}
    """
    if not is_object(value):
        raise wrong_type(path, value, "an object with an id")
    unknown = sorted(value.keys() - set(_KEYS))
    if unknown:
        raise FormatProblem(f"{path} has the key {unknown[0]}", f"a persona knows {', '.join(_KEYS)}")
    name = read_id(value.get("id"), f"{path}: id")
    if not name or "~" in name:
        raise FormatProblem(f"{path} has no id, or one with ~ in it", "give it a short id of its own")
    return _filled(Persona(id=name), value, path)


def with_scenario(persona: Persona, scenario: JsonObject, path: str) -> Persona:
    """Gives the persona what a scenario says of its customer; facts come beside the persona's own.

    Raises:
        FormatProblem: What it says has a wrong type.
    """
    own = {key: value for key, value in scenario.items() if key in OVER and value is not None}
    filled = _filled(persona, own, path)
    return replace(filled, facts={**persona.facts, **filled.facts})


def _filled(persona: Persona, value: JsonObject, path: str) -> Persona:
    texts = {key: _text(value[key], f"{path}: {key}") for key in _TEXTS if value.get(key) is not None}
    return replace(
        persona,
        **texts,  # pyright: ignore[reportArgumentType]
        facts=_facts(value["facts"], path) if value.get("facts") is not None else persona.facts,
        patience=_patience(value["patience"], path) if value.get("patience") is not None else persona.patience,
        moves=read_moves(value["moves"], f"{path}: moves") if value.get("moves") is not None else persona.moves,
    )


def _text(value: JsonValue, path: str) -> str:
    if isinstance(value, str):
        return value.strip()
    raise wrong_type(path, value, "a text")


def _facts(value: JsonValue, path: str) -> dict[str, str]:
    if not is_object(value):
        raise wrong_type(f"{path}: facts", value, "an object of texts")
    for name, fact in value.items():
        if isinstance(fact, bool) or not isinstance(fact, str | int | float):
            raise wrong_type(f"{path}: facts.{name}", fact, "a text or a number")
    return {name: str(fact).strip() for name, fact in value.items()}


def _patience(value: JsonValue, path: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_PATIENCE:
        return value
    raise FormatProblem(f"{path}: patience is no number of turns", f"give a whole number from 1 to {MOST_PATIENCE}")
