"""Measures the questions that the encoder answers by trained heads: our test sets and public dev files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from quality_figures import Figure, auc, binary_f1, macro_f1, recall_at, share

from afterturn.evals._grounded import GroundingGrader
from afterturn.guard import Guard
from afterturn.judges.encoder._categories import relevant
from afterturn.judges.encoder._classified import drift, frustration, injection, safety, sentiment, wants_human
from afterturn.judges.encoder._conclusion import conclude
from afterturn.judges.encoder._conversation import Conversation, lay_out
from afterturn.judges.encoder._model import Embedder
from afterturn.language import asks_for_human
from afterturn.mood import signals
from afterturn.turns import Message, Turn

CORPUS = Path(__file__).parent / "corpus"
ROLES: dict[str, Any] = {"user": "user", "agent": "assistant", "assistant": "assistant"}

ABUSE = re.compile(
    r"\b(?:fuck\w*|shit\w*|stupid|idiot\w*|dumb\w*|useless|bitch\w*|ass|hate|suck\w*|moron|shut up|bot)\b", re.I
)
"""The keyword list that stands beside ConvAbuse."""

SAYS_DONE = re.compile(
    r"\b(?:booked|confirmed|reserved|scheduled|completed?|done|success\w*|set up|all set|paid|approved|sent)\b", re.I
)
"""Words that alone tell a conclusion on STAR; masked in the second figure."""


def jsonl(path: Path) -> list[dict[str, Any]]:
    """Reads a JSONL file; an absent one is empty."""
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []


def spoken(turns: Iterable[dict[str, str]], message: str | None = None) -> Conversation:
    """Lays out turns (roles user and agent), with a last message of the customer."""
    said = [Message(role=ROLES[turn["role"]], text=turn["text"]) for turn in turns]
    if message is not None:
        said.append(Message(role="user", text=message))
    return lay_out(Turn(messages=tuple(said)))


def frustrations(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Whom a customer is unhappy with: our test set, by language, and the public dev files."""
    rows = jsonl(CORPUS / "frustration.jsonl")
    found = [frustration(spoken(row["history"], row["message"]), encoder) for row in rows]
    right = [row["target"] for row in rows]
    labels = [one.label for one in found]
    settled = ["situation" if one.unsure else one.label for one in found]  # what the classifier makes of unsure
    score = macro_f1(right, labels)
    yield Figure("frustration", "our test set", len(rows), "macro F1 of the target", score, asked="≥ 0.80")
    yield Figure("frustration", "our test set", len(rows), "macro F1, unsure as situation", macro_f1(right, settled))
    unsure = share(one.unsure for one in found)
    yield Figure("frustration", "our test set", len(rows), "unsure", unsure)
    folder = data / "dialogue" / "frustration"
    rows = [row for row in jsonl(folder / "convabuse-eliza.dev.jsonl") if row["target"]]
    if rows:
        right = [row["target"] == "ai" for row in rows]
        guess = [frustration(spoken(row["turns"]), encoder).label == "ai" for row in rows]
        words = [bool(ABUSE.search(row["message"])) for row in rows]
        beside = (("keywords", binary_f1(right, words)),)
        yield Figure("frustration", "ConvAbuse dev", len(rows), "F1 of ai", binary_f1(right, guess), beside, "≥ 0.85")
        rows = jsonl(folder / "banking77-problem.dev.jsonl")
        called = share(_called_ai(spoken(row["turns"]), encoder) for row in rows)
        yield Figure("frustration", "banking77 problems dev", len(rows), "called ai", called, asked="≤ 0.02")


def _called_ai(said: Conversation, encoder: Embedder) -> bool:
    found = frustration(said, encoder)
    return found.label == "ai" and not found.unsure


def wishes(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Whether a customer wants a person."""
    rows = jsonl(CORPUS / "wants_human.jsonl")
    right = [row["wants_human"] for row in rows]
    guess = [wants_human(spoken((), row["message"]), encoder)[0] for row in rows]
    words = [asks_for_human(row["message"]) for row in rows]
    beside = (("phrases alone", binary_f1(right, words)),)
    yield Figure("wants human", "our test set", len(rows), "F1", binary_f1(right, guess), beside, "≥ 0.90")


def conclusions(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Whether a reply ends the task, also with the words masked that give it away."""
    rows = jsonl(data / "dialogue" / "conclusion" / "star.dev.jsonl")
    for name, mask in (("STAR dev", False), ("STAR dev, telling words masked", True)):
        if not rows:
            return
        right, guess, words = [], [], []
        for row in rows:
            reply = SAYS_DONE.sub("…", row["reply"]) if mask else row["reply"]
            customer = [turn["text"] for turn in row["turns"] if turn["role"] == "user"][-1:]
            right.append(row["concluded"])
            guess.append(conclude("".join(customer), reply, encoder).concluded)
            words.append(bool(SAYS_DONE.search(reply)))
        beside = (("word list", binary_f1(right, words)),)
        yield Figure("concluded", name, len(rows), "F1", binary_f1(right, guess), beside, "≥ 0.92" if mask else "")


def declining(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Declining and handing off are in scope."""
    rows = jsonl(CORPUS / "declining.jsonl")
    found = [drift(row["instructions"], row["reply"], encoder) for row in rows]
    wrong = share(one.label != "none" and not one.unsure for one in found)
    yield Figure("scope drift", "declining, ten languages", len(rows), "called drift", wrong, asked="≤ 0.05")
    yield Figure("scope drift", "declining, ten languages", len(rows), "unsure", share(one.unsure for one in found))


def triggers(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Innocent sentences with words that attacks use, by both layers."""
    rows, guard = jsonl(CORPUS / "trigger_words.jsonl"), Guard()
    static = share(guard.check(row["text"]).flagged for row in rows)
    found = [injection(row["text"], encoder)[0] for row in rows]
    second = share(one.label == "attack" and not one.unsure for one in found)
    yield Figure("injection", "trigger words", len(rows), "flagged by the static guard", static, asked="≤ 0.02")
    yield Figure("injection", "trigger words", len(rows), "flagged by the encoder", second, asked="≤ 0.02")
    yield Figure("injection", "trigger words", len(rows), "encoder unsure", share(one.unsure for one in found))


def known_sources(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Attacks and benign texts of sources that the head has seen (dev): no measure of new sources."""
    chances, attack = [], []
    for path in sorted((data / "injection" / "dev").glob("*.jsonl")):
        for row in jsonl(path):
            if row["label"] != "harmful_request":
                chances.append(injection(row["text"], encoder)[0].finding)
                attack.append(row["label"] != "benign")
    if chances:
        yield Figure("injection", "dev, known sources", len(chances), "AUC", auc(attack, chances))
        recall = recall_at(attack, chances, 0.01)
        yield Figure("injection", "dev, known sources", len(chances), "recall at 1 % false positives", recall)


def languages(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Parallel items in eleven languages: how often each task is answered rightly, by language.

    `languages.jsonl` and `languages2.jsonl` are by two writers. Safety counts whether there is a signal, not which.
    """
    tables: dict[str, dict[str, list[bool]]] = {}
    for task, language, right in (*_parallel(encoder), *_by_language(encoder)):
        tables.setdefault(task, {}).setdefault(language, []).append(right)
    for task, by_language in tables.items():
        for language, hits in by_language.items():
            beside = (("en", share(by_language["en"])),) if language != "en" else ()
            yield Figure(task, f"by language: {language}", len(hits), "right", share(hits), beside)


def _parallel(encoder: Embedder) -> Iterator[tuple[str, str, bool]]:
    right: dict[str, Callable[[dict[str, Any]], bool]] = {
        "injection": lambda row: (injection(row["text"], encoder)[0].label == "attack") == row["attack"],
        "sentiment": lambda row: sentiment(spoken((), row["text"]), encoder)[1].label == row["label"],
        "safety": lambda row: (safety(spoken((), row["text"]), encoder).label == "none") == row["safe"],
        "categories": lambda row: _category(row, encoder) == ([row["right"]] if row["right"] else []),
        "concluded": lambda row: conclude(row["message"], row["reply"], encoder).concluded == row["concluded"],
        "scope": lambda row: (drift(row["instructions"], row["reply"], encoder).label == "none")
        == (row["drift"] == "in_scope"),
        "groundedness": lambda row: _supported(row, encoder) == row["supported"],
        "re-ask": lambda row: _asked_again(row) == row["reask"],
    }
    for row in map(_alike, (*jsonl(CORPUS / "languages.jsonl"), *jsonl(CORPUS / "languages2.jsonl"))):
        yield row["task"], row["lang"], right[row["task"]](row)


def _alike(row: dict[str, Any]) -> dict[str, Any]:
    """Gives a row of either file under the keys of both."""
    row = {**row, "task": {"reask": "re-ask", "support": "groundedness"}.get(row["task"], row["task"])}
    if row["task"] == "injection":
        row.setdefault("attack", row.get("label") == "attack")
    if row["task"] == "safety":
        row["safe"] = row["label"] in ("none", "safe")
    if row["task"] == "categories" and "right" not in row:
        row |= {"message": row["text"], "reply": "", "right": row["label"]}
    return row


def _by_language(encoder: Embedder) -> Iterator[tuple[str, str, bool]]:
    for row in jsonl(CORPUS / "frustration.jsonl"):
        found = frustration(spoken(row["history"], row["message"]), encoder).label
        yield "frustration", row["lang"], found == row["target"]
    for row in jsonl(CORPUS / "wants_human.jsonl"):
        yield "wants human", row["lang"], wants_human(spoken((), row["message"]), encoder)[0] == row["wants_human"]


def _category(row: dict[str, Any], encoder: Embedder) -> Sequence[str]:
    said = [{"role": "user", "text": row["message"]}, {"role": "agent", "text": row["reply"]}]
    turns = [turn for turn in said if turn["text"]]
    return list(relevant(spoken(turns), row["names"], {}, 5, encoder).names[:1])


def _supported(row: dict[str, Any], encoder: Embedder) -> bool:
    return GroundingGrader(lambda: encoder).grounding(row["sentence"], [row["passage"]]).grounded


def _asked_again(row: dict[str, Any]) -> bool:
    said = [("user", row["before"]), ("assistant", row["agent"]), ("user", row["message"])]
    return signals(Turn(messages=tuple(Message(role=ROLES[role], text=text) for role, text in said))).reask


TASKS: dict[str, Callable[[Embedder, Path], Iterator[Figure]]] = {
    "frustration": frustrations,
    "wishes": wishes,
    "conclusion": conclusions,
    "declining": declining,
    "triggers": triggers,
    "known": known_sources,
    "languages": languages,
}
