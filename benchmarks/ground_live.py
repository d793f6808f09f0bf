"""Asks a live model how far replies rest on their passages: `bench_groundedness.py --live FILE`.

The answers are kept in FILE, a JSON line each, so that a run that was cut off goes on where it was.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from live_server import LiveServer, start_server

from afterturn.errors import JudgeError
from afterturn.evals import JudgeGrader, Prices, Reply, load_rubric, read_row
from afterturn.judges import Deadline, ModelJudge

LIVE_MODEL = Path("~/.cache/afterturn/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").expanduser()
MODEL = "openai:qwen2.5-coder-1.5b-instruct"
DEADLINE_S = 600.0
MOST_CHARACTERS = 1_500
SEED = 6
PASS = 70

Line = dict[str, Any]


def sample(rows: Sequence[Line]) -> list[int]:
    """Draws places of BEGIN's rows with short passages, grounded and not by turns: a part of them is even too."""
    short = [at for at, row in enumerate(rows) if row["file"].startswith("begin") and _size(row) <= MOST_CHARACTERS]
    random.Random(SEED).shuffle(short)
    grounded = [at for at in short if rows[at]["grounded"]]
    others = [at for at in short if not rows[at]["grounded"]]
    return [at for pair in zip(grounded, others, strict=False) for at in pair]


def known(path: Path) -> dict[str, Line]:
    """Reads what was answered, by the row's id."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {answer["id"]: answer for answer in map(json.loads, lines)}


def ask(rows: Sequence[Line], places: Sequence[int], path: Path, *, minutes: float, base_url: str | None) -> None:
    """Asks about the rows that have no answer yet, until the time is over."""
    done = known(path)
    left = [rows[at] for at in places if rows[at]["id"] not in done]
    server: AbstractContextManager[Any] = nullcontext() if base_url else start_server(LIVE_MODEL)
    with server as started, path.open("a", encoding="utf-8") as out:
        address = started.base_url if isinstance(started, LiveServer) else base_url
        asyncio.run(_ask(left, out, address, time.monotonic() + 60 * minutes))


async def _ask(rows: Sequence[Line], out: Any, base_url: str | None, until_s: float) -> None:
    judge = Deadline(ModelJudge(MODEL, base_url=base_url, api_key="none", timeout_s=DEADLINE_S), seconds=DEADLINE_S)
    grader = JudgeGrader(load_rubric("groundedness"), judge, prices=Prices({}))
    for number, row in enumerate(rows):
        if time.monotonic() > until_s:
            break
        found: Line = {"id": row["id"], "grounded": row["grounded"]}
        try:
            score = await grader.grade(
                read_row({"id": row["id"], "input": row["question"], "context": row["passages"]}),
                Reply(text=row["reply"]),
            )
            found |= {"score": score.score, "ms": round(score.latency_ms), "tokens_in": score.usage.input_tokens}
        except JudgeError as error:
            found["error"] = error.code
        out.write(json.dumps(found) + "\n")
        out.flush()
        sys.stderr.write(f"\r{number + 1} of {len(rows)}")
    await judge.aclose()


def _size(row: Line) -> int:
    return sum(map(len, row["passages"])) + len(row["reply"]) + len(row["question"])
