"""Reads the training rows of every task: public data in ../shared/data (train or dev) and the rows written by us.

A row is a task, one text or two, and a label. Long texts are cut to a window; an injected instruction whose place is
known is in it.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "training" / "data"
PRACTICE = ROOT / "benchmarks" / "guard"
WINDOW_CHARACTERS = 700
ORDINARY_A_SOURCE = 160
LISTS = ("banking77", "clinc150", "multidogo", "nlupp-banking", "star", "mts-dialog")
EVERYDAY_EVERY = 6
WITHOUT_SMALL_TALK = ("banking77", "multidogo", "star")
CITED = "sharealike/rag/dstc11-track5-citations.{}.jsonl"

FRESH = "fresh"

LABELS: dict[str, tuple[str, ...]] = {
    "frustration": ("none", "situation", "ai"),
    "wants_human": ("no", "yes"),
    "sentiment": ("negative", "neutral", "positive"),
    "safety": ("none", "self_harm", "harassment", "harmful_content"),
    "injection": ("benign", "attack"),
    "injection_kind": (
        "override", "prompt_extraction", "persona", "exfiltration", "encoded_smuggling", "safety_bypass",
    ),
    "injection_given": ("benign", "attack"),
    "concluded": ("no", "yes"),
    "scope": ("none", "off_topic", "unauthorized_advice", "persona_break"),
    "topic": ("in_scope", "off_topic"),
    "support": ("no", "yes"),
    "small_talk": ("no", "yes"),
    "small_talk_reply": ("no", "yes"),
}  # fmt: skip
_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")
PAIRS = frozenset({"injection_given", "scope", "topic", "support"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Is one labelled example.

    Attributes:
        task: Name of the task.
        text: The text that is judged.
        other: What it is judged against; None for tasks on one text.
        label: One of the task's labels.
        source: Data set.
        lang: ISO code, `und` where unknown.
        group: Rows of one group stay on one side of a split.
    """

    task: str
    text: str
    other: str | None = None
    label: str
    source: str
    lang: str = "und"
    group: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """Is a text with the names of a closed list that fit it."""

    text: str
    names: tuple[str, ...]
    right: tuple[int, ...]
    source: str


def jsonl(path: Path) -> list[dict[str, Any]]:
    """Reads a JSONL file; an absent one is empty."""
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []


