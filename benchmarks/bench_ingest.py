"""Measures what storing a turn costs beside plain sqlite3 inserts of the same bytes.

    python benchmarks/bench_ingest.py [--turns 300] [--rounds 7] [--json]

Ours: `Turn` in, JSON written and read back once, turn row, session row, four judgement rows (one skipped), four events
and the session's sources, one commit a turn. Plain: the same rows, ready as tuples, into tables of the same columns
without any key, index or check, one commit a turn, same pragmas (WAL, the synchronous level of the row, foreign keys
on). Rounds alternate; the figure is the median round. Target: at FULL, at least a quarter of the plain rate.
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


def ours(path: Path, turns: Sequence[Turn], synchronous: str) -> float:
    """Stores turns as the product does; gives turns a second."""
    with open_store(path, synchronous=synchronous) as store:
        questions = planned()
        ingest(store, turns[0], questions)  # statements are compiled once in a process
        started = time.perf_counter()
        for one in turns[1:]:
            ingest(store, one, questions)
        return (len(turns) - 1) / (time.perf_counter() - started)


def rows_of(path: Path) -> tuple[list[str], list[dict[str, list[tuple[Any, ...]]]]]:
    """Reads back what `ours` stored: bare table definitions, and the rows of each turn by table."""
    with sqlite3.connect(path) as source:
        columns = {table: [row[1] for row in source.execute(f"PRAGMA table_info({table})")] for table in TABLES}
        rows = {table: source.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    source.close()
    definitions = [f"CREATE TABLE {table} ({', '.join(names)})" for table, names in columns.items()]
    numbers = {row[columns["turns"].index("id")]: row[0] for row in rows["turns"]}
    by_turn: dict[int, dict[str, list[tuple[Any, ...]]]] = {row[0]: {"turns": [row]} for row in rows["turns"]}
    for row in rows["judgements"]:
        by_turn[row[columns["judgements"].index("turn_n")]].setdefault("judgements", []).append(row)
    for row in rows["events"]:
        by_turn[numbers[row[columns["events"].index("turn")]]].setdefault("events", []).append(row)
    first_of_session = list(by_turn.values())[:: len(by_turn) // len(rows["sessions"]) or 1]
    for row, group in zip(rows["sessions"], first_of_session, strict=False):
        group["sessions"] = [row]
    return definitions, list(by_turn.values())


def plain(
    path: Path, definitions: Sequence[str], groups: Sequence[dict[str, list[tuple[Any, ...]]]], synchronous: str
) -> float:
    """Inserts the same rows with sqlite3 alone; gives turns a second."""
    connection = sqlite3.connect(path, isolation_level=None)
    pragmas = ("journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON", "journal_size_limit=67108864")
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    for definition in definitions:
        connection.execute(definition)
    inserts = {table: _insert(connection, table) for table in TABLES}
    started = time.perf_counter()
    for group in groups[1:]:
        connection.execute("BEGIN IMMEDIATE")
        for table, rows in group.items():
            connection.executemany(inserts[table], rows)
        connection.execute("COMMIT")
    rate = (len(groups) - 1) / (time.perf_counter() - started)
    connection.close()
    return rate


def _insert(connection: sqlite3.Connection, table: str) -> str:
    count = len(connection.execute(f"PRAGMA table_info({table})").fetchall())
    return f"INSERT INTO {table} VALUES ({', '.join('?' * count)})"


def measured(turns: Sequence[Turn], rounds: int, synchronous: str) -> dict[str, Any]:
    """Runs both in turn, and gives the median rates and their ratio."""
    rates: dict[str, list[float]] = {"ours": [], "plain": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # the disk that holds the repository
            store = Path(folder) / "ours.db"
            rates["ours"].append(ours(store, turns, synchronous))
            definitions, groups = rows_of(store)
            rates["plain"].append(plain(Path(folder) / "plain.db", definitions, groups, synchronous))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    return {
        "synchronous": synchronous,
        "ours_turns_per_s": round(medians["ours"], 1),
        "plain_turns_per_s": round(medians["plain"], 1),
        "ours_us_per_turn": round(1e6 / medians["ours"], 1),
        "plain_us_per_turn": round(1e6 / medians["plain"], 1),
        "ratio": round(medians["ours"] / medians["plain"], 3),
    }


def main() -> None:
    """Prints the table, or with --json one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    turns = [turn(number) for number in range(options.turns)]
    results = [measured(turns, options.rounds, synchronous) for synchronous in ("FULL", "NORMAL")]
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
