"""Reads the shared rows about groundedness."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("AFTERTURN_SHARED", Path(__file__).parents[2] / "shared")) / "data"
FOLDER = "rag/groundedness"
FILES = ("begin-wow-cmu", "mtrag-un")


def read(split: str) -> list[dict[str, Any]]:
    """Reads the replies of both files, each with its passages and whether it rests on them."""
    found: list[dict[str, Any]] = []
    for name in FILES:
        text = (DATA / FOLDER / f"{name}.{split}.jsonl").read_text(encoding="utf-8")
        found += [{**json.loads(line), "file": name} for line in text.splitlines()]
    return found