def window(text: str, inside: str | None = None, size: int = WINDOW_CHARACTERS) -> str:
    """Cuts a text to a window, around a part of it where that is given."""
    if len(text) <= size:
        return text
    at = text.find(inside[:80]) if inside else -1
    start = 0 if at < 0 else max(0, min(at - size // 4, len(text) - size))
    return text[start : start + size]


def rows(shared: Path, split: str, *, seed: int = 0) -> list[Row]:
    """Gives the rows of a split: `train` with the rows written by us, or `dev`."""
    found = [row for read in _PUBLIC for row in read(shared / "data", split)]
    if split == "train":
        found += [row for read in _OURS for row in read()]
    random.Random(seed).shuffle(found)
    return found


def injection(data: Path, split: str) -> Iterator[Row]:
    """Attack or benign, of the public sets; plain harmful requests are left out."""
    for path in sorted((data / "injection" / split).glob("*.jsonl")):
        for row in jsonl(path):
            if row["label"] == "harmful_request":
                continue
            label = "attack" if row["label"] in ("injection", "jailbreak") else "benign"
            context = row.get("context") or {}
            text = window(row["text"], context.get("injected_instruction"))
            yield Row(task="injection", text=text, label=label, source=path.stem, lang=row.get("lang", "und"))
            if context.get("user_prompt"):
                yield Row(
                    task="injection_given", text=text, other=context["user_prompt"], label=label, source=path.stem
                )


def frustration(data: Path, split: str) -> Iterator[Row]:
    """Whom the customer is unhappy with; problem messages of banking77 are of the situation or of none: not ai."""
    folder = data / "dialogue" / "frustration"
    for row in jsonl(folder / f"convabuse-eliza.{split}.jsonl"):
        if row["target"] in LABELS["frustration"]:
            yield Row(task="frustration", text=said(row["turns"]), label=row["target"], source="convabuse", lang="en")
    for row in jsonl(folder / f"banking77-problem.{split}.jsonl"):
        yield Row(task="frustration", text=said(row["turns"]), label="none", source="banking77-problem", lang="en")
    for row in jsonl(folder / f"nlupp-banking-handoff.{split}.jsonl"):
        label = "yes" if row["wants_human"] else "no"
        yield Row(task="wants_human", text=row["message"], label=label, source="nlupp", lang="en")


def concluded(data: Path, split: str) -> Iterator[Row]:
    """Whether the reply ends the task."""
    for row in jsonl(data / "dialogue" / "conclusion" / f"star.{split}.jsonl"):
        last = [turn["text"] for turn in row["turns"] if turn["role"] == "user"][-1:]
        text = exchange(last, row["reply"])
        yield Row(task="concluded", text=text, label="yes" if row["concluded"] else "no", source="star", lang="en")


def support(data: Path, split: str) -> Iterator[Row]:
    """Whether a passage supports a reply."""
    for name in ("begin-wow-cmu", "mtrag-un"):
        for row in jsonl(data / "rag" / "groundedness" / f"{name}.{split}.jsonl"):
            for passage in row["passages"][:2]:
                label = "yes" if row["grounded"] else "no"
                yield Row(
                    task="support", text=window(row["reply"], size=500), other=window(passage), label=label, source=name
                )


def ordinary(data: Path, split: str) -> Iterator[Row]:
    """Ordinary messages of customers: what has no finding must be told from the few that have one."""
    for name in ("banking77", "clinc150", "multidogo", "nlupp-banking", "star"):
        for row in jsonl(data / "dialogue" / "topics" / f"{name}.{split}.jsonl")[:ORDINARY_A_SOURCE]:
            said_last = [turn["text"] for turn in row["turns"] if turn["role"] == "user"][-1:]
            for text in said_last:
                yield Row(task="safety", text=text, label="none", source=name, lang="en")
                yield Row(task="frustration", text=said(row["turns"][-2:]), label="none", source=name, lang="en")
                if name in WITHOUT_SMALL_TALK:
                    yield Row(task="small_talk", text=text, label="no", source=name, lang="en")


def topic(data: Path, split: str) -> Iterator[Row]:
    """Whether a message is within the instructions."""
    for path in sorted((data / "scope" / split).glob("*.jsonl")):
        for row in jsonl(path):
            yield Row(
                task="topic", text=row["text"], other=window(row["context"]["scope"]), label=row["label"],
                source=path.stem, lang="en",
            )  # fmt: skip


def our_frustration() -> Iterator[Row]:
    """Our own rows, in fifteen languages."""
    for row in chain.from_iterable(jsonl(path) for path in sorted(OURS.glob("frustration*.jsonl"))):
        turns = [*row["history"][-1:], {"role": "user", "text": row["message"]}]
        common = {"source": "ours", "lang": row["lang"], "group": _stretch(row["id"])}
        yield Row(task="frustration", text=said(turns), label=row["target"], **common)
        yield Row(task="wants_human", text=row["message"], label="yes" if row["wants_human"] else "no", **common)
    for task in ("sentiment", "safety"):
        yield from _labelled(f"{task}.jsonl", task, "ours")


def _labelled(name: str, task: str, source: str) -> Iterator[Row]:
    for row in jsonl(OURS / name):
        group, label = _group(row["id"]), row[task]
        yield Row(task=task, text=row["message"], label=label, source=source, lang=row["lang"], group=group)


def our_scope() -> Iterator[Row]:
    """Our own rows about replies and instructions."""
    for row in chain.from_iterable(jsonl(path) for path in sorted(OURS.glob("scope*.jsonl"))):
        label = "none" if row["drift"] == "in_scope" else row["drift"]
        yield Row(
            task="scope", text=window(row["reply"]), other=window(row["instructions"]), label=label,
            source=FRESH if row["id"].startswith("sc3-") else "ours", lang=row["lang"], group=row["agent"],
        )  # fmt: skip
    for row in jsonl(OURS / "handoff.jsonl"):
        messages = row["messages"]
        customer = [message["text"] for message in messages if message["role"] == "user"][-1:]
        text = exchange(customer, messages[-1]["text"])
        label = "yes" if row["concluded"] else "no"
        yield Row(task="concluded", text=text, label=label, source="ours", lang=row["lang"], group=row["agent"])


def our_injection() -> Iterator[Row]:
    """Our own rows: attacks in context, and the guard's practice lists."""
    for row in jsonl(OURS / "injection_in_context.jsonl"):
        text = window(row.get("tool_output") or row["message"])
        label = "attack" if row["attack"] else "benign"
        common = {"source": "ours", "lang": row["lang"], "group": row.get("pair") or _group(row["id"])}
        yield Row(task="injection_given", text=text, other=row["user_asked"], label=label, **common)
        if row["category"] in LABELS["injection_kind"]:
            yield Row(task="injection_kind", text=text, label=row["category"], **common)
    for name in ("practice-a", "practice-b", "practice-c"):
        for row in jsonl(PRACTICE / f"{name}.jsonl"):
            common = {"source": name, "lang": row["lang"], "group": _group(row["id"])}
            yield Row(task="injection", text=window(row["text"]), label=row["label"], **common)
            if row["label"] == "attack" and row["category"] in LABELS["injection_kind"]:
                yield Row(task="injection_kind", text=window(row["text"]), label=row["category"], **common)


def fresh() -> Iterator[Row]:
    """Our own rows that no layer was trained on: a head that is fitted to them sees vectors as those of new texts."""
    common = {"source": FRESH}
    for row in chain.from_iterable(jsonl(path) for path in sorted(OURS.glob("wants_human_*.jsonl"))):
        label = "yes" if row["wants_human"] else "no"
        yield Row(task="wants_human", text=row["message"], label=label, lang=row["lang"], group=row["id"], **common)
    for row in everyday():
        yield Row(task="wants_human", text=row.text, label="no", lang=row.lang, group=row.group, **common)
        yield Row(task="safety", text=row.text, label="none", lang=row.lang, group=row.group, **common)
    for row in jsonl(OURS / "concluded2.jsonl"):
        label, text = "yes" if row["concluded"] else "no", exchange([row["message"]], row["reply"])
        yield Row(task="concluded", text=text, label=label, lang=row["lang"], group=_stretch(row["id"]), **common)
    for task in ("sentiment", "safety"):
        yield from _labelled(f"{task}2.jsonl", task, FRESH)


def everyday() -> Iterator[Row]:
    """Some of what customers write on any day, in twenty languages: what a rare finding must be told from.

    Three rows in a thousand do ask for a person; they are left where they are.
    """
    yield from [row for row in small_talk() if row.task == "small_talk"][::EVERYDAY_EVERY]


def small_talk() -> Iterator[Row]:
    """Our own rows of training/smalltalk: what customers and agents say when there is no matter, and when there is."""
    for path in sorted((ROOT / "training" / "smalltalk").glob("*.tsv")):
        task = "small_talk_reply" if path.stem.startswith("replies-") else "small_talk"
        language = path.stem.removeprefix("replies-")[:2]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            label, text = line.split("\t", 1)
            yield Row(
                task=task, text=text, label="yes" if label == "s" else "no", source="ours", lang=language,
                group=f"place-{number // 5}",
            )  # fmt: skip


def listed(shared: Path, split: str) -> list[Listed]:
    """Gives texts with the names of their closed list, and replies with the passages that they could rest on."""
    folder = shared / "data" / "dialogue" / "topics"
    lists = json.loads((shared / "data" / "category_lists.json").read_text(encoding="utf-8"))
    found: list[Listed] = []
    for name in LISTS:
        for row in jsonl(folder / f"{name}.{split}.jsonl"):
            key = row["category_list"]
            labels = list(lists[key[1:]]["labels"] if isinstance(key, str) else key)
            right = tuple(labels.index(label) for label in row["categories"] if label in labels)
            text = "\n".join(turn["text"] for turn in row["turns"] if turn["role"] == "user")[-WINDOW_CHARACTERS:]
            if right and text:
                names = tuple(readable(label) for label in labels)
                found.append(Listed(text=text, names=names, right=right, source=name))
    if split == "train":
        found += list(our_lists())
    for row in jsonl(shared / "data" / CITED.format(split)):
        if row["cited"]:
            text, passages = row["reply"], tuple(row["passages"])
            found.append(Listed(text=text, names=passages, right=tuple(row["cited"]), source="dstc11"))
    return found


def our_lists() -> Iterator[Listed]:
    """Our own lists in thirteen languages; a list with descriptions stands for itself and for its bare names."""
    for row in jsonl(OURS / "categories.jsonl"):
        names = tuple(readable(name) for name in row["names"])
        described = tuple(
            f"{name}: {row['descriptions'][raw]}" if row["descriptions"].get(raw) else name
            for name, raw in zip(names, row["names"], strict=True)
        )
        for message in row["messages"]:
            right = tuple(row["names"].index(name) for name in message["right"])
            for shown in {names, described} if right else ():
                yield Listed(text=message["text"], names=shown, right=right, source="ours")


def english(shared: Path) -> list[str]:
    """Gives English texts of the train files, as the similarities read them: messages, replies, passages, sentences."""
    found: set[str] = set()
    for path in sorted((shared / "data" / "dialogue").glob("*/*.train.jsonl")):
        for row in jsonl(path):
            found |= {turn["text"] for turn in row.get("turns", ())[-6:]}
    for path in sorted((shared / "data").glob("**/rag/**/*.train.jsonl")):
        for row in jsonl(path):
            found |= {row["reply"], row.get("question") or "", *row["passages"][:6]}
    for path in sorted((shared / "data" / "scope" / "train").glob("*.jsonl")):
        found |= {row["text"] for row in jsonl(path)}
    found |= {text[: WINDOW_CHARACTERS // 2] for text in found}
    return sorted(text for text in found if 3 < len(text) <= WINDOW_CHARACTERS)


def said(turns: Sequence[Mapping[str, str]]) -> str:
    """Writes turns as the encoder reads them at run time: the agent's last words before the customer's."""
    lines = [f"{'agent' if turn['role'] in ('agent', 'assistant') else 'customer'}: {turn['text']}" for turn in turns]
    return "\n".join(lines)[-WINDOW_CHARACTERS:]


def exchange(customer: Sequence[str], reply: str) -> str:
    """Writes the customer's last message and the reply."""
    return "\n".join([*(f"customer: {window(text, size=250)}" for text in customer), f"agent: {reply[-500:]}"])


def readable(name: str) -> str:
    """Writes the name of a category as words."""
    return " ".join(_CAMEL.sub(" ", name).replace("_", " ").replace("/", " ").replace("-", " ").split()).lower()


def _stretch(row_id: str) -> str:
    """Keeps neighbouring rows of the later files together: they are contrasts of one another."""
    name, number = row_id.rsplit("-", 1)
    return _group(row_id) if name == "frustration" or not number.isdigit() else _group(f"{name}-{int(number) // 25}")


def _group(row_id: str) -> str:
    return hashlib.sha256(row_id.encode()).hexdigest()[:8]


_PUBLIC: tuple[Callable[[Path, str], Iterator[Row]], ...] = (
    injection,
    frustration,
    concluded,
    support,
    topic,
    ordinary,
)
_OURS: tuple[Callable[[], Iterator[Row]], ...] = (our_frustration, our_scope, our_injection, small_talk, fresh)
