"""What Afterturn costs beside its judge, and to start: each figure beside its counterpart in the same run.

- pipeline: guard, stream filter (four characters a delta), store, plan, read and session state of a turn, with a judge
  that answers at once, against the encoder judge alone on the same turns, which it sees for the first time. Both are
  CPU time of the whole process, all threads: the pipeline also waits for the disk, and nobody waits for the pipeline.
  What a process does once (loading rules, compiling them) is left out of both.
- import: `import afterturn` against `import pydantic_ai`, each in a new process.
- help: `afterturn --help` against a typer program that does nothing, each in a new process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from afterturn.calls import Answer, Call
from afterturn.classifiers import BUILT_IN
from afterturn.config import Config
from afterturn.embedded import Afterturn
from afterturn.formats import read_any
from afterturn.judges import open_judge
from afterturn.run import plan
from afterturn.turns import Turn

ROUNDS = 7
CORPORA = ("turns", "heldout", "third")
NOTHING = """
import typer
app = typer.Typer()
@app.command()
def nothing() -> None: ...
app()
"""


class InstantJudge:
    """Answers every call at once with what the encoder answered before: what is left is the pipeline."""

    name = "instant"
    location = "local"

    def __init__(self, answers: dict[str, Answer]) -> None:
        self._answers = answers

    async def ask(self, call: Call) -> Answer:
        """Gives the recorded answer of the turn."""
        return self._answers[call.turn.id]

    async def aclose(self) -> None:
        """Has nothing to close."""


def corpus(name: str) -> list[Turn]:
    """The turns with content of a corpus: those that a judge is asked about."""
    found = read_any(Path(__file__).parent / "corpus" / f"{name}.jsonl")
    return [turn for turn in found if isinstance(turn, Turn) and "-c" in turn.id]


async def encoder_answers(turns: Sequence[Turn]) -> tuple[dict[str, Answer], float]:
    """Asks a new encoder judge about every turn; gives its answers and the CPU seconds a turn."""
    judge = open_judge("encoder")
    calls = [call for turn in turns for call in plan(turn, BUILT_IN).calls]
    await judge.ask(calls[0])  # loads the model
    started = time.process_time()
    answers = {call.turn.id: await judge.ask(call) for call in calls}
    spent = time.process_time() - started
    await judge.aclose()
    return answers, spent / len(turns)


async def pipeline_seconds(turns: Sequence[Turn], answers: dict[str, Answer], *, awaited: bool) -> float:
    """Plays every turn live, with a new database, and has it judged by the instant judge; CPU seconds a turn.

    Args:
        turns: The turns.
        answers: What the judge answers, by turn.
        awaited: Whether the next turn waits for the verdicts of the one before.
    """
    with tempfile.TemporaryDirectory() as folder:
        config = Config(db=str(Path(folder) / "bench.db"), judge="instant")
        async with Afterturn(config=config, open_judge=lambda _: InstantJudge(answers), sinks=()) as at:
            await _play(at, turns[0])  # opens the database
            await at.drain()
            started = time.process_time()
            for turn in turns[1:]:
                await _play(at, turn)
                if awaited:
                    await at.drain()
            await at.drain()  # all verdicts are there now
            return (time.process_time() - started) / (len(turns) - 1)


async def _play(at: Afterturn, turn: Turn) -> None:
    message = turn.exchange[0].text
    history = turn.history
    live = at.turn(
        agent=turn.agent,
        session=turn.session,
        message=message,
        turn=turn.id,
        history=history,
        created_at=turn.created_at,
    )
    async with live as open_turn:
        if turn.passages:
            open_turn.passages(turn.passages)
        async for _text in open_turn.stream(_tokens(turn.messages[-1].text)):
            pass


def _tokens(text: str) -> list[str]:
    """Cuts a reply into pieces of about a token each."""
    return [text[start : start + 4] for start in range(0, len(text), 4)]


def process_seconds(*commands: Sequence[str]) -> list[float]:
    """Runs new Python processes in turns; gives the median of the seconds of each command."""
    taken: list[list[float]] = [[] for _ in commands]
    for _ in range(ROUNDS):
        for seconds, arguments in zip(taken, commands, strict=True):
            started = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - started)
    return [statistics.median(seconds) for seconds in taken]


def pipeline_rows() -> list[dict[str, object]]:
    """Measures the judge and the pipeline on one corpus after the other; a ratio is the median of those of a corpus.

    The judge reads every corpus for the first time. So does the pipeline once; then it reads it again, as a process
    does that has run for a while, whose words and rules are known.
    """
    judge: list[float] = []
    first: list[float] = []
    again: list[float] = []
    awaited: list[float] = []
    warm_up(corpus(CORPORA[0])[:8])
    for turns in map(corpus, CORPORA):
        answers, judge_s = asyncio.run(encoder_answers(turns))
        judge.append(judge_s)
        first.append(asyncio.run(pipeline_seconds(turns, answers, awaited=False)))
        for kept, wait in ((again, False), (awaited, True)):
            rounds = [asyncio.run(pipeline_seconds(turns, answers, awaited=wait)) for _ in range(ROUNDS)]
            kept.append(statistics.median(rounds))
    return [
        _row("pipeline of a turn, beside its judge", again, "encoder judge on the same turn", judge, 0.05),
        _row("the same, each turn's verdicts awaited", awaited, "encoder judge on the same turn", judge, 0.05),
        _row("the same, every text for the first time", first, "encoder judge on the same turn", judge, None),
    ]


def warm_up(turns: Sequence[Turn]) -> None:
    """Has the process do what it does once: load rules and tables, compile them."""
    answers, _ = asyncio.run(encoder_answers(turns))
    for _ in range(ROUNDS):
        asyncio.run(pipeline_seconds(turns, answers, awaited=False))


def measure() -> list[dict[str, object]]:
    """Gives a row a figure: what, its value, its counterpart's, the ratio and the ratio we promise."""
    bare_s, ours_s, heavy_s, help_s, typer_s = process_seconds(
        ("-c", "pass"),
        ("-c", "import afterturn"),
        ("-c", "import pydantic_ai"),
        ("-m", "afterturn", "--help"),
        ("-c", NOTHING, "--help"),
    )
    return [
        *pipeline_rows(),
        _row("import afterturn", [ours_s - bare_s], "import pydantic_ai", [heavy_s - bare_s], 0.25),
        _row("afterturn --help", [help_s], "a typer program that does nothing, --help", [typer_s], 1.5),
    ]


def _row(
    what: str, ours: list[float], counterpart: str, theirs: list[float], at_most: float | None
) -> dict[str, object]:
    return {
        "what": what,
        "ms": round(statistics.median(ours) * 1000, 2),
        "counterpart": counterpart,
        "counterpart_ms": round(statistics.median(theirs) * 1000, 2),
        "ratio": round(statistics.median(mine / its for mine, its in zip(ours, theirs, strict=True)), 3),
        "at_most": at_most,
    }


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = measure()
    if options.json:
        print(json.dumps({"bench": "pipeline", "rows": rows}))
        return
    print("| what | ms | counterpart | ms | ratio | at most |\n|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join("" if value is None else str(value) for value in row.values()) + " |")


if __name__ == "__main__":
    main()
