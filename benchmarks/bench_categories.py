"""Measures category relevance on lists that its weights have not seen, beside cosine and keywords in the same run.

Run: `.venv/bin/python benchmarks/bench_categories.py [--limit N] [--test]`. Each corpus is left out of the two fitted
models that decide how many categories count (the encoder's layers have seen the train files of all public lists but
banking77: see docs/encoder.md). `AFTERTURN_MINILM` and `AFTERTURN_BASE` may name folders with a `model.onnx` and
`tokenizer.json`: all-MiniLM-L6-v2, and the base before training (`training/encoder/export_base.py`). `--test` adds our
test rows, by language, with the shipped weights: look seldom, tune nothing on them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packages" / "encoder" / "fit"))

from fit_categories import TRAIN_ROWS, Case, case, cases, corpus, leaving, sets  # noqa: E402
from rows import DATA, TopicRow, corpus_turns  # noqa: E402

from afterturn.calls import Call, Question  # noqa: E402
from afterturn.judges.encoder._categories import is_catch_all, relevant  # noqa: E402
from afterturn.judges.encoder._conversation import Conversation, lay_out  # noqa: E402
from afterturn.judges.encoder._heads import answer  # noqa: E402
from afterturn.judges.encoder._load import load_encoder  # noqa: E402
from afterturn.judges.encoder._ranking import ranked, readable  # noqa: E402
from afterturn.judges.encoder._weights import Logistic, probabilities  # noqa: E402
from afterturn.language import stems  # noqa: E402
from afterturn.turns import Message, Turn  # noqa: E402

CORPUS = ROOT / "benchmarks" / "corpus"
COSINE_CUT = 0.25
MOST = 5
FROZEN = {"MiniLM cosine": ("AFTERTURN_MINILM", 101, 102), "base cosine": ("AFTERTURN_BASE", 0, 2)}
ROOM, OVERLAP = 110, 32

Read = Callable[[str], NDArray[np.float32]]
"""Gives the unit vector of a whole text."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """Is an answer: the whole order of the list, how many of it count, and which names are right."""

    order: Sequence[str]
    kept: int
    right: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Are the figures of one method on one set; None where no row has what they count."""

    first: float | None
    f1: float
    abstains: float | None


def scores(rows: Sequence[Row]) -> Scores:
    """Counts answers: the first of the order on rows with a right name, F1 of all, nothing said where none is right."""
    hits = sum(len(set(row.order[: row.kept]) & row.right) for row in rows)
    wanted = sum(len(row.right) + row.kept for row in rows)
    first = [row.order[0] in row.right for row in rows if row.right]
    empty = [row.kept == 0 for row in rows if not row.right]
    return Scores(first=_mean(first), f1=2 * hits / max(wanted, 1), abstains=_mean(empty))


def ours(row: TopicRow, found: Case, models: tuple[Logistic, Logistic]) -> Row:
    """Answers as the judge does, with other weights."""
    nearest, further = models
    names = np.array([name for name in row.names if not is_catch_all(name)])
    order = np.argsort(-found.scores, kind="stable")
    if probabilities(found.nearest, nearest)[0] < nearest.cut:
        return Row(order=names[order].tolist(), kept=0, right=row.right)
    chances = probabilities(found.further, further)
    kept = [order[0], *(index for index in order[1:] if chances[index] >= further.cut)][:MOST]
    others = [index for index in order if index not in kept]
    return Row(order=names[[*kept, *others]].tolist(), kept=len(kept), right=row.right)


def by_cosine(row: TopicRow, read: Read) -> Row:
    """Takes the nearest name to the customer's words, if it is near enough."""
    near = np.stack([read(readable(name)) for name in row.names]) @ read("\n".join(row.conversation.content))
    order = np.argsort(-near, kind="stable")
    return Row(order=np.array(row.names)[order].tolist(), kept=int(near.max() >= COSINE_CUT), right=row.right)


def by_keywords(row: TopicRow) -> Row:
    """Takes the name that shares most words with the customer's."""
    said = stems("\n".join(row.conversation.content))
    shared = np.array([len(stems(readable(name)) & said) for name in row.names])
    order = np.argsort(-shared, kind="stable")
    return Row(order=np.array(row.names)[order].tolist(), kept=int(shared.max() > 0), right=row.right)


def readers(encoder: Any) -> dict[str, Read]:
    """Gives what reads texts for cosine: our encoder, and frozen ones where a folder is named."""
    found: dict[str, Read] = {"own cosine": lambda text: encoder.vectors([text])[0].mean}
    for name, (variable, begin, end) in FROZEN.items():
        if folder := os.environ.get(variable):
            found[name] = frozen(Path(folder), begin, end)
    return found


def frozen(folder: Path, begin: int, end: int) -> Read:
    """Reads texts in windows by a frozen encoder; one vector a text is kept."""
    import onnxruntime
    from tokenizers import Tokenizer

    session: Any = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    inputs = {one.name for one in session.get_inputs()}
    known: dict[str, NDArray[np.float32]] = {}

    def window(ids: list[int]) -> NDArray[np.float32]:
        tokens = np.array([[begin, *ids, end]], np.int64)
        feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        out = session.run(None, {name: value for name, value in feed.items() if name in inputs})[0][0]
        return _unit(out.mean(axis=0) if out.ndim == 2 else out)

    def read(text: str) -> NDArray[np.float32]:
        if text not in known:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            starts = range(0, max(len(ids) - OVERLAP, 1), ROOM - OVERLAP)
            known[text] = _unit(np.mean([window(ids[at : at + ROOM]) for at in starts], axis=0))
        return known[text]

    return read


