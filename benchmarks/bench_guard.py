"""Measures the static guard: what it catches, what it flags wrongly, how long it takes, and peers in the same run.

    python benchmarks/bench_guard.py [--quick] [--only lists,shared,speed,peers] [--json]   (or: afterturn bench guard)

`lists` are those of benchmarks/guard (README there says who wrote them and what for); the figure that counts is
`frozen`. `shared` are the rows of ../shared or AFTERTURN_SHARED, skipped where absent: of train the rules that flag
ten rows or more, of dev the rows flagged by data set. `speed` are plain texts and twenty adversarial ones of 40,000
characters, message and tool output. `peers` are other scanners, asked by guard_peers.py, whose docstring says how to
install them; the ones that this interpreter lacks are named. Times are medians of processor time in one process,
warm, taken in turns; only the worst at 8 KB beside the peers is of few calls, three seconds at most, in a child.
`--quick` reads every tenth shared row and takes few rounds: for a look, not for a figure.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from guard_lists import NAMES, dev_counts, frozen_by, list_counts, ours, rule_precision, shared_folder
from guard_peers import installed
from guard_speed import adversarial_times, in_turns, plain_sizes, worst_of
from guard_targets import held_against

from afterturn.guard import Guard

SECTIONS = ("lists", "shared", "speed", "peers")
ROUNDS, QUICK_ROUNDS, QUICK_STEP = 15, 3, 10


def measure(sections: frozenset[str], *, quick: bool) -> dict[str, Any]:
    """Runs the sections and holds their figures against the targets."""
    guard = Guard()
    guard.check("warm up")
    guard.check_tool_output("warm up")
    rounds = QUICK_ROUNDS if quick else ROUNDS
    tables: dict[str, Any] = {"quick": quick}
    if "lists" in sections:
        tables["lists"] = {name: list_counts(guard, name) for name in NAMES}
    if "shared" in sections:
        tables["shared"] = _shared(guard, QUICK_STEP if quick else 1)
    if "peers" in sections:
        tables["peers"] = _peers(guard, rounds, worst=not quick)
    if "speed" in sections:
        tables["plain_us"] = _plain(guard, rounds)
        tables["adversarial"] = {
            "message": adversarial_times(guard.check, rounds=rounds),
            "tool output": adversarial_times(guard.check_tool_output, rounds=rounds),
        }
    tables["targets"] = held_against(tables)
    return tables


def _shared(guard: Guard, step: int) -> dict[str, Any]:
    folder = shared_folder()
    if isinstance(folder, str):
        return {"skipped": folder}
    return {"train": rule_precision(guard, folder, step), "dev": dev_counts(guard, folder, step)}


def _plain(guard: Guard, rounds: int) -> dict[str, dict[str, float]]:
    """Times the guard on plain texts, beside a bare search for one word."""
    found: dict[str, dict[str, float]] = {}
    for size, texts in plain_sizes().items():
        works = {"message": guard.check, "tool output": guard.check_tool_output, "one word": _one_word}
        times = in_turns(works, texts, rounds=rounds)
        found[size] = {name: round(took.cpu_us, 2) for name, took in times.items()}
    return found


def _one_word(text: str) -> bool:
    return "ignore" in text


def _peers(guard: Guard, rounds: int, *, worst: bool) -> dict[str, Any]:
    """Asks every scanner the same: the plain texts in turns, the frozen list, and the adversarial texts at 8 KB."""
    found, absent = installed()
    scans = {"afterturn": ours(guard), **{name: scan for name, (_, scan) in found.items()}}
    works = {name: (lambda text, scan=scan: scan(text, "message")) for name, scan in scans.items()}
    us: dict[str, dict[str, float]] = {name: {} for name in scans}
    for size, texts in plain_sizes().items():
        for name, took in in_turns(works, texts, rounds=rounds).items():
            us[name][size] = round(took.cpu_us, 1)
    measured = {
        name: {
            "us": us[name],
            "frozen": frozen_by(scan),
            "worst_at_8_kb": worst_of(works[name]) if worst else None,
        }
        for name, scan in scans.items()
    }
    peers = [{"name": name, "reads": peer.reads, **measured[name]} for name, (peer, _) in found.items()]
    return {"afterturn": measured["afterturn"], "peers": peers, "absent": absent}


def main() -> None:
    """Prints the tables, or one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object, with every count")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and rows: a look, not a figure")
    parser.add_argument("--only", default=",".join(SECTIONS), metavar="LIST", help=f"some of {','.join(SECTIONS)}")
    options = parser.parse_args()
    sections = frozenset(options.only.split(","))
    if unknown := sections - set(SECTIONS):
        parser.error(f"--only: no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    tables = measure(sections, quick=options.quick)
    if options.json:
        print(json.dumps({"bench": "guard", **tables}))
        return
    from guard_tables import print_tables

    print_tables(tables)


if __name__ == "__main__":
    main()
