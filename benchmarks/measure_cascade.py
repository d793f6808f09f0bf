"""Measures the cascade of encoder and live model on labelled questions: a section of docs/measurements.md.

Usage::

    python benchmarks/measure_cascade.py ask ANSWERS [--minutes 30] [--base-url URL] [--rows FILE]
    python benchmarks/measure_cascade.py read ANSWERS [--json] [--base-url URL] [--rows FILE]

`ask` puts each labelled question to the live model once, a call a turn with all labelled questions of the turn, and
keeps the answers in ANSWERS; called again, it goes on. The sets come by turns, and in each set the labels, so a part of
it is even. `--rows` takes the corpus turns from what `measure_judges.py --judge live --rows FILE` wrote.

`read` judges the same turns three times with the product's code: by the encoder, by the recorded answers, and by a
`Cascade` of the two. With `--base-url` it also counts the tokens of one turn's calls, by the server's own tokenizer and
without asking the model anything: of the cascade, of one fused call a view, of one call a question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from cascade_cost import costs
from cascade_rows import Labelled, is_right, labelled
from live_server import LiveServer, start_server

from afterturn.calls import Answer, Call, Judge, Location
from afterturn.classifiers import INJECTION
from afterturn.config import Config
from afterturn.errors import JudgeError, ProviderError
from afterturn.judges import ModelJudge
from afterturn.judges.encoder import EncoderJudge
from afterturn.judges.wrap import Cascade
from afterturn.judging import Judging
from afterturn.outcomes import Judgement
from afterturn.verdicts import Usage

LIVE_MODEL = Path("~/.cache/afterturn/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").expanduser()
MODEL = "openai:qwen2.5-coder-1.5b-instruct"
DEADLINE_S = 600.0

Line = dict[str, Any]


class Recorder:
    """Asks a judge and writes down what it said, by the turn's id."""

    def __init__(self, judge: Judge, out: Any) -> None:
        self._judge = judge
        self._out = out
        self.name: str = judge.name
        self.location: Location = judge.location

    async def ask(self, call: Call) -> Answer:
        """Answers a call."""
        started_s = time.monotonic()
        line: Line = {"turn": call.turn.id, "asked": [question.classifier for question in call.questions]}
        try:
            answer = await self._judge.ask(call)
        except JudgeError as error:
            self._write({**line, "error": error.code})
            raise
        usage = [answer.usage.input_tokens, answer.usage.output_tokens]
        self._write({**line, "values": answer.values, "usage": usage, "s": round(time.monotonic() - started_s, 1)})
        return answer

    async def aclose(self) -> None:
        """Closes the judge."""
        await self._judge.aclose()

    def _write(self, line: Line) -> None:
        self._out.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._out.flush()


class Recorded:
    """Answers calls, or parts of them, from what was written down; `asked` holds the questions by turn."""

    name: str = "recorded"
    location: Location = "local"

    def __init__(self, answers: dict[str, Line]) -> None:
        self._answers = answers
        self.asked: set[tuple[str, str]] = set()

    async def ask(self, call: Call) -> Answer:
        """Gives the fields that the call asks for.

        Raises:
            ProviderError: The model gave no answer about this turn.
        """
        line = self._answers[call.turn.id]
        self.asked |= {(call.turn.id, question.classifier) for question in call.questions}
        if "values" not in line:
            raise ProviderError(f"recorded error {line['error']}")
        asked = {field for question in call.questions for field in question.fields}
        values = {field: value for field, value in line["values"].items() if field in asked}
        return Answer(values=values, usage=Usage(input_tokens=line["usage"][0], output_tokens=line["usage"][1]))

    async def aclose(self) -> None:
        """Holds nothing open."""


def known(path: Path, rows: Path | None = None) -> dict[str, Line]:
    """Reads what was answered, by the turn's id."""
    found = {line["turn"]: _answered(line) for line in _lines(rows) if line["judge"] == "live"}
    return found | {line["turn"]: line for line in _lines(path)}


def _answered(line: Line) -> Line:
    """Makes an answer of a judged turn."""
    values = {
        "title": line["title"],
        "categoryNames": line["categories"] or [],
        "sourceIds": [source["alias"] for source in line["sources"] if source["how"] == "attributed"],
        "taskConcluded": line["task_concluded"] is True,
        "handoffSummary": line["handoff_summary"],
    }
    return {"turn": line["turn"], "values": values, "usage": [None, None]}


