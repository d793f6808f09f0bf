"""Measures a live model as the judge of tool choice, by `afterturn eval run`: a section of docs/measurements.md.

Usage::

    python benchmarks/measure_tool_judge.py run FOLDER [--rows 200] [--most-tools 27] [--base-url URL] [--minutes 35]
    python benchmarks/measure_tool_judge.py read FOLDER [--json]

`run` writes WorkBench's dev outputs as a dataset and as recorded turns into FOLDER, half of them appropriate, and runs
the command on them; called again, it goes on where it was. `read` sets the judge beside the encoder's opinion on the
same rows and beside always saying "appropriate"; a run that was cut off is read as far as it came. The tools' doc
strings are written as a description and the names of their parameters, as an agent's own list has them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from live_server import LiveServer, start_server
from tool_opinion import balanced
from tool_rows import WORKBENCH, read

LIVE_MODEL = Path("~/.cache/afterturn/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").expanduser()
JUDGE = "openai:qwen2.5-coder-1.5b-instruct"
SEED = 6
_PARAMETER = re.compile(r"^\s*(\w+)\s*:\s*\w", re.MULTILINE)

Line = dict[str, Any]


def sample(rows: int, most_tools: int) -> list[Line]:
    """Draws as many appropriate rows as others; those with the same tools are neighbours: a server caches the list."""
    chance = random.Random(SEED)
    items = [item for item in read(WORKBENCH) if len(item["tools"]) <= most_tools]
    chance.shuffle(items)
    right = [item for item in items if item["appropriate"]]
    wrong = [item for item in items if not item["appropriate"]]
    pairs = [item for pair in zip(right, wrong, strict=False) for item in pair][:rows]
    return sorted(pairs, key=lambda item: [tool["name"] for tool in item["tools"]])


def as_tool(tool: Line) -> Line:
    """Makes a function of a doc string: its first part is the description, the parameters are named in a schema."""
    about, _, rest = tool["description"].partition("Parameters\n")
    names = _PARAMETER.findall(rest.partition("Returns\n")[0])
    schema: Line = {"type": "object", "properties": {name: {} for name in names}}
    return {"name": tool["name"], "description": " ".join(about.split()), "parameters": schema}


def as_turn(item: Line) -> Line:
    """Makes a recorded turn of an output."""
    calls = [
        {
            "id": f"call-{number}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call.get("arguments") or {})},
        }
        for number, call in enumerate(item["calls"])
    ]
    said: Line = {"role": "assistant", "content": item["reply"] or ""}
    if calls:
        said["tool_calls"] = calls
    return {"turn": item["id"], "messages": [{"role": "user", "content": item["request"]}, said]}


def write(folder: Path, items: Sequence[Line]) -> None:
    """Writes the dataset, the recorded turns and the labels, and in `order.json` which rows they are."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = {
        "rows.jsonl": [
            {"id": item["id"], "input": item["request"], "tools": list(map(as_tool, item["tools"]))} for item in items
        ],
        "turns.jsonl": [as_turn(item) for item in items],
        "labels.jsonl": [{"row": item["id"], "pass": item["appropriate"], "rater": "workbench"} for item in items],
    }
    for name, objects in lines.items():
        (folder / name).write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")


