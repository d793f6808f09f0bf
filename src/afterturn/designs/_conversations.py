"""Reads the conversations that both designs have, and the form that is filled in one of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from afterturn.errors import UsageError
from afterturn.turns import JsonObject, Tool


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Is one message of the customer, and the form fields that it gives."""

    message: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """Is what a customer says, turn by turn, whatever the agent answers."""

    name: str
    turns: tuple[Said, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """Is what all conversations share.

    Attributes:
        categories: The closed list of the agent's categories.
        opening: What the agent said first.
        instructions: The part of the system prompt about the form.
        tool: The tool that fills the form.
        result: What it answers.
        conversations: The conversations.
    """

    categories: tuple[str, ...]
    opening: str
    instructions: str
    tool: Tool
    result: JsonObject
    conversations: tuple[Conversation, ...]


def load_setting(names: Sequence[str] = ()) -> Setting:
    """Reads the conversations of the package.

    Args:
        names: Names of those that are wanted; all where none is given.

    Raises:
        UsageError: There is none of a name.
    """
    written = json.loads(files("afterturn.designs").joinpath("conversations.json").read_text(encoding="utf-8"))
    known = {one["name"]: _conversation(one) for one in written["conversations"]}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"no conversation is named {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
    tool = written["tool"]
    return Setting(
        categories=tuple(written["categories"]),
        opening=written["opening"],
        instructions=written["instructions"],
        tool=Tool(name=tool["name"], description=tool["description"], parameters=tool["parameters"]),
        result=tool["result"],
        conversations=tuple(known[name] for name in dict.fromkeys(names or known)),
    )


def _conversation(written: Mapping[str, Any]) -> Conversation:
    turns = (Said(message=turn["message"], fields=tuple(turn.get("fields", ()))) for turn in written["turns"])
    return Conversation(name=written["name"], turns=tuple(turns))
