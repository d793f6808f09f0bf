"""Measures judges on the hand-written corpus: the table of docs/measurements.md.

Usage::

    python benchmarks/measure_judges.py [--judge encoder] [--judge live] [--corpus FILE] [--json] [--rows FILE]

`live` starts a llama.cpp server with the model that benchmarks/fetch_live_model.py fetched and asks it through the
OpenAI-compatible interface. Any other judge is opened by its name.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from live_server import start_server

from afterturn.classification import Classification
from afterturn.config import Config
from afterturn.embedded import Afterturn
from afterturn.formats import BadLine, read_any
from afterturn.language import language_name
from afterturn.turns import Turn

CORPUS = Path(__file__).parent / "corpus" / "turns.jsonl"
LIVE_MODEL = Path("~/.cache/afterturn/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").expanduser()
LANGUAGES = {"en": "English", "fr": "French", "de": "German", "es": "Spanish"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One judged turn of the corpus beside what was expected of it."""

    turn: Turn
    expect: dict[str, Any]
    found: Classification
    seconds: float

    @property
    def is_content(self) -> bool:
        """Whether the conversation is about anything."""
        return self.expect["kind"] == "content"


def table(rows: list[Row]) -> dict[str, str]:
    """Counts the rows; each figure is `part of whole`."""
    content = [row for row in rows if row.is_content]
    small_talk = [row for row in rows if not row.is_content]
    asked = [v for row in rows for v in row.found.verdicts if v.status != "skipped"]
    with_sources = [row for row in content if row.expect["sources"]]
    uncited = [row for row in with_sources if not (row.turn.reply and row.turn.reply.cited) and _attributed(row)]
    sub_agents = [row for row in content if row.expect["task_concluded"] is not None]
    named = [name for row in content for name in row.found.categories or ()]
    expected = sum(name in row.expect["categories"] for row in content for name in row.found.categories or ())
    titled = [row for row in content if row.found.title]
    seconds = sorted(row.seconds for row in rows)
    errors = Counter(str(v.reason) for v in asked if v.status == "error")
    return {
        "answers that are valid": _share(sum(v.status != "error" for v in asked), len(asked)),
        "typed errors": ", ".join(f"{code} {count}" for code, count in errors.items()) or "none",
        "title on turns with content": _share(len(titled), len(content)),
        "title on small talk": _share(sum(bool(row.found.title) for row in small_talk), len(small_talk)),
        "title in the customer's language": _share(sum(_in_language(row) for row in titled), len(titled)),
        "expected category found": _share(sum(_right(row) for row in content), len(content)),
        "categories named that are expected": _share(expected, len(named)),
        "categories outside the list": str(sum(_outside(row) for row in rows)),
        "category on small talk": _share(sum(bool(row.found.categories) for row in small_talk), len(small_talk)),
        "uncited source attributed": _share(sum(_source_right(row) for row in uncited), len(uncited)),
        "conclusion read right": _share(
            sum(row.found.task_concluded == row.expect["task_concluded"] for row in sub_agents), len(sub_agents)
        ),
        "seconds a turn, median": f"{seconds[len(seconds) // 2]:.3f}",
    }


async def measure(judge: str, corpus: Path) -> list[Row]:
    """Judges the corpus, one turn after another."""
    rows: list[Row] = []
    async with Afterturn(config=Config(judge=judge)) as at:
        for turn in _turns(corpus):
            expect = turn.extra["expect"]
            assert isinstance(expect, dict)
            started = time.perf_counter()
            found = await at.classify_async(turn)
            from afterturn.replies import filtered

            rows.append(Row(turn=filtered(turn), expect=expect, found=found, seconds=time.perf_counter() - started))
            sys.stderr.write(f"\r{judge}: {len(rows)}")
    sys.stderr.write("\n")
    return rows


def _turns(corpus: Path) -> Iterator[Turn]:
    for turn in read_any(corpus):
        if isinstance(turn, BadLine):
            raise SystemExit(str(turn))
        yield turn


def _attributed(row: Row) -> bool:
    return any(v.classifier == "sources" and v.status != "skipped" for v in row.found.verdicts)


def _right(row: Row) -> bool:
    return bool(set(row.found.categories or ()) & set(row.expect["categories"]))


def _outside(row: Row) -> int:
    return sum(name not in row.turn.agent.categories for name in row.found.categories or ())


def _source_right(row: Row) -> bool:
    return bool({source.alias for source in row.found.sources} & set(row.expect["sources"]))


def _in_language(row: Row) -> bool:
    named = language_name(row.found.title or "")
    return named is None or named == LANGUAGES[row.expect["language"]]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.0f} %)" if whole else "")


@contextmanager
def _served(judge: str) -> Iterator[str]:
    if judge != "live":
        yield judge
        return
    with start_server(LIVE_MODEL, threads=1, prompt_threads=2) as server:
        os.environ["OPENAI_BASE_URL"] = server.base_url
        os.environ.setdefault("OPENAI_API_KEY", "none")
        yield "openai:qwen2.5-coder-1.5b-instruct"


def main() -> None:
    """Prints one table, a column a judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="turns with `expect`")
    parser.add_argument("--judge", action="append", help="encoder, live, or any judge's name; both first by default")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rows", type=Path, help="write every judged turn there, a JSON line each")
    options = parser.parse_args()
    tables: dict[str, dict[str, str]] = {}
    for name in options.judge or ["encoder", "live"]:
        with _served(name) as judge:
            rows = asyncio.run(measure(judge, options.corpus))
        tables[name] = table(rows)
        if options.rows:
            with options.rows.open("a", encoding="utf-8") as out:
                for row in rows:
                    line = {"judge": name, "expect": row.expect, **row.found.to_json()}
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
    if options.json:
        print(json.dumps(tables, ensure_ascii=False))
        return
    print("| | " + " | ".join(tables) + " |")
    print("|---" * (len(tables) + 1) + "|")
    for figure in next(iter(tables.values())):
        print(f"| {figure} | " + " | ".join(columns[figure] for columns in tables.values()) + " |")


if __name__ == "__main__":
    main()