def run(options: argparse.Namespace) -> int:
    """Runs the command with both judges, the live one last."""
    folder: Path = options.folder
    if not (folder / "rows.jsonl").exists():
        write(folder, sample(options.rows, options.most_tools))
    _eval(folder, "encoder", {}, None)
    server: Any = nullcontext(None) if options.base_url else start_server(LIVE_MODEL)
    with server as started:
        base_url = started.base_url if isinstance(started, LiveServer) else options.base_url
        environment = {"OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "none"}
        return _eval(folder, "live", environment, options.minutes)


def _eval(folder: Path, name: str, environment: dict[str, str], minutes: float | None) -> int:
    out = folder / f"{name}.jsonl"
    command = [sys.executable, "-m", "afterturn", "eval"]
    if out.exists():
        command += ["resume", str(out), "--retry-errors"]
    else:
        judge = JUDGE if name == "live" else name
        command += ["run", str(folder / "rows.jsonl"), "--target", str(folder / "turns.jsonl")]
        command += ["--rubric", "tool_selection", "--judge", judge, "-j", "1", "--deadline", "600", "-o", str(out)]
    sys.stderr.write(" ".join(command) + "\n")
    process = subprocess.Popen(command, env={**os.environ, **environment})
    try:
        return process.wait(timeout=None if minutes is None else 60 * minutes)
    except subprocess.TimeoutExpired:
        process.terminate()
        return process.wait()


def results(path: Path) -> dict[str, Line]:
    """Reads the results of a run's file by the row's id, also of a run that has not ended."""
    found: dict[str, Line] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        if "row" in value and "state" in value:
            found[value["row"]["id"]] = value
    return found


def figures(folder: Path) -> Line:
    """Counts states, and how far each judge agrees with `appropriate`, on the rows that the live one scored."""
    text = (folder / "labels.jsonl").read_text(encoding="utf-8")
    labels = {label["row"]: bool(label["pass"]) for label in map(json.loads, text.splitlines())}
    live, encoder = results(folder / "live.jsonl"), results(folder / "encoder.jsonl")
    scored = [row for row in live if live[row]["state"] in ("pass", "fail")]
    guesses = {
        "live": [(labels[row], live[row]["state"] == "pass") for row in scored],
        "encoder": [(labels[row], encoder[row]["state"] == "pass") for row in scored],
        "always appropriate": [(labels[row], True) for row in scored],
    }
    scores = [_score(live[row]) for row in scored]
    return {
        "rows_done": len(live),
        "states": Counter(f"{result['state']}:{result.get('reason') or ''}".rstrip(":") for result in live.values()),
        "coverage": len(scored) / len(live) if live else 0.0,
        "scored": len(scored),
        "appropriate_of_scored": sum(labels[row] for row in scored),
        "judges": {name: _agreement(pairs) for name, pairs in guesses.items()},
        "auc_of_the_live_score": auc([(labels[row], score) for row, score in zip(scored, scores, strict=True)]),
        "scores": dict(sorted(Counter(scores).items())),
        "seconds_median": _median([_latency_s(live[row]) for row in scored]),
        "input_tokens_median": _median([live[row]["scores"][0]["usage"][0] for row in scored]),
    }


def _agreement(pairs: Sequence[tuple[bool, bool]]) -> Line:
    agreed = sum(truth == guess for truth, guess in pairs)
    return {
        "agreement": [agreed, len(pairs)],
        "balanced_accuracy": balanced(pairs),
        "kappa": kappa(pairs),
        "said_appropriate": sum(guess for _, guess in pairs),
    }


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Gives Cohen's kappa; 0 where chance alone explains all."""
    count = max(len(pairs), 1)
    seen = sum(truth == guess for truth, guess in pairs) / count
    yes, said = sum(truth for truth, _ in pairs) / count, sum(guess for _, guess in pairs) / count
    chance = yes * said + (1 - yes) * (1 - said)
    return (seen - chance) / (1 - chance) if chance < 1 else 0.0


def auc(pairs: Sequence[tuple[bool, float]]) -> float:
    """Gives the share of pairs of a right and a wrong row in which the right one has the higher score; ties half."""
    right, wrong = [score for truth, score in pairs if truth], [score for truth, score in pairs if not truth]
    wins = sum((one > two) + 0.5 * (one == two) for one in right for two in wrong)
    return wins / (len(right) * len(wrong)) if right and wrong else 0.5


def _score(result: Line) -> float:
    return float(result["scores"][0]["score"])


def _latency_s(result: Line) -> float:
    return float(result["scores"][0]["latency_ms"]) / 1000


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "read"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--most-tools", type=int, default=27, help="rows with more tools on offer are left out")
    parser.add_argument("--base-url", help="a server that runs already; by default one is started, with one thread")
    parser.add_argument("--minutes", type=float, help="stop the live run after so long; it can be gone on with")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.what == "run":
        return run(options)
    found = figures(options.folder)
    print(json.dumps(found) if options.json else json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
