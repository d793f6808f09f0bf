"""Reads labelled public dialogues (`AFTERTURN_SHARED`, else ../shared) as the heads see them."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from afterturn.classifiers._views import project
from afterturn.judges.encoder._conversation import Conversation, lay_out
from afterturn.turns import Agent, Message, Turn

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("AFTERTURN_SHARED", ROOT.parent / "shared")) / "data"

TOPICS = ("star", "multidogo", "nlupp-banking", "clinc150", "banking77", "mts-dialog")


@dataclass(frozen=True, kw_only=True)
class TopicRow:
    """Is a conversation with its list of categories and the right ones."""

    conversation: Conversation
    names: tuple[str, ...]
    descriptions: dict[str, str]
    right: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class SourceRow:
    """Is a reply, the passages it could use and the indices of those it used."""

    question: str
    reply: str
    passages: tuple[str, ...]
    cited: frozenset[int]


@dataclass(frozen=True, kw_only=True)
class ConclusionRow:
    """Is a conversation and whether its last reply concludes the task."""

    conversation: Conversation
    concluded: bool


def raw_rows(path: str) -> Iterator[dict[str, Any]]:
    """Reads one JSONL file of the data, list names resolved."""
    lists = json.loads((DATA / "category_lists.json").read_text(encoding="utf-8"))
    with (DATA / path).open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if isinstance(row.get("category_list"), str):
                entry = lists[row["category_list"][1:]]
                row["category_list"], row["category_descriptions"] = entry["labels"], entry.get("descriptions")
            yield row


def sample(path: str, limit: int, seed: int = 7) -> list[dict[str, Any]]:
    """Reads at most `limit` rows, drawn once and for all by the seed."""
    rows = list(raw_rows(path))
    return rows if len(rows) <= limit else random.Random(seed).sample(rows, limit)


def conversation(turns: list[dict[str, str]], reply: str | None = None) -> Conversation:
    """Lays out raw turns; `agent` is the assistant, tool turns are left out."""
    roles = {"user": "user", "agent": "assistant"}
    messages = [Message(role=roles[t["role"]], text=t["text"]) for t in turns if t["role"] in roles]  # type: ignore[arg-type]
    if reply is not None and (not messages or messages[-1].text != reply):
        messages.append(Message(role="assistant", text=reply))
    return lay_out(Turn(messages=tuple(messages)))


def topic_rows(name: str, split: str, limit: int, *, short_lists: bool = False) -> list[TopicRow]:
    """Reads topic rows; with `short_lists`, long lists shrink to 4 to 20 names that may lack the right one."""
    chance = random.Random(11)
    found: list[TopicRow] = []
    for row in sample(f"dialogue/topics/{name}.{split}.jsonl", limit):
        names, right = list(row["category_list"]), frozenset(row["categories"])
        if short_lists and len(names) > 20:
            names = _shortened(names, right, chance)
        found.append(
            TopicRow(
                conversation=conversation(row["turns"]),
                names=tuple(names),
                descriptions=row.get("category_descriptions") or {},
                right=right & frozenset(names),
            )
        )
    return found


def our_topic_rows() -> list[TopicRow]:
    """Reads our own lists, in thirteen languages; some messages fit none of their list."""
    found: list[TopicRow] = []
    for line in (ROOT / "training" / "data" / "categories.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for message in row["messages"]:
            said = conversation([{"role": "user", "text": message["text"]}])
            names, right = tuple(row["names"]), frozenset(message["right"])
            found.append(TopicRow(conversation=said, names=names, descriptions=row["descriptions"], right=right))
    return [row for row in found if row.conversation.content]


def shorter(rows: list[TopicRow], seed: int, bounds: tuple[int, int] = (5, 40)) -> list[TopicRow]:
    """Draws shorter lists, which may lack the right name, from the list of each row."""
    chance = random.Random(seed)
    drawn = [frozenset(_shortened(list(row.names), row.right, chance, bounds)) for row in rows]
    return [_with_names(row, kept) for row, kept in zip(rows, drawn, strict=True)]


def without_right(rows: list[TopicRow], seed: int, share: float = 0.3) -> list[TopicRow]:
    """Takes the right names out of the list of a share of the rows, where two others are left."""
    chance = random.Random(seed)
    drawn = [row for row in rows if chance.random() < share]
    left = [(row, frozenset(row.names) - row.right) for row in drawn if row.right]
    return [_with_names(row, names) for row, names in left if len(names) > 2]


def _with_names(row: TopicRow, kept: frozenset[str]) -> TopicRow:
    return replace(row, names=tuple(name for name in row.names if name in kept), right=row.right & kept)


def source_rows(split: str, limit: int) -> list[SourceRow]:
    """Reads replies with the passages that they cite."""
    return [
        SourceRow(
            question=row["question"],
            reply=row["reply"],
            passages=tuple(row["passages"]),
            cited=frozenset(row["cited"] or ()),
        )
        for row in sample(f"sharealike/rag/dstc11-track5-citations.{split}.jsonl", limit)
    ]


def conclusion_rows(split: str, limit: int) -> list[ConclusionRow]:
    """Reads replies that conclude a task, and replies that do not."""
    return [
        ConclusionRow(conversation=conversation(row["turns"], row["reply"]), concluded=row["concluded"])
        for row in sample(f"dialogue/conclusion/star.{split}.jsonl", limit)
    ]


def corpus_turns(path: Path) -> dict[tuple[str, str], list[tuple[Turn, frozenset[str]]]]:
    """Reads the corpus of this repository by (language, kind), as the exchange view shows it, with what is right.

    Its rows are for measuring only.
    """
    found: dict[tuple[str, str], list[tuple[Turn, frozenset[str]]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        expected = row["expect"]
        messages = tuple(Message(role=m["role"], text=m["content"] or "") for m in row["messages"])
        whole = Turn(messages=messages, agent=Agent(row["agent"], categories=row["categories"]))
        turn = replace(whole, messages=project(whole, "exchange").messages)
        key = (expected["language"], expected["kind"])
        found.setdefault(key, []).append((turn, frozenset(expected["categories"])))
    return found


def _shortened(
    names: list[str], right: frozenset[str], chance: random.Random, bounds: tuple[int, int] = (4, 20)
) -> list[str]:
    size = chance.randint(*bounds)
    kept = [name for name in names if name in right and chance.random() < 0.8]
    others = [name for name in names if name not in right]
    chosen = set(kept) | set(chance.sample(others, max(size - len(kept), 1)))
    return [name for name in names if name in chosen]
