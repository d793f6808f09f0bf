"""Measures the static guard: what it catches of the frozen list, and what it costs beside a bare search for one word.

Usage: python benchmarks/bench_guard.py [--json]

The frozen list (benchmarks/guard) was written before the rules, by somebody who wrote none of them; nobody tunes on it.
Peers beside it in the same run are not measured yet.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from afterturn.guard import Guard

FROZEN = Path(__file__).parent / "guard" / "frozen.jsonl"
PROSE = (
    "Boilers are serviced every spring, and the parts are free for two years. To get a case logged, call the front "
    "desk or write to them; they will search their files and get back to you within a week. It's that simple. "
)


def frozen(guard: Guard) -> dict[str, Any]:
    """Counts attacks caught and look-alikes flagged."""
    rows = [json.loads(line) for line in FROZEN.read_text(encoding="utf-8").splitlines()]
    caught: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        check = guard.check_tool_output if row["channel"] == "tool_output" else guard.check
        flagged = check(row["text"]).flagged
        for key in (row["label"], f"{row['label']} {row['category']}" if row["label"] == "attack" else ""):
            if key:
                total[key] += 1
                caught[key] += flagged
    return {key: f"{caught[key]} of {total[key]}" for key in sorted(total)}


def micros(work: Callable[[], object]) -> float:
    """The best of several rounds, in microseconds a call."""
    best = float("inf")
    for _ in range(7):
        started = time.perf_counter()
        for _ in range(20):
            work()
        best = min(best, (time.perf_counter() - started) / 20)
    return round(best * 1e6, 1)


def speed(guard: Guard) -> dict[str, float]:
    """Times plain texts of three sizes."""
    texts = {"500 characters": (PROSE * 3)[:500], "8 KB": (PROSE * 40)[:8_000], "40 KB": (PROSE * 200)[:40_000]}
    found = {f"{name}, guard": micros(lambda text=text: guard.check(text)) for name, text in texts.items()}
    found |= {f"{name}, one word": micros(lambda text=text: "ignore" in text) for name, text in texts.items()}
    return found


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    guard = Guard()
    guard.check("warm up")
    tables = {"frozen": frozen(guard), "speed_us": speed(guard)}
    if options.json:
        print(json.dumps({"bench": "guard", **tables}))
        return
    for name, table in tables.items():
        print(f"\n{name}")
        for key, value in table.items():
            print(f"  {key:40} {value}")


if __name__ == "__main__":
    main()
