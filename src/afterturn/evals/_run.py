"""Starts a run and goes on with one: agent, rubrics and dataset on one side, the run's file on the other."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from afterturn.calls import Judge
from afterturn.errors import UsageError
from afterturn.evals._dataset import Dataset
from afterturn.evals._judging import open_grader
from afterturn.evals._keys import Hashes
from afterturn.evals._prices import Prices
from afterturn.evals._records import RowResult
from afterturn.evals._redact import SECRET
from afterturn.evals._row import Setup
from afterturn.evals._rubric import Rubric
from afterturn.evals._run_records import RunHeader, RunSummary
from afterturn.evals._runner import run_rows
from afterturn.evals._spend import Spend
from afterturn.evals._storage import RunFile, RunWriter, done_key, drop_mended
from afterturn.evals._summary import Tally, summary_to_json
from afterturn.evals.assertions import open_assertion
from afterturn.evals.targets import Target
from afterturn.formats import canonical_json

Show = Callable[[RowResult, Tally, Spend], None]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Are the live parts of a run; whoever made them closes them by `close`.

    Attributes:
        target: The agent under test.
        rubrics: The rubrics; none for a run of assertions alone.
        judge: Who applies them, or None without rubrics.
        assertions: The assertions for all rows, as they are written.
        prices: What models cost.
    """

    target: Target
    rubrics: tuple[Rubric, ...] = ()
    judge: Judge | None = None
    assertions: tuple[str, ...] = ()
    prices: Prices

    def setup(self, header: RunHeader) -> Setup:
        """What every row goes through.

        Raises:
            UsageError: A rubric has no judge, an assertion has no meaning, or a cap has no prices to go by.
        """
        if self.rubrics and self.judge is None:
            raise UsageError("a rubric needs a judge; name one: --judge provider:model")
        judge = self.judge
        graders = tuple(open_grader(one, judge, prices=self.prices) for one in self.rubrics) if judge else ()
        if header.max_cost_usd is not None and not all(grader.priced for grader in graders):
            raise UsageError(f"a cost cap needs the price of {header.judge}; give a price table: --prices FILE")
        return Setup(
            target=self.target,
            graders=graders,
            assertions=tuple(open_assertion(spec) for spec in self.assertions),
            threshold=header.threshold,
            deadline_s=header.deadline_s,
            prices=self.prices,
        )

    def digest(self, threshold: int) -> str:
        """Hash of all that decides what a row's result is."""
        what = {
            "target": [self.target.name, self.target.options],
            "rubrics": [[rubric.name, rubric.digest] for rubric in self.rubrics],
            "judge": self.judge.name if self.judge else None,
            "assertions": list(self.assertions),
            "threshold": threshold,
        }
        return hashlib.sha256(canonical_json(what).encode()).hexdigest()[:16]

    async def close(self) -> None:
        """Closes agent and judge."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.target.aclose)
            if self.judge is not None:
                stack.push_async_callback(self.judge.aclose)


def new_header(parts: Parts, dataset: Dataset, **settings: object) -> RunHeader:
    """Writes the header of a new run.

    Args:
        parts: The live parts.
        dataset: The dataset.
        **settings: Any of threshold, repeat, concurrency, max_cost_usd, deadline_s.
    """
    from afterturn import __version__

    header = RunHeader(
        run=secrets.token_hex(6),
        started_at=datetime.now(UTC),
        version=__version__,
        target=parts.target.name,
        options=parts.target.options,
        dataset=str(dataset.path),
        dataset_format=dataset.format,
        rows=dataset.planned,
        bad_lines=dataset.bad_lines,
        rubrics=tuple(rubric.ref for rubric in parts.rubrics),
        judge=parts.judge.name if parts.judge else None,
        assertions=parts.assertions,
    )
    header = replace(header, **settings)  # pyright: ignore[reportArgumentType]
    return replace(header, setup=parts.digest(header.threshold))


async def start_run(
    header: RunHeader, parts: Parts, dataset: Dataset, path: Path, *, show: Show | None = None
) -> RunSummary:
    """Runs a dataset into a new file.

    Raises:
        UsageError: The parts do not fit each other.
        OutputError: The file is there already, or cannot be written; what was written stays.
        CancelledError: It was interrupted; the file says so and can be resumed.
    """
    run = _Run(header, dataset, show)
    setup = parts.setup(header)
    with RunWriter.create(path, header) as writer:
        return await run.go(setup, writer, Hashes())


async def resume_run(
    run: RunFile,
    parts: Parts,
    dataset: Dataset,
    *,
    show: Show | None = None,
    max_cost_usd: float | None = None,
    concurrency: int | None = None,
) -> RunSummary:
    """Goes on with a run: what is done stays, what is not is done.

    Args:
        run: The run's file.
        parts: The live parts, opened as the header says.
        dataset: The dataset, which may have got further rows.
        show: Is told of every result.
        max_cost_usd: A new cost cap for the whole run; by default the header's.
        concurrency: Rows at once; by default the header's.

    Raises:
        UsageError: A rubric, the agent's options or the dataset are not what the run was started with.
        OutputError: The file cannot be written.
    """
    refuse_other(run, parts)
    header = run.header
    header = replace(
        header,
        rows=dataset.planned,
        bad_lines=dataset.bad_lines,
        max_cost_usd=header.max_cost_usd if max_cost_usd is None else max_cost_usd,
        concurrency=concurrency or header.concurrency,
    )
    going = _Run(header, dataset, show)
    setup = parts.setup(header)
    wanted = Hashes(done_key(row.content, n) for row in dataset.all_rows() for n in range(1, header.repeat + 1))
    drop_mended(run.path, wanted)
    with RunWriter.resume(run.path) as writer:
        for result in run.results():
            if done_key(result.row.content, result.repeat) not in wanted:
                raise UsageError(f"row {result.row.id} of the run is not in {dataset.path} any more; start a new run")
            going.count(result)
        writer.rows(header.rows, bad_lines=header.bad_lines)
        return await going.go(setup, writer, run.done())


def refuse_other(run: RunFile, parts: Parts) -> None:
    """Refuses to go on with a run with other parts than it was begun with.

    Raises:
        UsageError: Target, rubrics, judge, assertions or threshold are not the run's.
    """
    if parts.digest(run.header.threshold) == run.header.setup:
        return
    if SECRET in canonical_json([run.header.options, list(run.header.assertions)]):
        raise UsageError(
            f"{run.path}: an option or an assertion of the run held a secret, which the file does not keep; "
            "start a new one"
        )
    raise UsageError(
        f"{run.path}: target, rubrics, judge or assertions have changed since the run began; start a new one"
    )


class _Run:
    """Is a run under way: what was added up and spent so far."""

    def __init__(self, header: RunHeader, dataset: Dataset, show: Show | None) -> None:
        self._header = header
        self._dataset = dataset
        self._show = show
        self._tally = Tally(planned=header.planned, repeat=header.repeat)
        self._spend = Spend(header.max_cost_usd)

    def count(self, result: RowResult) -> None:
        """Counts a result that was there before."""
        self._tally.add(result)
        self._spend.add(result)

    async def go(self, setup: Setup, writer: RunWriter, done: Hashes) -> RunSummary:
        """Runs what is not done, and writes the figures however it ends."""

        def take(result: RowResult) -> None:
            writer.add(result)
            self._tally.add(result)
            if self._show is not None:
                self._show(result, self._tally, self._spend)

        header = self._header
        try:
            stop = await run_rows(
                setup,
                self._dataset.all_rows(),
                take=take,
                repeat=header.repeat,
                concurrency=header.concurrency,
                spend=self._spend,
                done=done,
            )
        except (asyncio.CancelledError, KeyboardInterrupt):
            writer.finish(summary_to_json(self._tally.summary(stop="interrupted")))
            raise
        summary = self._tally.summary(stop=stop)
        writer.finish(summary_to_json(summary))
        return summary
