"""Holds the two engines of the guard against each other: every finding of every text must be the same.

    python benchmarks/guard_equality.py [--step 7] [--json]

The texts are the rows of benchmarks/guard, the examples of the rules and, where they are there, the train and dev rows
of ../shared or AFTERTURN_SHARED; of them every STEP-th, and the same joined by the dozen. Each is checked as a message
and as a tool's output, by google-re2 and by `re`. `re` is slow: every text takes about twenty minutes of a processor.
Exit status 1 where a check differs, 2 where google-re2 is not installed.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from guard_lists import LISTS, read, shared_folder

from afterturn.guard import Guard
from afterturn.guard._rules import builtin_rules

JOINED = 12
"""So many texts are joined, for what only a long text is searched by."""


def texts() -> list[str]:
    """Gives every text once, in a fixed order."""
    found = {row["text"] for file in LISTS.glob("*.jsonl") for row in read(file)}
    for rule in builtin_rules():
        found.update((*rule.positive, *rule.negative))
    folder = shared_folder()
    if not isinstance(folder, str):
        found.update(
            row["text"] for part in ("train", "dev") for file in (folder / part).glob("*.jsonl") for row in read(file)
        )
    return sorted(found)


def compare(step: int) -> dict[str, Any]:
    """Checks every STEP-th text by both engines."""
    some = texts()[::step]
    some += ["\n".join(some[at : at + JOINED]) for at in range(0, len(some), JOINED)]
    fast, plain = Guard(engine="re2"), Guard(engine="re")
    checks = findings = 0
    differ: list[str] = []
    for text in some:
        pairs = (fast.check(text), plain.check(text)), (fast.check_tool_output(text), plain.check_tool_output(text))
        for one, other in pairs:
            checks += 1
            findings += len(one.findings)
            if one != other:
                differ.append(", ".join(sorted(set(one.rules) ^ set(other.rules))) or "the same rules, other places")
    return {"checks": checks, "findings": findings, "differ": differ}


def main() -> None:
    """Prints how many checks there were and the rules by which some differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=7, help="every so manieth text")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    try:
        table = compare(options.step)
    except ImportError as error:
        print(f"{error}; there is nothing to compare", file=sys.stderr)
        raise SystemExit(2) from error
    if options.json:
        print(json.dumps({"bench": "guard equality", **table}))
    else:
        print(f"{table['checks']:,} checks, {table['findings']:,} findings, {len(table['differ'])} checks differ")
        for rules in table["differ"][:20]:
            print(f"- {rules}")
    raise SystemExit(1 if table["differ"] else 0)


if __name__ == "__main__":
    main()
