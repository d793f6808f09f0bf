"""Measures what the eval runner itself costs: an instant agent, an instant judge, the same rows, peers beside it.

Usage::

    python benchmarks/bench_evals.py [--rows 2000] [--large 100000] [--repeats 3]

Three comparisons, each library in processes of its own, five rows at once, imports left out, the fastest run counts:

- **judge**: a model that answers at once grades each reply, each library in its own way. Afterturn: rubric, schema and
  data block, checked answer. pydantic-evals: `LLMJudge` with its `TestModel`. Inspect: `model_graded_qa` with its mock
  model. Each writes what it writes by itself: Afterturn its run file, Inspect its log, pydantic-evals nothing.
- **bare**: a function gives the score. Afterturn and pydantic-evals hold their rows in memory and store nothing;
  Inspect has no way without its log.
- **whole against bare**: all of Afterturn's judge path against the functions of the others, which do less.

Peers are measured where they are installed. `--large` shows that memory is flat.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def rows_file(folder: Path, count: int) -> Path:
    """Writes the rows."""
    path = folder / "rows.jsonl"
    with path.open("w") as stream:
        for number in range(count):
            stream.write(json.dumps({"id": f"r{number}", "input": f"What is {number}+1?", "expected": str(number + 1)}))
            stream.write("\n")
    return path


def afterturn(folder: Path, count: int) -> None:
    """Runs Afterturn: dataset file, rubric, judge call with schema and data block, run file."""
    from afterturn.calls import Answer, Call
    from afterturn.evals import Parts, Prices, load_rubric, new_header, open_dataset, start_run
    from afterturn.evals.targets.python import PythonTarget

    class Instant:
        name, location = "instant", "local"

        async def ask(self, call: Call) -> Answer:
            return Answer(values={"reasoning": "It fits.", "score": 90})

        async def aclose(self) -> None:
            pass

    async def agent(row: Any) -> str:
        return f"It is {row['expected']}."

    async def main() -> None:
        judge: Any = Instant()
        dataset = open_dataset(rows_file(folder, count))
        parts = Parts(
            target=PythonTarget(agent, name="bench:agent"),
            rubrics=(load_rubric("correctness"),),
            judge=judge,
            prices=Prices({}),
        )
        summary = await start_run(new_header(parts, dataset), parts, dataset, folder / "run.jsonl")
        assert summary.states["pass"] == count

    asyncio.run(main())


def runner_alone(folder: Path, count: int) -> None:
    """Runs Afterturn's runner as a peer that holds its rows in memory, scores by a function and stores nothing."""
    from afterturn.evals import Reply, Row, Score, Setup, Tally, read_row, run_rows
    from afterturn.evals.targets.python import PythonTarget

    class Instant:
        rubric, free, priced = "instant", True, True

        def skips(self, row: Row, reply: Reply | None) -> str | None:
            return None

        async def grade(self, row: Row, reply: Reply) -> Score:
            return Score(rubric="instant", score=90)

    async def agent(row: Any) -> str:
        return f"It is {row['expected']}."

    async def main() -> None:
        rows = [read_row(json.loads(line)) for line in rows_file(folder, count).read_text().splitlines()]
        tally = Tally(planned=count)
        setup = Setup(target=PythonTarget(agent, name="bench:agent"), graders=(Instant(),))
        await run_rows(setup, rows, take=tally.add)
        assert tally.summary().states["pass"] == count

    asyncio.run(main())


def pydantic_evals_llm(folder: Path, count: int) -> None:
    """Runs pydantic-evals with its own LLM judge, asked through a model that answers at once."""
    evals: Any = importlib.import_module("pydantic_evals")
    evaluators: Any = importlib.import_module("pydantic_evals.evaluators")
    models: Any = importlib.import_module("pydantic_ai.models.test")
    model = models.TestModel(custom_output_args={"reason": "It fits.", "pass": True, "score": 0.9})

    async def agent(inputs: str) -> str:
        return f"It is {inputs}."

    async def main() -> None:
        lines = [json.loads(line) for line in rows_file(folder, count).read_text().splitlines()]
        cases = [evals.Case(name=line["id"], inputs=line["input"], expected_output=line["expected"]) for line in lines]
        judge = evaluators.LLMJudge(rubric="Is it right?", model=model)
        report = await evals.Dataset(name="bench", cases=cases, evaluators=[judge]).evaluate(
            agent, max_concurrency=5, progress=False
        )
        assert len(report.cases) == count

    asyncio.run(main())


def pydantic_evals(folder: Path, count: int) -> None:
    """Runs pydantic-evals: a dataset in memory, an evaluator that gives a score; it stores nothing."""
    from dataclasses import dataclass

    evals: Any = importlib.import_module("pydantic_evals")
    evaluators: Any = importlib.import_module("pydantic_evals.evaluators")

    @dataclass
    class Judge(evaluators.Evaluator):
        async def evaluate(self, ctx: Any) -> float:
            return 0.9

    async def agent(inputs: str) -> str:
        return f"It is {inputs}."

    async def main() -> None:
        lines = [json.loads(line) for line in rows_file(folder, count).read_text().splitlines()]
        cases = [evals.Case(name=line["id"], inputs=line["input"], expected_output=line["expected"]) for line in lines]
        dataset = evals.Dataset(name="bench", cases=cases, evaluators=[Judge()])
        report = await dataset.evaluate(agent, max_concurrency=5, progress=False)
        assert len(report.cases) == count

    asyncio.run(main())


