"""Measures a year of counts, a million verdicts a day: how large they are, and how long distributions take to read.

    python benchmarks/bench_distribution.py [--days 365] [--a-day 1000000] [--tenants 10] [--agents 3] [--json]

Histogram rows are written as a day of traffic leaves them: day by day, for every tenant, agent, classifier, status,
label and reason, sparse bins that add up to the day's verdicts. No verdict row is made, since a distribution reads
none: the query plans are shown, and the run ends with 1 if one names another table. Sizes are of the whole file after
a checkpoint. Times are CPU milliseconds, medians of three reads by `store.histograms`, which gives Python objects;
beside them stands what plain SQL takes to add the same bins up. The default run takes half a minute of CPU time, most
of it writing, and 100 MB in the current folder.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.dialects import sqlite

from afterturn.calibration import by_series
from afterturn.store import Filter, Store, open_store
from afterturn.store._histograms import query

START = date(2026, 1, 1)
EPOCH = date(1970, 1, 1)
MILESTONE = 100_000_000

CLASSIFIERS: dict[str, tuple[tuple[str, str, str, float, int, int], ...]] = {
    "conversation": (
        ("finding", "", "", 0.9, 40, 99),
        ("no_finding", "", "", 0.08, 60, 99),
        ("error", "", "timeout", 0.02, -1, -1),
    ),
    "sources": (
        ("finding", "", "", 0.3, 50, 99),
        ("no_finding", "", "", 0.2, 50, 99),
        ("skipped", "", "no_passages", 0.3, -1, -1),
        ("skipped", "", "cited_inline", 0.2, -1, -1),
    ),
    "safety": (
        ("no_finding", "", "", 0.985, 70, 100),
        ("no_finding", "", "unsure", 0.005, 50, 70),
        ("finding", "self_harm", "", 0.002, 50, 99),
        ("finding", "harassment", "", 0.005, 50, 99),
        ("finding", "harmful_content", "", 0.003, 50, 99),
    ),
    "ai_frustration": (
        ("no_finding", "", "", 0.95, 50, 100),
        ("finding", "agent", "", 0.03, 50, 99),
        ("finding", "company", "", 0.02, 50, 99),
    ),
    "scope_drift": (
        ("no_finding", "", "", 0.9, 60, 99),
        ("finding", "off_topic", "", 0.02, 50, 95),
        ("skipped", "", "short_reply", 0.08, -1, -1),
    ),
    "conclusion": (
        ("skipped", "", "no_parent", 0.8, -1, -1),
        ("finding", "concluded", "", 0.1, 50, 99),
        ("no_finding", "", "", 0.1, 50, 99),
    ),
}
"""Says of each classifier how its verdicts fall: status, label, reason, share, lowest and highest confidence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Is a series with its bins of a usual day, by weekday."""

    number: int
    weekdays: tuple[tuple[tuple[int, int], ...], ...]


def parts(connection: sqlite3.Connection, tenants: int, agents: int, a_day: int) -> list[Part]:
    """Makes the series, and the bins of each for seven kinds of days; a few tenants have most of the traffic."""
    chance = random.Random(7)
    weights = [1 / (place + 1) for place in range(tenants)]
    found: list[Part] = []
    for place in range(tenants):
        for agent in range(agents):
            share = weights[place] / sum(weights) / agents / len(CLASSIFIERS)
            for classifier, kinds in CLASSIFIERS.items():
                for status, label, reason, of, low, high in kinds:
                    values = (f"tenant-{place}", f"agent-{agent}", classifier, "1", status, label, reason, "")
                    cursor = connection.execute(
                        "INSERT INTO histogram_series (tenant, agent, classifier, version, status, label, reason, "
                        "replayed_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        values,
                    )
                    number = cursor.lastrowid or 0
                    days = tuple(tuple(_bins(chance, a_day * share * of, low, high)) for _ in range(7))
                    found.append(Part(number=number, weekdays=days))
    return found


def _bins(chance: random.Random, verdicts: float, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Spreads verdicts over bins, the surer the more; those that get none are left out."""
    if low < 0:
        yield -1, max(1, round(verdicts))
        return
    weights = [(value - low + 1) * chance.uniform(0.5, 1.5) for value in range(low, high + 1)]
    total = sum(weights)
    for value, weight in zip(range(low, high + 1), weights, strict=True):
        count = int(verdicts * weight / total + chance.random())
        if count:
            yield value, count


