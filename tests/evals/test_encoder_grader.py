"""The encoder is loaded before the rows, and its loading is no part of the time of any."""

from __future__ import annotations

from eval_parts import FunctionTarget, rows

from afterturn.errors import JudgeMissingError
from afterturn.evals import Reply, Row, RowResult, Setup, load_rubric, run_rows
from afterturn.evals._encoder_grader import EncoderGrader, Found


class Bench:
    """Notes what happens, and is the clock too: loading takes a minute, a look half a second."""

    def __init__(self, *, there: bool = True) -> None:
        self.now_s = 0.0
        self.happened: list[str] = []
        self._there = there

    def load(self) -> None:
        self.happened.append("load")
        self.now_s += 60.0
        if not self._there:
            raise JudgeMissingError("install it")

    def look(self, row: Row, reply: Reply) -> Found:
        self.happened.append("look")
        self.now_s += 0.5
        if not self._there:
            raise JudgeMissingError("install it")
        return Found(score=80, reasoning="")

    def agent(self, row: Row) -> str:
        self.happened.append("agent")
        return "Yes."

    async def run(self, count: int) -> list[RowResult]:
        grader = EncoderGrader(load_rubric("helpfulness"), self.look, load=self.load, clock=lambda: self.now_s)
        results: list[RowResult] = []
        setup = Setup(target=FunctionTarget(self.agent), graders=(grader,))
        await run_rows(setup, rows(count), take=results.append, concurrency=1)
        return results


async def test_the_encoder_is_loaded_once_before_the_rows_and_no_score_counts_its_loading() -> None:
    bench = Bench()
    results = await bench.run(2)
    assert bench.happened == ["load", "agent", "look", "agent", "look"]
    assert [result.scores[0].latency_ms for result in results] == [500.0, 500.0]


async def test_a_score_outside_a_run_does_not_count_the_loading_either() -> None:
    bench = Bench()
    grader = EncoderGrader(load_rubric("helpfulness"), bench.look, load=bench.load, clock=lambda: bench.now_s)
    (row,) = rows(1)
    assert [(await grader.grade(row, Reply(text="Yes."))).latency_ms for _ in range(2)] == [500.0, 500.0]
    assert bench.happened == ["load", "look", "look"]


async def test_an_encoder_that_is_not_there_is_told_by_the_row_and_not_raised() -> None:
    results = await Bench(there=False).run(1)
    assert [(result.state, result.reason) for result in results] == [("judge_error", "judge_missing")]
