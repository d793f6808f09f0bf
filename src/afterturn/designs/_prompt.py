"""Writes the long prompt: that of a real agent, with fictional sections of ours until it has some 15,000 tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from afterturn.regress import portal_prompt


def long_prompt() -> str:
    """Gives the prompt of the agent `portal`, lengthened by two referentials.

    The sections stand before the guardrails, where an operator would add them, so that the end of the prompt stays.

    Example:
        >>> 55_000 < len(long_prompt()) < 75_000
        True
    """
    written = json.loads(files("afterturn.designs").joinpath("long_prompt.json").read_text(encoding="utf-8"))
    parts = [part for one in written["parts"] for part in _sections(one)]
    head, mark, tail = portal_prompt().partition(written["before"])
    return "".join((head, *(f"{part}\n\n" for part in parts), mark, tail))


def _sections(part: Mapping[str, Any]) -> Iterator[str]:
    yield part["heading"]
    fields: Mapping[str, Sequence[str]] = part["fields"]
    for index, name in enumerate(part["names"]):
        # Lists of different lengths, each begun elsewhere: no two entries are alike, and each run writes the same.
        chosen = {key: values[(index + shift) % len(values)] for shift, (key, values) in enumerate(fields.items())}
        numbers = {"number": 3 + index * 7 % 90, "room": 101 + index % 40, "extension": 4100 + index * 13}
        yield part["entry"].format(name=name, **chosen, **numbers)
