"""What Afterturn costs beside its judge, and to start: each figure beside its counterpart in the same run.

- pipeline: guard, stream filter (four characters a delta), store, plan, read and session state of a turn, with a judge
  that answers at once, against the encoder judge alone on the same turns, each seen for the first time. Both are CPU
  time of the whole process, all threads: the pipeline also waits for the disk, and nobody waits for the pipeline.
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

CORPUS = Path(__file__).parent / "corpus" / "turns.jsonl"
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


def corpus() -> list[Turn]:
    """The turns with content: those that a judge is asked about."""
    return [t for t in read_any(CORPUS) if isinstance(t, Turn) and "-c" in t.id]


async def encoder_answers(turns: Sequence[Turn]) -> tuple[dict[str, Answer], float]:
    """Asks the encoder judge about every turn; gives its answers and the CPU seconds a turn."""
    judge = open_judge("encoder")
    calls = [call for turn in turns for call in plan(turn, BUILT_IN).calls]
    await judge.ask(calls[0])  # loads the model
    started = time.process_time()
    answers = {call.turn.id: await judge.ask(call) for call in calls}
    spent = time.process_time() - started
    await judge.aclose()
    return answers, spent / len(turns)


async def pipeline_seconds(turns: Sequence[Turn], answers: dict[str, Answer], *, awaited: bool) -> float:
    """Plays every turn live and has it judged by the instant judge; CPU seconds a turn, the best of three rounds.

    Args:
        turns: The turns.
        answers: What the judge answers, by turn.
        awaited: Whether the next turn waits for the verdicts of the one before.
    """
    rounds: list[float] = []
    for _ in range(3):
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
                rounds.append((time.process_time() - started) / (len(turns) - 1))
    return min(rounds)


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


def process_seconds(*arguments: str, times: int = 7) -> float:
    """Runs a new Python process several times and gives the median of its seconds."""
    taken: list[float] = []
    for _ in range(times):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def measure() -> list[dict[str, object]]:
    """Gives a row a figure: what, its value, its counterpart's, the ratio and the ratio we promise."""
    turns = corpus()
    answers, judge_s = asyncio.run(encoder_answers(turns))
    pipeline_s, awaited_s = (asyncio.run(pipeline_seconds(turns, answers, awaited=wait)) for wait in (False, True))
    bare_s = process_seconds("-c", "pass")
    import_s = process_seconds("-c", "import afterturn") - bare_s
    heavy_s = process_seconds("-c", "import pydantic_ai") - bare_s
    help_s = process_seconds("-m", "afterturn", "--help")
    typer_s = process_seconds("-c", NOTHING, "--help")
    return [
        _row("pipeline of a turn, beside its judge", pipeline_s, "encoder judge on the same turn", judge_s, 0.05),
        _row("the same, each turn's verdicts awaited", awaited_s, "encoder judge on the same turn", judge_s, 0.05),
        _row("import afterturn", import_s, "import pydantic_ai", heavy_s, 0.25),
        _row("afterturn --help", help_s, "a typer program that does nothing, --help", typer_s, 1.5),
    ]


def _row(what: str, ours_s: float, counterpart: str, theirs_s: float, at_most: float) -> dict[str, object]:
    return {
        "what": what,
        "ms": round(ours_s * 1000, 2),
        "counterpart": counterpart,
        "counterpart_ms": round(theirs_s * 1000, 2),
        "ratio": round(ours_s / theirs_s, 3),
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
        print("| " + " | ".join(str(value) for value in row.values()) + " |")


if __name__ == "__main__":
    main()