def lists(encoder: Any, limit: int) -> Iterator[tuple[str, int, Mapping[str, Scores]]]:
    """Measures every public list: its name, rows, and the scores of each method."""
    known = cases("train", TRAIN_ROWS, encoder)
    limits = dict.fromkeys(TRAIN_ROWS, limit)
    others = readers(encoder)
    shipped = leaving(known, None)
    models = {name: leaving(known, name) for name in limits}
    for name, rows in sets("dev", limits).items():
        measured = [case(row, encoder) for row in rows]
        columns = {
            "left out": [ours(row, one, models[corpus(name)]) for row, one in zip(rows, measured, strict=True)],
            "all": [ours(row, one, shipped) for row, one in zip(rows, measured, strict=True)],
            **{who: [by_cosine(row, read) for row in rows] for who, read in others.items()},
            "keywords": [by_keywords(row) for row in rows],
        }
        yield name, len(rows), {who: scores(answers) for who, answers in columns.items()}


def by_language(encoder: Any) -> Iterator[tuple[str, str, int, float]]:
    """Our test rows: the set, the language, rows, and how often a right name is among the answers."""
    hits: dict[tuple[str, str], list[bool]] = {}
    for line in (CORPUS / "languages2.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["task"] == "categories":
            said = [Message(role="user", text=row["message"]), Message(role="assistant", text=row["reply"])]
            talk = lay_out(Turn(messages=tuple(message for message in said if message.text)))
            found = relevant(talk, row["names"], {}, MOST, encoder).names
            if row["right"] and talk.content:
                order = ranked(talk, row["names"], {}, encoder).scores
                near = by_cosine(_as_row(talk, row), lambda text: encoder.vectors([text])[0].mean).order[0]
                best = row["names"][int(order.argmax())]
                hits.setdefault(("languages2, first of the order", row["lang"]), []).append(best == row["right"])
                hits.setdefault(("languages2, cosine", row["lang"]), []).append(near == row["right"])
            key = "first is right" if row["right"] else "none where none is right"
            right = found[:1] == (row["right"],) if row["right"] else not found
            hits.setdefault((f"languages2, {key}", row["lang"]), []).append(right)
    for name in ("turns", "third", "heldout"):
        for (language, kind), rows in corpus_turns(CORPUS / f"{name}.jsonl").items():
            for turn, expected in rows if kind == "content" else ():
                found = relevant(lay_out(turn), turn.agent.categories, {}, MOST, encoder).names
                hits.setdefault((f"{name}, an expected one", language), []).append(bool(expected & set(found)))
    for (name, language), found in hits.items():
        yield name, language, len(found), float(np.mean(found))


def _as_row(talk: Conversation, row: Mapping[str, Any]) -> TopicRow:
    right = frozenset({row["right"]})
    return TopicRow(conversation=talk, names=tuple(row["names"]), descriptions={}, right=right)


def small_talk(encoder: Any) -> Iterator[tuple[str, int, float]]:
    """How often turns that are nothing but small talk get no category."""
    for name in ("turns", "third", "heldout", "smalltalk", "smalltalk2"):
        turns = [
            turn
            for (_, kind), rows in corpus_turns(CORPUS / f"{name}.jsonl").items()
            for turn, _ in (rows if kind == "smalltalk" else ())
        ]
        yield name, len(turns), float(np.mean([not _answered(turn, encoder) for turn in turns]))


def _answered(turn: Turn, encoder: Any) -> Any:
    names = list(turn.agent.categories)
    field = {"type": "array", "items": {"type": "string", "enum": names}, "maxItems": MOST}
    heads: dict[str, Any] = {"names": "relevance"}
    question = Question(classifier="all", version="1", fields={"names": field}, instructions="", heads=heads)
    return answer(Call(view="exchange", turn=turn, questions=(question,), plan="0" * 16), encoder).values["names"]


def _unit(vector: Any) -> NDArray[np.float32]:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _mean(values: Sequence[bool]) -> float | None:
    return float(np.mean(values)) if values else None


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=200, help="most rows of a corpus")
    parser.add_argument("--test", action="store_true", help="our test rows as well")
    options = parser.parse_args()
    encoder = load_encoder()
    if DATA.is_dir():
        _print_lists(list(lists(encoder, options.limit)))
    else:
        print(f"no labelled data at {DATA} (set AFTERTURN_SHARED)")
    if options.test:
        print("\n| small talk of | turns | no category |\n|---|---|---|")
        for name, count, share in small_talk(encoder):
            print(f"| {name} | {count} | {share:.3f} |")
        print("\n| test rows | language | rows | right |\n|---|---|---|---|")
        for name, language, count, share in by_language(encoder):
            print(f"| {name} | {language} | {count} | {share:.3f} |")


def _print_lists(found: Sequence[tuple[str, int, Mapping[str, Scores]]]) -> None:
    for measure, title in (("first", "first is right"), ("f1", "F1"), ("abstains", "abstains where none is right")):
        who = list(found[0][2])
        print(f"\n| {title} | rows | {' | '.join(who)} |\n|---|---|{'---|' * len(who)}")
        for name, count, columns in found:
            values = [getattr(columns[one], measure) for one in who]
            if values[0] is not None and (measure == "abstains" or "none right" not in name):
                print(f"| {name} | {count} | {' | '.join(map(_text, values))} |", flush=True)


if __name__ == "__main__":
    main()
