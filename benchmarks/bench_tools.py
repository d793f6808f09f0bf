"""Measures the tool-call matcher and the encoder's opinion on the shared tool data: `python benchmarks/bench_tools.py`.

Options: `--split train`, `--json`, `--list` (each disagreement with WorkBench), `--only LIST` of matcher, opinion.
Reads `AFTERTURN_SHARED`, else ../shared; says so where it is not there.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import Any

from tool_rows import DATA, GOLD_ONLY, MODES, READS, WORKBENCH, as_reply, as_row, cases, read

from afterturn.evals.assertions import open_assertion

SECTIONS = ("matcher", "opinion")


def gold_only(split: str) -> dict[str, Any]:
    """Counts the right answers of the matcher on right and wrong calls made of gold calls, in every mode."""
    assertions = {mode: open_assertion(f"expected_tool_calls:{mode}") for mode in sorted(MODES)}
    found: dict[str, Any] = {}
    for name in GOLD_ONLY:
        asked: Counter[str] = Counter()
        right: Counter[str] = Counter()
        wrong_rows: set[str] = set()
        rows = read(name, split)
        for item in rows:
            for case in cases(item):
                reply = as_reply(item, case.calls)
                for mode, assertion in assertions.items():
                    result = assertion.check(case.row, reply)
                    agrees = result is not None and result.passed == (mode in case.passes)
                    asked[case.kind] += 1
                    right[case.kind] += agrees
                    if not agrees:
                        wrong_rows.add(item["id"])
        kinds = {kind: [right[kind], asked[kind]] for kind in sorted(asked)}
        found[name] = {"rows": len(rows), "rows_right": len(rows) - len(wrong_rows), "kinds": kinds}
        found[name]["wrong"] = sorted(wrong_rows)[:20]
    return found


def workbench(split: str) -> dict[str, Any]:
    """Counts how often the matcher agrees with WorkBench's `appropriate`, and sorts where it does not."""
    assertion = open_assertion({"name": "expected_tool_calls", "free": list(READS), "repeats": True})
    rows = read(WORKBENCH, split)
    differ: dict[str, list[str]] = {}
    for item in rows:
        result = assertion.check(as_row(item), as_reply(item, item["calls"]))
        assert result is not None
        if result.passed != item["appropriate"]:
            differ.setdefault(_kind(item, dict(result.details)), []).append(item["id"])
    agreed = len(rows) - sum(map(len, differ.values()))
    return {"rows": len(rows), "agree": agreed, "differ": {kind: differ[kind] for kind in sorted(differ)}}


def _kind(item: dict[str, Any], details: dict[str, Any]) -> str:
    if not item["appropriate"]:
        return "the calls are the gold ones, yet WorkBench says wrong"
    if details["matched"] < details["expected"]:
        return "nothing was changed, since everything was already as asked"
    made = [json.dumps(call, sort_keys=True) for call in item["calls"]]
    gold = [json.dumps(call, sort_keys=True) for call in item["expected_calls"]]
    if any(made.count(call) > 1 for call in gold):
        return "the right call was made twice, the second time without effect"
    if gold:
        return "the right calls, and before them one that failed (an invented id or address)"
    return "nothing was to be done, and what was tried failed (an invented id or address)"


def measure(split: str, sections: frozenset[str]) -> dict[str, Any]:
    """Measures what was asked for."""
    if not (DATA / "tools").is_dir():
        return {"skipped": f"no data at {DATA / 'tools'}; set AFTERTURN_SHARED"}
    found: dict[str, Any] = {}
    if "matcher" in sections:
        found |= {"gold_only": gold_only(split), "workbench": workbench(split)}
    if "opinion" in sections:
        from tool_opinion import opinion

        found["opinion"] = opinion(split)
    return found


def show(found: dict[str, Any], *, listed: bool) -> None:
    """Prints the tables."""
    if "skipped" in found:
        print(f"skipped: {found['skipped']}")
        return
    if "gold_only" in found:
        print("| gold calls of | rows right | " + " | ".join(("kind", "answers right")) + " |\n|---|---|---|---|")
        for name, of in found["gold_only"].items():
            for kind, (right, asked) in of["kinds"].items():
                print(f"| {name} | {of['rows_right']} of {of['rows']} | {kind} | {right} of {asked} |")
        of = found["workbench"]
        print(f"\nWorkBench: agrees on {of['agree']} of {of['rows']} rows ({of['agree'] / of['rows']:.1%})")
        for kind, ids in of["differ"].items():
            print(f"- {len(ids)} {kind}")
            print("\n".join(f"    {one}" for one in ids) if listed else "", end="\n" if listed else "")
    if "opinion" in found:
        print("\n| tool_selection by the encoder | rows | balanced accuracy | always appropriate |\n|---|---|---|---|")
        for of in found["opinion"]:
            print(f"| {of['rows_of']} | {of['rows']} | {of['balanced']:.3f} | {of['always']:.3f} |")


def main() -> None:
    """Prints the tables, or one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--split", default="dev", choices=("dev", "train"))
    parser.add_argument("--list", action="store_true", dest="listed", help="name each disagreement with WorkBench")
    parser.add_argument("--only", default=",".join(SECTIONS), metavar="LIST", help=f"some of {','.join(SECTIONS)}")
    options = parser.parse_args()
    found = measure(options.split, frozenset(options.only.split(",")))
    if options.json:
        print(json.dumps({"bench": "tools", **found}))
    else:
        show(found, listed=options.listed)


if __name__ == "__main__":
    main()
