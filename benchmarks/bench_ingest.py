"""Measures what storing a turn costs beside plain sqlite3 inserts of the same bytes.

    python benchmarks/bench_ingest.py [--turns 2000] [--block 50] [--json]

Ours: `Turn` in, ids checked, JSON written, turn row, session row, four judgement rows (one skipped), four events
and the session's sources, one commit a turn. Plain: the same rows, ready as tuples, into tables of the same columns
without any key, index or check, one commit a turn, same pragmas (WAL, the synchronous level of the row, foreign keys
on). Blocks of 50 turns alternate, so that a busy disk meets both; the figure is the median block. Target: at
FULL, the level that the store uses, at least a quarter of the plain rate.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from afterturn.calls import Planned
from afterturn.store import open_store
from afterturn.turns import Agent, Mark, Message, Passage, Reply, Tool, Turn
from afterturn.worker import ingest

TARGET = 0.25
TABLES = ("turns", "sessions", "judgements", "events")
Rows = dict[str, list[tuple[Any, ...]]]

_START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
_SENTENCE = "The parcel left our warehouse on Tuesday and should be with you by the end of the week. "


def turn(number: int) -> Turn:
    """Makes a turn of about 8 KB: instructions, eight messages, two passages, one citation."""
    messages = tuple(
        Message(role="user" if index % 2 == 0 else "assistant", text=_SENTENCE * (2 + index % 3)) for index in range(8)
    )
    return Turn(
        messages=messages,
        agent=Agent(
            "support",
            instructions=_SENTENCE * 20,
            categories=("Billing", "Shipping", "Returns"),
            tools=(Tool(name="search", description=_SENTENCE, parameters={"type": "object", "properties": {}}),),
        ),
        tenant="acme",
        session=f"s-{number // 5}",
        id=f"t-{number}",
        created_at=_START + timedelta(seconds=number),
        passages=tuple(Passage(alias=alias, text=_SENTENCE * 8, title="Delivery") for alias in ("c1", "c2")),
        reply=Reply(text=_SENTENCE, raw=f"{_SENTENCE} [c1]", cited=("c1",), marks=(Mark("c1", 87, 87),)),
    )


def planned() -> list[Planned]:
    """Makes the four questions of a turn."""
    skips = {"conversation": None, "sources": "cited_inline", "conclusion": None, "safety": None}
    return [
        Planned(classifier=name, version="1", metric=f"agent.{name}.verdict", judge="encoder", plan="0" * 16, skip=skip)
        for name, skip in skips.items()
    ]


def rows_of(path: Path) -> tuple[list[str], list[Rows]]:
    """Reads back what was stored: bare table definitions, and the rows of each turn by table."""
    with sqlite3.connect(path) as source:
        columns = {table: [row[1] for row in source.execute(f"PRAGMA table_info({table})")] for table in TABLES}
        rows = {table: source.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    source.close()
    definitions = [f"CREATE TABLE {table} ({', '.join(names)})" for table, names in columns.items()]
    numbers = {row[columns["turns"].index("id")]: row[0] for row in rows["turns"]}
    by_turn: dict[int, Rows] = {row[0]: {"turns": [row]} for row in rows["turns"]}
    for row in rows["judgements"]:
        by_turn[row[columns["judgements"].index("turn_n")]].setdefault("judgements", []).append(row)
    for row in rows["events"]:
        by_turn[numbers[row[columns["events"].index("turn")]]].setdefault("events", []).append(row)
    first_of_session = list(by_turn.values())[:: len(by_turn) // len(rows["sessions"]) or 1]
    for row, group in zip(rows["sessions"], first_of_session, strict=False):
        group["sessions"] = [row]
    return definitions, list(by_turn.values())


def plain_database(path: Path, definitions: Sequence[str], synchronous: str) -> sqlite3.Connection:
    """Opens a database of bare tables with the store's pragmas."""
    connection = sqlite3.connect(path, isolation_level=None)
    pragmas = ("journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON", "journal_size_limit=67108864")
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    for definition in definitions:
        connection.execute(definition)
    return connection


def plain(connection: sqlite3.Connection, inserts: dict[str, str], groups: Sequence[Rows]) -> None:
    """Inserts the rows of turns with sqlite3 alone, one commit a turn."""
    for group in groups:
        connection.execute("BEGIN IMMEDIATE")
        for table, rows in group.items():
            connection.executemany(inserts[table], rows)
        connection.execute("COMMIT")


def _insert(connection: sqlite3.Connection, table: str) -> str:
    count = len(connection.execute(f"PRAGMA table_info({table})").fetchall())
    return f"INSERT INTO {table} VALUES ({', '.join('?' * count)})"


def measured(turns: Sequence[Turn], block: int, synchronous: str) -> dict[str, Any]:
    """Stores blocks of turns in both ways by turns, so that a busy disk meets both; gives the median block."""
    questions = planned()
    seconds: dict[str, list[float]] = {"ours": [], "plain": []}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:  # the disk that holds the repository
        folder = Path(name)
        with open_store(folder / "rows.db", synchronous="OFF") as store:
            for one in turns:
                ingest(store, one, questions)
        definitions, groups = rows_of(folder / "rows.db")
        connection = plain_database(folder / "plain.db", definitions, synchronous)
        inserts = {table: _insert(connection, table) for table in TABLES}
        with open_store(folder / "ours.db", synchronous=synchronous) as store:
            for start in range(0, len(turns), block):
                began = time.perf_counter()
                for one in turns[start : start + block]:
                    ingest(store, one, questions)
                between = time.perf_counter()
                plain(connection, inserts, groups[start : start + block])
                seconds["ours"].append(between - began)
                seconds["plain"].append(time.perf_counter() - between)
        connection.close()
    ours_us, plain_us = (1e6 * statistics.median(seconds[name]) / block for name in ("ours", "plain"))
    return {
        "synchronous": synchronous,
        "ours_turns_per_s": round(1e6 / ours_us, 1),
        "plain_turns_per_s": round(1e6 / plain_us, 1),
        "ours_us_per_turn": round(ours_us, 1),
        "plain_us_per_turn": round(plain_us, 1),
        "ratio": round(plain_us / ours_us, 3),
    }


def main() -> None:
    """Prints the table, or with --json one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--block", type=int, default=50, help="turns stored in one way before the other's turn comes")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    turns = [turn(number) for number in range(options.turns // options.block * options.block)]
    results = [measured(turns, options.block, synchronous) for synchronous in ("FULL", "NORMAL")]
    if options.json:
        print(json.dumps({"bench": "ingest", "target_ratio": TARGET, "rows": results}))
        return
    print(f"{'synchronous':<12}{'ours/s':>10}{'plain/s':>10}{'ours µs':>10}{'plain µs':>10}{'ratio':>8}")
    for row in results:
        print(
            f"{row['synchronous']:<12}{row['ours_turns_per_s']:>10}{row['plain_turns_per_s']:>10}"
            f"{row['ours_us_per_turn']:>10}{row['plain_us_per_turn']:>10}{row['ratio']:>8}"
        )
    print(f"target: at least {TARGET} at FULL, the level that the store uses")


if __name__ == "__main__":
    main()
