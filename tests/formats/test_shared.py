"""Claims about real conversations: the labelled data that lies beside the repository, where it does."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from afterturn.formats import read_any, read_turns, turn_from_json, write_any
from afterturn.turns import Turn

DATA = Path(os.environ.get("AFTERTURN_SHARED", Path(__file__).parents[3] / "shared")) / "data"
ROLES = {"agent": "assistant", "tool_call": "assistant", "tool_result": "tool"}
FILES = [
    "dialogue/conclusion/star.dev.jsonl",
    "tools/selection/workbench-model-outputs.dev.jsonl",
    "tools/selection/star-wizard.dev.jsonl",
]


def records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, islice(lines, 40)):
            said = row.pop("turns", None) or [{"role": "user", "text": row.pop("request", "")}]
            messages = [{"role": ROLES.get(turn["role"], turn["role"]), "content": turn["text"]} for turn in said]
            messages.append({"role": "assistant", "content": row.get("reply"), "tool_calls": row.pop("calls", None)})
            yield {**row, "tools": None, "tools_name": row.get("tools"), "messages": messages}


@pytest.mark.parametrize("name", FILES)
def test_real_conversations_come_back_from_jsonl_and_parquet_as_they_were(name: str, tmp_path: Path) -> None:
    if not (DATA / name).exists():
        pytest.skip("the shared data is not beside the repository")
    turns = [turn_from_json(record) for record in records(DATA / name)]
    assert len(turns) == 40
    for path in (tmp_path / "turns.jsonl", tmp_path / "turns.parquet"):
        write_any(turns, path)
        again = [turn for turn in read_any(path) if isinstance(turn, Turn)]
        assert again == turns
        assert [turn.extra for turn in again] == [turn.extra for turn in turns]
    assert list(read_turns(tmp_path / "turns.jsonl")) == turns
