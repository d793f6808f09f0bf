"""Measures groundedness by the encoder beside word overlap: `python benchmarks/bench_groundedness.py [--json]`.

Balanced accuracy on the shared dev rows, on all and on the third of them whose word overlap is nearest to its cut:
there word overlap is unsure. The cut of word overlap is the best one on train. Reads `AFTERTURN_SHARED`, else
../shared. Replies of questions and small talk alone are grounded by the rubric and never by the labels: the rows that
state something are counted apart.

With `--live FILE` a live model judges an even sample of BEGIN's rows with short passages by the rubric, one call after
another, for at most `--minutes`; its answers are kept in FILE, and called again it goes on. All three then stand beside
each other on the rows that it has answered.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ground_live
from ground_rows import DATA, FOLDER, read

from afterturn.evals._ground_features import word_overlap
from afterturn.evals._grounded import GroundingGrader, states_something
from afterturn.judges.encoder._load import shared_encoder

Pair = tuple[bool, bool]


def measure(live: Path | None = None) -> dict[str, Any]:
    """Measures both on dev, and a live model beside them where its answers are given."""
    if not (DATA / FOLDER).is_dir():
        return {"skipped": f"no data at {DATA / FOLDER}; set AFTERTURN_SHARED"}
    cut = best_cut([(row["grounded"], word_overlap(row["reply"], row["passages"])) for row in read("train")])
    grader = GroundingGrader(shared_encoder)
    rows = read("dev")
    overlap = [word_overlap(row["reply"], row["passages"]) for row in rows]
    encoder = [grader.grounding(row["reply"], row["passages"]).grounded for row in rows]
    near = set(sorted(range(len(rows)), key=lambda at: abs(overlap[at] - cut))[: len(rows) // 3])
    sets = {
        "all": range(len(rows)),
        "that state something": [at for at, row in enumerate(rows) if states_something(row["reply"])],
        "begin": [at for at, row in enumerate(rows) if row["file"].startswith("begin")],
        "word overlap unsure": sorted(near),
        "begin, word overlap unsure": [at for at in sorted(near) if rows[at]["file"].startswith("begin")],
    }
    tables = {
        name: {
            "rows": len(chosen),
            "encoder": balanced([(rows[at]["grounded"], encoder[at]) for at in chosen]),
            "word_overlap": balanced([(rows[at]["grounded"], overlap[at] >= cut) for at in chosen]),
        }
        for name, chosen in sets.items()
    }
    grounded = [at for at, row in enumerate(rows) if row["file"] == "mtrag-un"]
    shares = {"rows": len(grounded), "encoder": share(encoder[at] for at in grounded)}
    shares["word_overlap"] = share(overlap[at] >= cut for at in grounded)
    found = {"overlap_cut": cut, "balanced_accuracy": tables, "called_grounded_of_references": shares}
    if live is not None:
        found["live"] = beside_live(rows, live, encoder, [value >= cut for value in overlap], sets)
    return found


def beside_live(
    rows: Sequence[dict[str, Any]],
    live: Path,
    encoder: Sequence[bool],
    overlap: Sequence[bool],
    sets: Mapping[str, Sequence[int]],
) -> dict[str, Any]:
    """Sets the live model beside the two others, on the rows that it has answered."""
    answers = ground_live.known(live)
    scores = {at: answers[row["id"]]["score"] for at, row in enumerate(rows) if "score" in answers.get(row["id"], {})}
    guesses = {
        "live": {at: score >= ground_live.PASS for at, score in scores.items()},
        "encoder": dict(enumerate(encoder)),
        "word_overlap": dict(enumerate(overlap)),
    }
    tables: dict[str, Any] = {}
    for name in ("all", "that state something", "word overlap unsure"):
        chosen = [at for at in sets[name] if at in scores]
        truth = {at: bool(rows[at]["grounded"]) for at in chosen}
        tables[name] = {"rows": len(chosen), "grounded": sum(truth.values())}
        tables[name] |= {who: balanced([(truth[at], said[at]) for at in chosen]) for who, said in guesses.items()}
    return {
        "asked": len(answers),
        "errors": sorted(answer["error"] for answer in answers.values() if "error" in answer),
        "called_grounded": sum(guesses["live"].values()),
        "seconds_median": sorted(a["ms"] for a in answers.values() if "ms" in a)[len(scores) // 2] / 1000,
        "balanced_accuracy": tables,
    }


def best_cut(pairs: Sequence[tuple[bool, float]]) -> float:
    """Gives the cut with the best balanced accuracy."""
    cuts = sorted({value for _, value in pairs})
    return max(cuts, key=lambda cut: balanced([(truth, value >= cut) for truth, value in pairs]))


def balanced(pairs: Sequence[Pair]) -> float:
    """Gives the mean of the shares of right answers among the grounded and among the others."""
    return sum(share(guess == truth for truth, guess in pairs if truth == label) for label in (True, False)) / 2


def share(values: Any) -> float:
    """Gives the share of true values; 0 of none."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def print_live(found: dict[str, Any]) -> None:
    """Prints the table with the live model."""
    print("\n| rows | | live | encoder | word overlap |\n|---|---|---|---|---|")
    for name, of in found["balanced_accuracy"].items():
        print(f"| {name} | {of['rows']} | {of['live']:.3f} | {of['encoder']:.3f} | {of['word_overlap']:.3f} |")
    print(f"\n{found['asked']} asked, errors {found['errors']}, {found['called_grounded']} called grounded,")
    print(f"{found['seconds_median']:.0f} s a call (median).")


def main() -> None:
    """Prints the table, or one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--live", type=Path, metavar="FILE", help="a live model's answers, made or gone on with")
    parser.add_argument("--minutes", type=float, default=25.0, help="how long it is asked; 0 only reads FILE")
    parser.add_argument("--base-url", help="a server that runs already; by default one is started")
    options = parser.parse_args()
    if options.live and options.minutes:
        rows = read("dev")
        places = ground_live.sample(rows)
        ground_live.ask(rows, places, options.live, minutes=options.minutes, base_url=options.base_url)
    found = measure(options.live)
    if options.json:
        print(json.dumps({"bench": "groundedness", **found}))
    elif "skipped" in found:
        print(f"skipped: {found['skipped']}")
    else:
        print("| rows | | balanced accuracy | word overlap |\n|---|---|---|---|")
        for name, of in found["balanced_accuracy"].items():
            print(f"| {name} | {of['rows']} | {of['encoder']:.3f} | {of['word_overlap']:.3f} |")
        of = found["called_grounded_of_references"]
        print(f"\nOf {of['rows']} human references {of['encoder']:.0%} are called grounded ({of['word_overlap']:.0%}).")
        if "live" in found:
            print_live(found["live"])


if __name__ == "__main__":
    main()