def inspect_llm(folder: Path, count: int) -> None:
    """Runs Inspect with its own model-graded scorer, asked through its mock model."""
    scoring: Any = importlib.import_module("inspect_ai.scorer")
    models: Any = importlib.import_module("inspect_ai.model")

    answer = models.ModelOutput.from_content("mockllm/model", "It fits. GRADE: C")
    # Without it Inspect counts tokens by a table that it downloads.
    answer.usage = models.ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    judge = models.get_model("mockllm/model", custom_outputs=lambda *_: answer.model_copy(deep=True), memoize=False)
    _inspect(folder, count, scoring.model_graded_qa(model=judge))


def inspect(folder: Path, count: int) -> None:
    """Runs Inspect with a function as scorer."""
    scoring: Any = importlib.import_module("inspect_ai.scorer")

    @scoring.scorer(metrics=[scoring.mean()])
    def judge() -> Any:
        async def score(state: Any, target: Any) -> Any:
            return scoring.Score(value=0.9, answer=state.output.completion, explanation="It fits.")

        return score

    _inspect(folder, count, judge())


def _inspect(folder: Path, count: int, scorer: Any) -> None:
    """Runs Inspect: a dataset in memory and a solver; it stores its own log."""
    os.environ["INSPECT_DISPLAY"] = "none"
    ai: Any = importlib.import_module("inspect_ai")
    data: Any = importlib.import_module("inspect_ai.dataset")
    solving: Any = importlib.import_module("inspect_ai.solver")

    @solving.solver
    def agent() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output.completion = f"It is {state.input_text}."
            return state

        return solve

    lines = [json.loads(line) for line in rows_file(folder, count).read_text().splitlines()]
    samples = [data.Sample(id=line["id"], input=line["input"], target=line["expected"]) for line in lines]
    task = ai.Task(dataset=data.MemoryDataset(samples), solver=agent(), scorer=scorer)
    (log,) = ai.eval(task, model="mockllm/model", max_samples=5, log_dir=str(folder), display="none")
    assert log.status == "success"


RUNS: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "afterturn judge": ("afterturn", afterturn),
    "afterturn bare": ("afterturn", runner_alone),
    "pydantic-evals judge": ("pydantic_evals", pydantic_evals_llm),
    "pydantic-evals bare": ("pydantic_evals", pydantic_evals),
    "inspect judge": ("inspect_ai", inspect_llm),
    "inspect bare": ("inspect_ai", inspect),
}
RATIOS = [
    ("judge", "afterturn judge", ("pydantic-evals judge", "inspect judge")),
    ("bare", "afterturn bare", ("pydantic-evals bare", "inspect bare")),
    ("whole against bare", "afterturn judge", ("pydantic-evals bare", "inspect bare")),
]


def one(name: str, count: int) -> None:
    """Measures one library in this process, its imports left out."""
    module, function = RUNS[name]
    importlib.import_module(module)
    with tempfile.TemporaryDirectory() as folder:
        function(Path(folder), 5)  # what is imported late, and what is made once
    before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with tempfile.TemporaryDirectory() as folder:
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        function(Path(folder), count)
        wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    after_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"wall_s": wall_s, "cpu_s": cpu_s, "grown_mb": after_mb - before_mb, "peak_mb": after_mb}))


def measured(name: str, count: int, repeats: int) -> dict[str, float] | None:
    """Measures one library in processes of its own and gives the fastest; None where it is not installed."""
    if importlib.util.find_spec(RUNS[name][0]) is None:
        return None
    command = [sys.executable, __file__, "--one", name, "--rows", str(count)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(repeats)]
    return min((json.loads(run.stdout.splitlines()[-1]) for run in runs), key=lambda found: found["cpu_s"])


def main() -> None:
    """Measures all that are installed and prints a table, and who is how many times as fast."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--large", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", choices=RUNS)
    options = parser.parse_args()
    if options.one:
        one(options.one, options.rows)
        return
    print(f"{'':20} {'rows':>8} {'seconds':>8} {'CPU s':>8} {'MB more':>8} {'MB peak':>8}")
    wanted = [(name, options.rows) for name in RUNS]
    wanted += [("afterturn judge", options.large)] if options.large else []
    found: dict[str, float] = {}
    for name, count in wanted:
        figures = measured(name, count, options.repeats if name.startswith(("afterturn", "pydantic")) else 1)
        if figures is None:
            print(f"{name:20} not installed")
            continue
        found.setdefault(name, figures["cpu_s"])
        print(
            f"{name:20} {count:8,} {figures['wall_s']:8.2f} {figures['cpu_s']:8.2f} "
            f"{figures['grown_mb']:8.0f} {figures['peak_mb']:8.0f}"
        )
    for label, ours, others in RATIOS:
        told = [f"{found[other] / found[ours]:.1f} times {other}" for other in others if other in found]
        print(f"{label}, CPU time of others by ours: {', '.join(told) or 'nobody else is here'}")


if __name__ == "__main__":
    main()
