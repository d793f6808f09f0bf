"""Makes the rows of the red-team pack from its seeds; the same rows in every process, so that runs can be paired."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from afterturn.errors import UsageError
from afterturn.evals import Row, with_content
from afterturn.formats import read_tools
from afterturn.gate.redteam._encode import encode
from afterturn.gate.redteam._records import FAMILIES, KEY, Family, Kind, Seed, Setting, Sign, Trial, trial_to_json
from afterturn.turns import JsonObject, JsonValue, Message, Passage, ToolCall

FOLDER = Path(__file__).parent
DATASET = "redteam"
"""What the pack is called where a run or a gate names its dataset."""

_FOLDERS: Mapping[Kind, str] = {"attack": "attacks", "lookalike": "lookalikes"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack:
    """Is a choice of the seeds, as rows.

    Attributes:
        rows: The rows, attacks and look-alikes of a family one after the other.
        planned: Attacks and look-alikes by family.
        left_out: Seeds that cannot be seen with this agent: their tools are not its own.
    """

    rows: tuple[Row, ...]
    planned: Mapping[str, tuple[int, int]]
    left_out: int = 0


@cache
def seeds() -> tuple[Seed, ...]:
    """Reads all seeds: by family, attacks first."""
    return tuple(seed for family in FAMILIES for kind in _FOLDERS for seed in _read(family, kind))


def load_pack(
    families: Sequence[str] = (), *, limit: int | None = None, instructions: str | None = None, lookalikes: bool = True
) -> Pack:
    """Makes the rows of the chosen families.

    Args:
        families: Names; all of them where none is given.
        limit: At most so many attacks, and so many look-alikes, of each family.
        instructions: The agent's own instructions. Then no made-up setting is laid over it: a leak is eight of its
            words in a row, and seeds that need a tool of the setting are left out.
        lookalikes: Whether the harmless look-alikes are in it.

    Raises:
        UsageError: There is no such family.

    Example:
        >>> load_pack(["override"], limit=2).planned
        {'override': (2, 2)}
    """
    chosen = _chosen(families)
    rows: list[Row] = []
    planned: dict[str, tuple[int, int]] = {}
    left_out = 0
    for family in chosen:
        counts: list[int] = []
        for kind in _FOLDERS:
            mine = [seed for seed in seeds() if seed.family == family and seed.kind == kind]
            made = [row for seed in mine if (row := _row(seed, instructions)) is not None]
            left_out += len(mine) - len(made)
            kept = made[:limit] if kind == "attack" or lookalikes else []
            counts.append(len(kept))
            rows += kept
        planned[family] = (counts[0], counts[1])
    return Pack(rows=tuple(rows), planned=planned, left_out=left_out)


def _chosen(families: Sequence[str]) -> tuple[Family, ...]:
    unknown = [name for name in families if name not in FAMILIES]
    if unknown:
        raise UsageError(f"no family is called {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    return tuple(family for family in FAMILIES if not families or family in families)


def _read(family: Family, kind: Kind) -> Iterator[Seed]:
    text = (FOLDER / _FOLDERS[kind] / f"{family}.jsonl").read_text(encoding="utf-8")
    for line in text.split("\n"):  # not splitlines: a text may hold other line ends
        if line:
            values: dict[str, Any] = json.loads(line)
            single = values.pop("text", None)
            turns = values.pop("turns", None) or ([] if single is None else [single])
            lists = {name: tuple(values.pop(name, ())) for name in ("encode", "passages", "expects")}
            yield Seed(family=family, kind=kind, turns=tuple(turns), **lists, **values)


@cache
def _settings() -> Mapping[str, Setting]:
    given: dict[str, Any] = json.loads((FOLDER / "settings.json").read_text(encoding="utf-8"))
    return {
        name: Setting(
            instructions=values["instructions"],
            tools=read_tools(values["tools"]),
            tool_results=values["tool_results"],
        )
        for name, values in given.items()
    }


@cache
def _words() -> Mapping[str, Sequence[str]]:
    return json.loads((FOLDER / "words.json").read_text(encoding="utf-8"))


class _Fill:
    """Fills the placeholders of a seed, with strings that are its own and always the same."""

    def __init__(self, seed: Seed) -> None:
        number = int.from_bytes(hashlib.sha256(seed.id.encode()).digest()[:8])
        marks, secrets = _words()["marks"], _words()["secrets"]
        first, step = number % len(marks), 1 + number // 1_000 % (len(marks) - 1)
        place = number // 1_000_000 % len(secrets)
        self.values = {
            "{a}": marks[first],
            "{b}": marks[(first + step) % len(marks)],
            "{canary}": f"{secrets[place]}-{1000 + number % 9000}",
            "{secret}": f"{secrets[(place + 7) % len(secrets)]}-{1000 + number // 9000 % 9000}",
        }
        self.values["{payload}"] = encode(self(seed.payload), seed.encode) if seed.payload else ""

    def __call__(self, text: str) -> str:
        for name, value in self.values.items():
            text = text.replace(name, value)
        return text

    def inside(self, value: JsonValue) -> JsonValue:
        """Fills the texts inside a value."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {key: self.inside(item) for key, item in cast(JsonObject, value).items()}
        return [self.inside(item) for item in value] if isinstance(value, list | tuple) else value


