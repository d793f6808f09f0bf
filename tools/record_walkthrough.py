"""Records the verdicts of docs/walkthrough.md: the local encoder's, on the turns of benchmarks/corpus.

    python tools/record_walkthrough.py

The walk-through stores these verdicts in place of the encoder's own, so its figures stay when the encoder changes. The
recording holds ids, enums and numbers; the turns stand in the corpus.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from afterturn.classifiers import CONVERSATION
from afterturn.formats import BadLine, read_any
from afterturn.judges import open_judge
from afterturn.run import judge_turn

CORPUS = Path(__file__).parents[1] / "benchmarks" / "corpus"
FILES = ("turns.jsonl", "smalltalk.jsonl")
OUT = CORPUS / "walkthrough.jsonl"


async def recorded() -> list[dict[str, Any]]:
    """Judges the corpus."""
    judge = open_judge("encoder")
    rows: list[dict[str, Any]] = []
    for name in FILES:
        for turn in read_any(CORPUS / name):
            if isinstance(turn, BadLine):
                raise SystemExit(str(turn))
            (judgement,) = await judge_turn(turn, [CONVERSATION], judge)
            verdict = judgement.verdict
            if verdict.status == "error":
                raise SystemExit(
                    f"{turn.id}: {verdict.reason}; install the encoder first: pip install 'afterturn[local]'"
                )
            keys = ("turn", "version", "status", "confidence", "confidence_source", "reason")
            rows.append({key: getattr(verdict, key) for key in keys})
    await judge.aclose()
    return rows


if __name__ == "__main__":
    lines = [json.dumps(row, separators=(",", ":")) for row in asyncio.run(recorded())]
    OUT.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
