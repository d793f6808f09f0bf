"""Measures what storing verdicts and their histograms costs beside plain sqlite3 inserts of the same rows.

    python benchmarks/bench_verdicts.py [--turns 1000] [--block 50] [--json]

Ours: `store.finish` of four verdicts about a turn that is leased: the open rows found and updated, the histogram bins
counted up, session state read, one commit a turn. Plain: the same four judgement rows and four bin rows, ready as
tuples, inserted into tables of the same columns without any key, index or check, one commit a turn, in WAL mode: once
at `synchronous=NORMAL`, at which the store writes verdicts, and once at `FULL`, which is SQLite's own default and at
which it writes turns. Blocks of 50 turns alternate, so that a busy disk meets all; the figure is the median block.
Target: at least a third of the plain rate.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from afterturn.calls import Planned
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Claim, Store, open_store
from afterturn.turns import Message, Turn
from afterturn.verdicts import Verdict

TARGET = 1 / 3
LEVELS = ("NORMAL", "FULL")
CLASSIFIERS = ("conversation", "sources", "conclusion", "safety")

_NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def leased(store: Store, turns: int) -> list[Claim]:
    """Stores turns and leases their questions."""
    planned = [
        Planned(classifier=name, version="1", metric=f"agent.{name}.verdict", judge="encoder", plan="0" * 16)
        for name in CLASSIFIERS
    ]
    message = Message(role="user", text="Where is my parcel?")
    store.add_turns(
        (Turn(messages=(message,), tenant="acme", session=f"s-{number // 5}", id=f"t-{number}"), planned, ())
        for number in range(turns)
    )
    return list(store.claim("bench", lease_s=3_600, limit=turns).claims)


def answers(claimed: Claim, number: int) -> list[Judgement]:
    """Makes the verdicts of a turn, with confidences of all sizes."""
    turn = claimed.turn
    return [
        Judgement(
            verdict=Verdict(
                tenant=turn.tenant,
                agent=turn.agent.id,
                session=turn.session,
                turn=turn.id,
                classifier=one.classifier,
                version=one.version,
                plan=one.plan,
                metric=one.metric,
                status="finding" if (number + place) % 3 else "no_finding",
                confidence=(7 * number + 13 * place) % 101,
                judge=one.judge,
                created_at=_NOW,
            )
        )
        for place, one in enumerate(claimed.planned)
    ]


def plain_rows(path: Path) -> tuple[int, int, list[list[tuple[Any, ...]]]]:
    """Reads back what was stored: the columns of both tables, and the judgement rows of each turn."""
    with sqlite3.connect(path) as source:
        rows = source.execute("SELECT * FROM judgements ORDER BY turn_n, n").fetchall()
        bins = len(source.execute("PRAGMA table_info(histogram_bins)").fetchall())
    source.close()
    size = len(CLASSIFIERS)
    return len(rows[0]), bins, [rows[start : start + size] for start in range(0, len(rows), size)]


def plain_database(path: Path, columns: int, bins: int, synchronous: str) -> sqlite3.Connection:
    """Opens a database of two bare tables with the store's pragmas."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", "journal_size_limit=67108864"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"CREATE TABLE judgements ({', '.join(f'c{number}' for number in range(columns))})")
    connection.execute(f"CREATE TABLE bins ({', '.join(f'c{number}' for number in range(bins))})")
    return connection


def measured(turns: int, block: int) -> list[dict[str, Any]]:
    """Stores blocks of verdicts in all ways by turns; gives the median block beside each plain one."""
    seconds: dict[str, list[float]] = {name: [] for name in ("ours", *LEVELS)}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:  # the disk that holds the repository
        folder = Path(name)
        with open_store(folder / "rows.db", synchronous="OFF") as store:
            for number, claimed in enumerate(leased(store, turns)):
                store.finish(claimed, answers(claimed, number), apply)
        columns, bins, groups = plain_rows(folder / "rows.db")
        connections = {level: plain_database(folder / f"{level}.db", columns, bins, level) for level in LEVELS}
        with open_store(folder / "ours.db") as store:
            ready = [(claimed, answers(claimed, number)) for number, claimed in enumerate(leased(store, turns))]
            for start in range(0, turns, block):
                began = time.perf_counter()
                for claimed, judgements in ready[start : start + block]:
                    store.finish(claimed, judgements, apply)
                seconds["ours"].append(time.perf_counter() - began)
                for level, connection in connections.items():
                    began = time.perf_counter()
                    plain(connection, groups[start : start + block], columns, bins)
                    seconds[level].append(time.perf_counter() - began)
        for connection in connections.values():
            connection.close()
    each_us = {name: 1e6 * statistics.median(found) / block for name, found in seconds.items()}
    return [
        {
            "plain_synchronous": level,
            "ours_us_per_turn": round(each_us["ours"], 1),
            "plain_us_per_turn": round(each_us[level], 1),
            "ratio": round(each_us[level] / each_us["ours"], 3),
        }
        for level in LEVELS
    ]


def plain(connection: sqlite3.Connection, groups: Sequence[Sequence[tuple[Any, ...]]], columns: int, bins: int) -> None:
    """Inserts the rows of turns with sqlite3 alone, one commit a turn."""
    judgement = f"INSERT INTO judgements VALUES ({', '.join('?' * columns)})"
    histogram = f"INSERT INTO bins VALUES ({', '.join('?' * bins)})"
    for rows in groups:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(judgement, rows)
        connection.executemany(histogram, [(number, 20_787, 50, 1) for number, _ in enumerate(rows)])
        connection.execute("COMMIT")


def main() -> None:
    """Prints the table, or with --json one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--block", type=int, default=50, help="turns stored in one way before the other's turn comes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    turns = max(1, options.turns // options.block) * options.block
    rows = measured(turns, options.block)
    if options.json:
        print(json.dumps({"bench": "verdicts", "target_ratio": round(TARGET, 3), "rows": rows}))
        return
    print(f"{'plain at':<10}{'ours µs':>10}{'plain µs':>10}{'ratio':>8}")
    for row in rows:
        print(
            f"{row['plain_synchronous']:<10}{row['ours_us_per_turn']:>10}{row['plain_us_per_turn']:>10}{row['ratio']:>8}"
        )
    print("target: at least a third")


if __name__ == "__main__":
    main()
