"""Gives turns with labelled questions: the corpus of turns, our test sets, public dev files."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tool_rows import DATA

from afterturn.classifiers import INJECTION
from afterturn.formats import BadLine, read_any
from afterturn.guard import Guard
from afterturn.outcomes import Judgement
from afterturn.turns import Agent, Message, Turn

CORPUS = Path(__file__).parent / "corpus"
ROLES: dict[str, Any] = {"user": "user", "agent": "assistant"}
LANGUAGES = ("en", "fr", "de", "es")
SEED = 6
SIZES = {"frustration": 24, "convabuse": 20, "star": 20, "injection": 24, "safety": 20}
MOST_CHARACTERS = 600

Line = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """Is a turn with the right answers to some questions about it.

    Attributes:
        set: Where it is from.
        turn: The turn.
        labels: The right answers by the classifier's name.
        classifiers: What is asked, beside the second pass.
    """

    set: str
    turn: Turn
    labels: Mapping[str, Any]
    classifiers: tuple[str, ...] = field(default=("conclusion",))


def labelled() -> list[Labelled]:
    """Gives the sets by turns, so that a part of all rows is a part of each."""
    sets = [_corpus(), _frustration(), _convabuse(), _star(), _injection(), _safety()]
    spread = [[(place / len(rows), at, row) for place, row in enumerate(rows)] for at, rows in enumerate(sets)]
    return [row for _, _, row in sorted(itertools.chain(*spread), key=lambda one: one[:2])]


def is_right(question: str, found: Judgement, label: Any) -> bool:
    """Says whether a judgement is the right answer; an error is not."""
    outcome, verdict = found.outcome, found.verdict
    if outcome is None or verdict.status in ("error", "skipped"):
        return False
    if question == "conversation":
        return bool(set(outcome.categories or ()) & set(label))
    if question == "sources":
        return bool(set(outcome.sources or ()) & set(label))
    if question == "conclusion":
        return outcome.task_concluded == label
    if question == INJECTION:
        return (verdict.status == "finding") == label
    if question == "safety":
        return (verdict.label or "none") == label
    if label in ("is ai", "is not ai"):
        return (outcome.frustration == "ai") == (label == "is ai")
    return outcome.frustration == label


def _corpus() -> list[Labelled]:
    """The turns with content; sources where the reply names none itself, conclusion where there is a parent."""
    rows: list[Labelled] = []
    for turn in read_any(CORPUS / "turns.jsonl"):
        if isinstance(turn, BadLine):
            raise SystemExit(str(turn))
        expect: Any = turn.extra["expect"]
        if expect["kind"] != "content":
            continue
        labels: dict[str, Any] = {"conversation": expect["categories"]}
        if expect["sources"] and "[c" not in turn.messages[-1].text:
            labels["sources"] = expect["sources"]
        if expect["task_concluded"] is not None:
            labels["conclusion"] = expect["task_concluded"]
        rows.append(Labelled(set="corpus", turn=turn, labels=labels, classifiers=tuple(labels)))
    return rows


def _frustration() -> list[Labelled]:
    rows = [row for row in _jsonl(CORPUS / "frustration.jsonl") if row["lang"] in LANGUAGES]
    return [
        _asked("frustration", row["id"], [*row["history"], _said(row["message"])], "ai_frustration", row["target"])
        for row in _even(rows, "target", SIZES["frustration"])
    ]


def _convabuse() -> list[Labelled]:
    rows = _jsonl(DATA / "dialogue" / "frustration" / "convabuse-eliza.dev.jsonl")
    rows = [row for row in rows if row["target"] in ("ai", "none")]
    name = {"ai": "is ai", "none": "is not ai"}
    return [
        _asked("ConvAbuse dev", row["id"], row["turns"], "ai_frustration", name[row["target"]])
        for row in _even(rows, "target", SIZES["convabuse"])
    ]


def _star() -> list[Labelled]:
    rows = _jsonl(DATA / "dialogue" / "conclusion" / "star.dev.jsonl")
    agent = Agent("task", parent="desk")
    return [
        _asked("STAR dev", row["id"], row["turns"], "conclusion", row["concluded"], agent)
        for row in _even(rows, "concluded", SIZES["star"])
    ]


def _injection() -> list[Labelled]:
    """Attacks and benign texts that the static guard lets through: the others are not asked about."""
    guard, rows = Guard(), list[Line]()
    for path in sorted((DATA / "injection" / "dev").glob("*.jsonl")):
        rows += [row for row in _jsonl(path) if row["label"] != "harmful_request"]
    short = [{**row, "attack": row["label"] != "benign"} for row in rows if 40 <= len(row["text"]) <= MOST_CHARACTERS]
    drawn = _even(short, "attack", 6 * SIZES["injection"])
    short = [row for row in drawn if not guard.check(row["text"]).flagged]
    return [
        Labelled(set="injection dev", turn=_turn(row["id"], [_said(row["text"])]), labels={INJECTION: row["attack"]})
        for row in _even(short, "attack", SIZES["injection"])
    ]


def _safety() -> list[Labelled]:
    rows = [row for row in _jsonl(CORPUS / "languages.jsonl") if row["task"] == "safety" and row["lang"] in LANGUAGES]
    return [
        _asked("safety", row["id"], [_said(row["text"])], "safety", row["label"])
        for row in _even(rows, "label", SIZES["safety"])
    ]


def _asked(
    name: str, turn: str, said: Iterable[Line], question: str, label: Any, agent: Agent | None = None
) -> Labelled:
    return Labelled(set=name, turn=_turn(turn, said, agent), labels={question: label}, classifiers=(question,))


def _turn(name: str, said: Iterable[Line], agent: Agent | None = None) -> Turn:
    messages = [Message(role=ROLES[one["role"]], text=one["text"]) for one in said if one["role"] in ROLES]
    if messages[-1].role == "user":
        messages.append(Message(role="assistant", text="OK."))  # a turn is judged once there is a reply
    return Turn(messages=tuple(messages), id=name, session=name, agent=agent or Agent("desk"))


def _said(text: str) -> Line:
    return {"role": "user", "text": text}


def _even(rows: Sequence[Line], key: str, count: int) -> Iterator[Line]:
    """Draws rows of each label by turns."""
    shuffled = list(rows)
    random.Random(SEED).shuffle(shuffled)
    labels = sorted({row[key] for row in rows}, key=str)
    queues = [iter([row for row in shuffled if row[key] == label]) for label in labels]
    drawn = (row for group in itertools.zip_longest(*queues) for row in group if row is not None)
    return itertools.islice(drawn, count)


def _jsonl(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []
