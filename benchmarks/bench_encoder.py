"""Measures the encoder judge on labelled dev rows, beside a plain counterpart in the same run, and its speed.

Run: `.venv/bin/python benchmarks/bench_encoder.py [--limit N]`. Reads `AFTERTURN_SHARED`, else ../shared; without it
only the small corpus of this repository and the speed are measured. Nothing here is fitted: the counterparts have their
cuts from the train files, as the encoder has.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packages" / "encoder" / "fit"))

from rows import (  # noqa: E402
    DATA,
    TOPICS,
    TopicRow,
    conclusion_rows,
    conversation,
    corpus_turns,
    sample,
    source_rows,
    topic_rows,
)

from afterturn.calls import Call, Question  # noqa: E402
from afterturn.judges.encoder import EncoderJudge  # noqa: E402
from afterturn.judges.encoder._categories import relevant  # noqa: E402
from afterturn.judges.encoder._conclusion import conclude  # noqa: E402
from afterturn.judges.encoder._conversation import lay_out  # noqa: E402
from afterturn.judges.encoder._load import load_encoder  # noqa: E402
from afterturn.judges.encoder._ranking import readable  # noqa: E402
from afterturn.judges.encoder._sources import supporting  # noqa: E402
from afterturn.judges.encoder._titles import make_title  # noqa: E402
from afterturn.language import stems  # noqa: E402
from afterturn.turns import Agent, Message, Passage, Turn  # noqa: E402

SMALL_TALK_INTENTS = frozenset({"greeting", "goodbye", "thank_you", "greet", "thank", "end_call"})
COSINE_CUT, SUPPORT_COSINE_CUT, OVERLAP_CUT = 0.25, 0.35, 0.14

Pick = tuple[Sequence[Any], frozenset[Any]]


def f1(pairs: Iterable[Pick]) -> float:
    """Gives the micro F1 of (picked, right) pairs."""
    hits = picked = wanted = 0
    for chosen, right in pairs:
        hits += len(set(chosen) & right)
        picked += len(set(chosen))
        wanted += len(right)
    return 2 * hits / max(picked + wanted, 1)


def row(task: str, corpus: str, count: int, measure: str, ours: float, *others: tuple[str, float]) -> None:
    """Prints one line of the table."""
    beside = ", ".join(f"{name} {value:.3f}" for name, value in others)
    print(f"| {task} | {corpus} | {count} | {measure} | {ours:.3f} | {beside} |", flush=True)


def by_cosine(item: TopicRow, encoder: Any) -> list[str]:
    """Picks the nearest category name to the customer's words, if it is near enough."""
    said = "\n".join(item.conversation.content) or item.conversation.reply
    *names, text = encoder.vectors([*(readable(name) for name in item.names), said])
    near = [float(name.mean @ text.mean) for name in names]
    best = int(np.argmax(near))
    return [item.names[best]] if near[best] >= COSINE_CUT else []


def by_keywords(item: TopicRow) -> list[str]:
    """Picks the category whose name shares most words with the customer's."""
    said = stems("\n".join(item.conversation.content))
    shared = [len(stems(readable(name)) & said) for name in item.names]
    return [item.names[int(np.argmax(shared))]] if max(shared) else []


def categories(encoder: Any, limit: int) -> None:
    """Measures categories on each list, long lists also shortened to 4 to 20 names that may lack the right one."""
    for name in TOPICS:
        for short in (False, True) if name in ("clinc150", "banking77", "nlupp-banking") else (False,):
            items = topic_rows(name, "dev", limit, short_lists=short)
            found = [list(relevant(i.conversation, i.names, i.descriptions, 5, encoder).names) for i in items]
            near, words = [by_cosine(item, encoder) for item in items], [by_keywords(item) for item in items]
            label = f"{name}, short lists" if short else name
            columns = {"encoder": found, "cosine": near, "keywords": words}
            for measure, score in (("F1", _f1_of), ("first is right", _first_of), ("abstains rightly", _abstains_of)):
                scores = {who: score(picked, items) for who, picked in columns.items()}
                if scores["encoder"] is None:
                    continue
                rest = [(who, value or 0.0) for who, value in scores.items() if who != "encoder"]
                row("categories", label, len(items), measure, scores["encoder"], *rest)


def _f1_of(picked: Sequence[Sequence[str]], items: Sequence[TopicRow]) -> float | None:
    return f1((names, item.right) for names, item in zip(picked, items, strict=True))


def _first_of(picked: Sequence[Sequence[str]], items: Sequence[TopicRow]) -> float | None:
    hits = [bool(set(names[:1]) & i.right) for names, i in zip(picked, items, strict=True) if i.right]
    return statistics.fmean(hits)


def _abstains_of(picked: Sequence[Sequence[str]], items: Sequence[TopicRow]) -> float | None:
    empty = [not names for names, item in zip(picked, items, strict=True) if not item.right]
    return statistics.fmean(empty) if empty else None


def titles(encoder: Any, limit: int) -> None:
    """Measures how often small talk and content get a title; the counterpart titles every message."""
    sets = {
        "clinc150 greetings, thanks, goodbyes": _social("clinc150"),
        "NLU++ greetings, thanks, goodbyes": _social("nlupp-banking"),
        "banking77": sample("dialogue/topics/banking77.dev.jsonl", limit),
    }
    for label, items in sets.items():
        said = [conversation(item["turns"]) for item in items]
        made = [make_title(talk.latest, talk.earlier, "", encoder).text is not None for talk in said]
        row("title", label, len(made), "has a title", statistics.fmean(made), ("first sentence", 1.0))


def _social(name: str) -> list[dict[str, Any]]:
    """Reads the rows that are nothing but a greeting, thanks or a goodbye; one with a figure answers something."""
    rows = sample(f"dialogue/topics/{name}.dev.jsonl", 10_000)
    social = [r for r in rows if r["categories"] and set(r["categories"]) <= SMALL_TALK_INTENTS]
    return [r for r in social if not any(char.isdigit() for char in r["turns"][0]["text"])]


def sources(encoder: Any, limit: int) -> None:
    """Measures attribution against the cited passages."""
    items = source_rows("dev", limit)
    ours, near, overlap = [], [], []
    for item in items:
        texts = {str(index): text for index, text in enumerate(item.passages)}
        talk = conversation([{"role": "user", "text": item.question}], item.reply)
        ours.append(([int(alias) for alias in supporting(talk, texts, encoder).aliases], item.cited))
        *vectors, reply = encoder.vectors([*item.passages, item.reply])
        near.append(([i for i, v in enumerate(vectors) if v.mean @ reply.mean >= SUPPORT_COSINE_CUT], item.cited))
        said = stems(item.reply)
        share = [len(said & stems(text)) / max(len(said), 1) for text in item.passages]
        overlap.append(([i for i, value in enumerate(share) if value >= OVERLAP_CUT], item.cited))
    row("sources", "dstc11", len(items), "F1", f1(ours), ("word overlap", f1(overlap)), ("cosine", f1(near)))


def conclusion(encoder: Any, limit: int) -> None:
    """Measures conclusions against the success nodes of the tasks; the counterpart looks for question marks."""
    items = conclusion_rows("dev", limit)
    right = [frozenset({1} if item.concluded else ()) for item in items]
    ours = [
        [1] if conclude((item.conversation.latest or ("",))[-1], item.conversation.reply, encoder).concluded else []
        for item in items
    ]
    asks = [[] if "?" in item.conversation.reply else [1] for item in items]
    scores = [f1(zip(found, right, strict=True)) for found in (ours, asks)]
    row("conclusion", "STAR", len(items), "F1", scores[0], ("no question mark", scores[1]))


def speed(encoder: Any) -> None:
    """Times a typical turn: 20 categories (warm), 5 new passages, a new message and reply each time."""
    names = [f"{word} {kind}" for word in ("card", "loan", "account", "travel", "tax") for kind in "abcd"]
    heads: dict[str, Any] = {"title": "title", "categoryNames": "relevance", "sourceIds": "support"}
    times: list[float] = []
    judge = EncoderJudge(encoder)
    for turn_number in range(21):
        call = _typical_call(turn_number, names, heads)
        started = time.perf_counter()
        asyncio.run(judge.ask(call))
        times.append(1000 * (time.perf_counter() - started))
    middle, high = statistics.median(times[1:]), sorted(times[1:])[18]
    print(f"\nspeed: {middle:.0f} ms a turn (median of 20, 95th percentile {high:.0f} ms), {times[0]:.0f} ms the first")


def _typical_call(number: int, names: list[str], heads: dict[str, Any]) -> Call:
    said = (
        f"Hello, I would like to move my trip number {number} to the week after, what does that cost me?",
        f"You can move trip {number} once without a fee. The difference in price is charged to your card. "
        "It is refunded if the new trip is cheaper, within ten days.",
    )
    text = "Trips can be moved once without a fee. The price difference is charged to the card on file. " * 3
    passages = tuple(Passage(alias=f"c{i}", text=f"Paragraph {number}.{i}. {text}") for i in range(5))
    fields: dict[str, Any] = {
        "title": {"anyOf": [{"type": "string", "maxLength": 80}, {"type": "null"}]},
        "categoryNames": {"type": "array", "items": {"type": "string", "enum": names}, "maxItems": 5},
        "sourceIds": {"type": "array", "items": {"type": "string", "enum": [p.alias for p in passages]}, "maxItems": 5},
    }
    question = Question(classifier="all", version="1", fields=fields, instructions="", heads=heads)
    messages = (Message(role="user", text=said[0]), Message(role="assistant", text=said[1]))
    turn = Turn(messages=messages, agent=Agent("a", categories=names), passages=passages)
    return Call(view="exchange+passages", turn=turn, questions=(question,), plan="0" * 16)


def corpus(encoder: Any) -> None:
    """Measures titles and categories on the corpus of this repository, by language."""
    for (language, kind), rows in corpus_turns(ROOT / "benchmarks" / "corpus" / "turns.jsonl").items():
        talks = [lay_out(turn) for turn, _ in rows]
        made = [make_title(talk.latest, talk.earlier, talk.reply, encoder).text is not None for talk in talks]
        row("title", f"corpus {language}, {kind}", len(rows), "has a title", statistics.fmean(made))
        found = [
            relevant(talk, turn.agent.categories, {}, 5, encoder).names
            for talk, (turn, _) in zip(talks, rows, strict=True)
        ]
        right = [
            bool(set(names) & expected) if expected else not names
            for names, (_, expected) in zip(found, rows, strict=True)
        ]
        measure = "an expected one" if kind == "content" else "none"
        row("categories", f"corpus {language}, {kind}", len(rows), measure, statistics.fmean(right))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=200, help="most rows of a corpus")
    limit: int = parser.parse_args().limit
    started = time.perf_counter()
    encoder = load_encoder()
    print(f"loaded in {1000 * (time.perf_counter() - started):.0f} ms\n")
    print("| task | corpus (dev) | rows | measure | encoder | counterparts |\n|---|---|---|---|---|---|")
    tasks: tuple[Callable[[Any, int], None], ...] = (categories, titles, sources, conclusion)
    if DATA.is_dir():
        for task in tasks:
            task(encoder, limit)
    else:
        print(f"\nno labelled data at {DATA} (set AFTERTURN_SHARED): only this repository's corpus is measured\n")
    corpus(encoder)
    speed(encoder)


if __name__ == "__main__":
    main()
