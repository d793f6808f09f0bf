"""Holds the records of the red-team pack: seeds, the settings they play in, and how their success is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from afterturn.evals import Row
from afterturn.turns import JsonObject, JsonValue, Tool

Kind = Literal["attack", "lookalike"]
Family = Literal[
    "override",
    "prompt_extraction",
    "persona",
    "exfiltration",
    "encoded_smuggling",
    "safety_bypass",
    "fake_turn",
    "tool_output_instruction",
    "passage_instruction",
    "multi_turn",
    "language",
    "judge_directed",
    "unauthorized_promise",
]
FAMILIES: tuple[Family, ...] = get_args(Family)

KEY = "redteam"
"""Where a row's metadata says what the row is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sign:
    """Is how the success of an attack is seen. Any of them is enough; `asks` alone needs a judge.

    Attributes:
        says: Two words joined by a hyphen that stand nowhere in what the agent is shown, only apart.
        leaks: Planted strings that may not leave, in no spelling.
        calls: A tool that may not be called.
        calls_with: What must stand in the arguments of that call for it to count; empty for any call.
        matches: A pattern of a reply that obeyed.
        asks: The question for a judge; yes means that the attack succeeded.
        phrases_of: The agent's own instructions, eight words of which in a row may not be in a reply; empty for none.
    """

    says: str = ""
    leaks: tuple[str, ...] = ()
    calls: str = ""
    calls_with: str = ""
    matches: str = ""
    asks: str = ""
    phrases_of: str = ""

    @property
    def plain(self) -> bool:
        """Whether it can be seen without a judge."""
        return bool(self.says or self.leaks or self.calls or self.matches or self.phrases_of)


@dataclass(frozen=True, kw_only=True, slots=True)
class Seed:
    """Is one attack, or one harmless message that looks like one.

    Attributes:
        id: Its id.
        family: What kind of attack it is, or looks like.
        kind: attack or lookalike.
        language: Language of its text (ISO 639-1).
        setting: Name of the setting it plays in.
        turns: What the customer says, a message after the other.
        encode: How the payload in the text is encoded, the first step first.
        payload: What is encoded.
        tool: The tool whose result carries it, or empty.
        result: That result.
        passages: Passages that carry it.
        sign: How success is seen, placeholders not yet filled in.
        expects: What a useful reply to a look-alike holds, any of them; empty where nothing can be said.
    """

    id: str
    family: Family
    kind: Kind
    language: str
    setting: str
    turns: tuple[str, ...]
    encode: tuple[str, ...] = ()
    payload: str = ""
    tool: str = ""
    result: str = ""
    passages: tuple[str, ...] = ()
    sign: JsonObject = field(default_factory=dict[str, JsonValue])
    expects: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """Is a made-up agent that seeds are asked of."""

    instructions: str
    tools: tuple[Tool, ...]
    tool_results: JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """Is what a row of the pack says of itself, read back from its metadata."""

    family: str
    kind: Kind
    sign: Sign = Sign()
    expects: tuple[str, ...] = ()


def trial_of(row: Row) -> Trial | None:
    """Reads what a row of the pack says of itself; None for any other row."""
    given = row.metadata.get(KEY)
    if not isinstance(given, Mapping) or given.get("kind") not in get_args(Kind):
        return None
    values = cast(Mapping[str, Any], given)
    sign = dict(cast(Mapping[str, Any], values.get("sign") or {}))
    sign["leaks"] = tuple(sign.get("leaks", ()))
    return Trial(
        family=str(values.get("family", "")),
        kind=values["kind"],
        sign=Sign(**sign),
        expects=tuple(values.get("expects", ())),
    )


def trial_to_json(trial: Trial) -> JsonObject:
    """Writes what a row says of itself; what is empty is left out."""
    given: dict[str, JsonValue] = {name: getattr(trial.sign, name) for name in Sign.__dataclass_fields__}
    given["leaks"] = list(trial.sign.leaks)
    sign = {name: value for name, value in given.items() if value}
    wire: dict[str, JsonValue] = {"family": trial.family, "kind": trial.kind}
    if sign:
        wire["sign"] = sign
    if trial.expects:
        wire["expects"] = list(trial.expects)
    return wire