def fill(connection: sqlite3.Connection, made: Sequence[Part], first: int, days: int) -> int:
    """Writes the counts of some days, one commit each; gives how many verdicts they are of."""
    verdicts = 0
    for day in range(first, first + days):
        rows = [(part.number, day, value, count) for part in made for value, count in part.weekdays[day % 7]]
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO histogram_bins VALUES (?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
        verdicts += sum(row[3] for row in rows)
    return verdicts


def questions(last: date) -> dict[str, Filter]:
    """Gives the distributions that people ask for."""
    month = datetime(last.year, last.month, last.day, tzinfo=UTC) - timedelta(days=30)
    return {
        "one tenant, one classifier, all days": Filter(tenant="tenant-1", classifier="safety"),
        "one agent of it, findings, all days": Filter(
            tenant="tenant-1", agent="agent-0", classifier="safety", status="finding"
        ),
        "one tenant, all classifiers, last 30 days": Filter(tenant="tenant-1", since=month),
        "all tenants, one classifier, all days": Filter(classifier="safety"),
    }


def measured(store: Store, path: Path, last: date, verdicts: int) -> dict[str, Any]:
    """Measures the size and the reads of what is there now."""
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        bins = raw.execute("SELECT count(*) FROM histogram_bins").fetchone()[0]
        series = raw.execute("SELECT count(*) FROM histogram_series").fetchone()[0]
        rows = [_read(store, raw, name, narrow) for name, narrow in questions(last).items()]
    raw.close()
    return {
        "verdicts": verdicts,
        "series": series,
        "bins": bins,
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "reads": rows,
    }


def _read(store: Store, raw: sqlite3.Connection, name: str, narrow: Filter) -> dict[str, Any]:
    sql = str(query(narrow).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
    plan = [str(row[-1]) for row in raw.execute(f"EXPLAIN QUERY PLAN {sql}")]
    tables = sorted({line.split()[1] for line in plan if line.startswith(("SEARCH", "SCAN"))})
    days = store.histograms(narrow)
    return {
        "question": name,
        "histograms": len(days),
        "verdicts": sum(histogram.total for histogram in by_series(days).values()),
        "read_ms": _median_ms(lambda: store.histograms(narrow)),
        "sql_ms": _median_ms(lambda: raw.execute(f"SELECT sum(verdicts) FROM ({sql})").fetchone()),
        "tables": tables,
        "plan": plan,
    }


def _median_ms(work: Callable[[], object]) -> float:
    took: list[float] = []
    for _ in range(3):
        began = time.process_time()
        work()
        took.append(1e3 * (time.process_time() - began))
    return round(statistics.median(took), 1)


def run(days: int, a_day: int, tenants: int, agents: int) -> list[dict[str, Any]]:
    """Fills a database, and measures it at a hundred million verdicts and at its end."""
    milestone = min(days, -(-MILESTONE // a_day))
    first = (START - EPOCH).days
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder) / "year.db"
        with open_store(path, synchronous="OFF") as store:
            raw = sqlite3.connect(path, isolation_level=None)
            raw.execute("PRAGMA synchronous=OFF")
            raw.execute("PRAGMA cache_size=-500000")
            made = parts(raw, tenants, agents, a_day)
            results: list[dict[str, Any]] = []
            verdicts = 0
            for begin, end in ((0, milestone), (milestone, days)):
                if end > begin:
                    verdicts += fill(raw, made, first + begin, end - begin)
                    results.append({"days": end, **measured(store, path, START + timedelta(days=end), verdicts)})
            raw.close()
    return results


def main() -> None:
    """Prints the tables, or with --json one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--a-day", type=int, default=1_000_000, help="verdicts a day, of all tenants")
    parser.add_argument("--tenants", type=int, default=10)
    parser.add_argument("--agents", type=int, default=3, help="agents a tenant")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = run(options.days, options.a_day, options.tenants, options.agents)
    if options.json:
        print(json.dumps({"bench": "distribution", "rows": results}))
    else:
        for result in results:
            show(result)
    counts_only = {"histogram_series", "histogram_bins"}
    if any(not counts_only.issuperset(read["tables"]) for result in results for read in result["reads"]):
        sys.exit("a distribution reads more than counts")


def show(result: dict[str, Any]) -> None:
    """Prints one state of the database."""
    print(
        f"{result['days']} days, {result['verdicts']:,} verdicts: {result['megabytes']} MB, "
        f"{result['series']:,} series, {result['bins']:,} bins"
    )
    print(f"  {'distribution':<45}{'histograms':>11}{'verdicts':>14}{'read ms':>9}{'SQL ms':>8}")
    for read in result["reads"]:
        figures = f"{read['histograms']:>11,}{read['verdicts']:>14,}{read['read_ms']:>9}{read['sql_ms']:>8}"
        print(f"  {read['question']:<45}{figures}")
        print(f"    {'; '.join(read['plan'])}")


if __name__ == "__main__":
    main()