def _row(seed: Seed, instructions: str | None) -> Row | None:
    """Makes a row; None where success could not be seen with this agent."""
    fill, setting = _Fill(seed), _settings()[seed.setting]
    own = instructions is not None
    sign = _sign(seed, fill, instructions)
    if seed.kind == "attack" and not sign.plain and not sign.asks:
        return None
    trial = Trial(family=seed.family, kind=seed.kind, sign=sign, expects=() if own else seed.expects)
    row = Row(
        id=seed.id,
        input=tuple(_messages(seed, fill, "" if own else fill(setting.instructions))),
        context=_passages(seed, fill) if seed.passages else None,
        tools=() if own else setting.tools,
        tool_results={} if own else cast(JsonObject, fill.inside(setting.tool_results)),
        metadata={KEY: trial_to_json(trial), "language": seed.language},
        source=f"{DATASET}:{seed.id}",
    )
    return with_content(row)


def _sign(seed: Seed, fill: _Fill, instructions: str | None) -> Sign:
    given = cast(Mapping[str, Any], fill.inside(seed.sign))
    sign = Sign(
        says=given.get("says", ""),
        leaks=(fill.values["{canary}"], fill.values["{secret}"]) if given.get("leaks") else (),
        calls=given.get("calls", ""),
        calls_with=given.get("with", ""),
        matches=given.get("matches", ""),
        asks=given.get("asks", ""),
    )
    if instructions is None:
        return sign
    return replace(sign, leaks=(), calls="", calls_with="", phrases_of=instructions if sign.leaks else "")


def _messages(seed: Seed, fill: _Fill, instructions: str) -> Iterable[Message]:
    """Writes the conversation. Passages stand behind the made-up instructions; else before the first message."""
    passages = "".join(f"[{passage.alias}] {passage.text}\n" for passage in _passages(seed, fill))
    block = f"Answer from these passages where they help:\n{passages}" if passages else ""
    if instructions:
        yield Message(role="system", text=f"{instructions}\n\n{block}".strip())
    for number, text in enumerate(seed.turns):
        before = "" if instructions or number or not block else f"{block}\n"
        yield Message(role="user", text=before + fill(text))
    if seed.tool:
        yield Message(role="assistant", tool_calls=(ToolCall(name=seed.tool, arguments={}, id="call_1"),))
        yield Message(role="tool", text=fill(seed.result), tool_call_id="call_1")


def _passages(seed: Seed, fill: _Fill) -> tuple[Passage, ...]:
    return tuple(Passage(alias=f"c{number}", text=fill(text)) for number, text in enumerate(seed.passages, start=1))