def _lines(path: Path | None) -> list[Line]:
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def ask(
    rows: Sequence[Labelled], path: Path, done: dict[str, Line], *, minutes: float, base_url: str | None
) -> None:
    """Asks the live model about the turns that have no answer yet."""
    until_s = time.monotonic() + 60 * minutes
    with path.open("a", encoding="utf-8") as out:
        judge = Recorder(ModelJudge(MODEL, base_url=base_url, api_key="none", timeout_s=DEADLINE_S), out)
        left = [row for row in rows if row.turn.id not in done]
        for number, row in enumerate(left):
            if time.monotonic() > until_s:
                break
            await judged(row, judge)
            sys.stderr.write(f"\r{number + 1} of {len(left)}")
        await judge.aclose()


async def judged(row: Labelled, judge: Judge) -> dict[str, Judgement]:
    """Judges a turn by the questions that are labelled in it."""
    config = Config(judge="given", classifiers=row.classifiers, injection_second_pass=INJECTION in row.labels)
    judging = Judging(config, open_judge=lambda _: judge)
    return {one.verdict.classifier: one for one in await judging.judge(row.turn)}


async def compare(rows: Sequence[Labelled], answers: dict[str, Line]) -> Line:
    """Judges the answered turns by the encoder, the recorded answers and the cascade of both."""
    encoder, behind = EncoderJudge(), Recorded(answers)
    cascade = Cascade(encoder, behind)
    judges: dict[str, Judge] = {"encoder": encoder, "live": Recorded(answers), "cascade": cascade}
    hits: list[Line] = []
    for row in rows:
        if row.turn.id not in answers:
            continue
        found = {name: await judged(row, judge) for name, judge in judges.items()}
        for question, label in row.labels.items():
            right = {name: is_right(question, said[question], label) for name, said in found.items()}
            asked = (row.turn.id, question) in behind.asked
            hits.append({"set": f"{row.set}: {question}", "passed_on": asked, **right})
    counted = cascade.agreement
    await cascade.aclose()
    sets = dict.fromkeys(hit["set"] for hit in hits)
    return {
        "table": {name: _counts([hit for hit in hits if hit["set"] == name]) for name in sets},
        "total": _counts(hits),
        "of those passed on": _counts([hit for hit in hits if hit["passed_on"]]),
        "of those kept": _counts([hit for hit in hits if not hit["passed_on"]]),
        "questions_passed_on": [counted.escalated, counted.questions],
    }


def _counts(hits: Sequence[Line]) -> Line:
    names = ("passed_on", "encoder", "live", "cascade")
    return {"questions": len(hits), **{name: sum(hit[name] for hit in hits) for name in names}}


async def read(options: argparse.Namespace, rows: Sequence[Labelled]) -> Line:
    """Gives all figures."""
    answers = known(options.answers, options.rows)
    found = await compare(rows, answers)
    seconds = sorted(line["s"] for line in answers.values() if "s" in line)
    found["live_calls"] = {
        "turns": len(answers),
        "errors": sorted(line["error"] for line in answers.values() if "error" in line),
        "seconds_median": seconds[len(seconds) // 2] if seconds else None,
    }
    if options.base_url:
        found["cost"] = await costs(options.base_url)
    return found


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("ask", "read"))
    parser.add_argument("answers", type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rows", type=Path, help="judged turns of the corpus, by measure_judges.py")
    parser.add_argument("--base-url", help="a server that runs already; by default one is started to ask")
    parser.add_argument("--json", action="store_true", help="one line")
    options = parser.parse_args()
    rows = labelled()
    if options.what == "read":
        print(json.dumps(asyncio.run(read(options, rows)), indent=None if options.json else 1))
        return
    server: AbstractContextManager[Any] = nullcontext() if options.base_url else start_server(LIVE_MODEL)
    with server as started:
        base_url = started.base_url if isinstance(started, LiveServer) else options.base_url
        done = known(options.answers, options.rows)
        asyncio.run(ask(rows, options.answers, done, minutes=options.minutes, base_url=base_url))


if __name__ == "__main__":
    main()
