"""Measures how good the encoder's answers are, one table, counterparts beside them in the same run.

Run: `afterturn bench quality [--only TASK,…] [--json]`. Our test sets are in benchmarks/corpus; public dev files are
read from `AFTERTURN_SHARED`, else ../shared, and left out where absent. Dev calibrates heads; nothing trains on it.
`speed` sets all-MiniLM-L6-v2 beside it where `AFTERTURN_MINILM` is a folder with its `model.onnx` and `tokenizer.json`.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from quality_speed import speed
from quality_tasks import TASKS as ANSWERS
from quality_topics import topics

from afterturn.judges.encoder._load import load_encoder

TASKS = {**ANSWERS, "topics": topics, "speed": speed}
DATA = Path(os.environ.get("AFTERTURN_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(TASKS), help=f"some of {', '.join(TASKS)}")
    parser.add_argument("--json", action="store_true", help="one JSON line a figure")
    options = parser.parse_args()
    encoder = load_encoder()
    if not options.json:
        print("| task | rows of | rows | measure | encoder | beside | asked |\n|---|---|---|---|---|---|---|")
    for name in options.only.split(","):
        for figure in TASKS[name](encoder, DATA):
            print(json.dumps(figure.plain(), ensure_ascii=False) if options.json else figure.line(), flush=True)


if __name__ == "__main__":
    main()
