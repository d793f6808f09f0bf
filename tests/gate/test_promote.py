"""What a sound gate decides: against values, against a baseline, from files of figures."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from gate_bench import Bench

from afterturn.evals import new_header, start_run
from afterturn.evals.simulate import load_personas, open_cast, open_parts
from afterturn.evals.targets.python import PythonTarget
from afterturn.gate import Report, closed, decide, gate_schema

LAST = {"last": {"file": "last.jsonl", "target": "app:agent", "dataset": "rows.jsonl"}}


def worse(most: float, **more: Any) -> dict[str, Any]:
    return {"run": "answers", "metric": "pass_rate", "baseline": "last", "no_worse_by": most, **more}


async def two_runs(bench: Bench, rows: int, *, fails_now: int, failed_before: int) -> None:
    """Runs an agent twice; the first rows fail now, the last rows failed before."""
    bench.write_rows({"id": f"r{n:03d}", "input": f"Question {n}?", "assert": ["contains:fine"]} for n in range(rows))
    await bench.go(
        lambda row: "fine" if int(row.id[1:]) < rows - failed_before else "bad", path=bench.folder / "last.jsonl"
    )
    await bench.go(lambda row: "bad" if int(row.id[1:]) < fails_now else "fine")


def reasons(report: Report) -> list[tuple[str, str | None]]:
    return [(finding.status, finding.reason) for finding in report.findings]


async def test_a_paired_test_promotes_what_is_shown_to_be_no_worse(bench: Bench) -> None:
    await two_runs(bench, 100, fails_now=0, failed_before=0)
    report = decide(bench.write_gate(worse(0.04), runs=LAST))
    assert (report.verdict, report.findings[0].baseline) == ("promoted", 1.0)


def greets(_: object) -> str:
    return "All is fine."


@pytest.fixture
def simulated(bench: Bench) -> Bench:
    """A bench whose run is a simulation of one scenario with the two personas of a file."""
    people = [{"id": name, "language": "en", "opening": "Hello?", "goal": "To be greeted."} for name in ("ann", "bob")]
    (bench.folder / "people.yaml").write_text(json.dumps(people), encoding="utf-8")
    bench.write_rows([{"id": "greets", "assert": ["contains:fine"]}])
    cast = open_cast(bench.rows, load_personas(str(bench.folder / "people.yaml")))
    parts = open_parts(PythonTarget(greets, name="app:agent"))
    asyncio.run(start_run(new_header(parts, cast), parts, cast, bench.run))
    return bench


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"personas": "people.yaml"}, ("met", None)),
        ({}, ("inconclusive", "other_dataset")),
        ({"personas": "hurried_en"}, ("inconclusive", "other_dataset")),
        ({"personas": "nobody"}, ("inconclusive", "other_dataset")),
    ],
)
def test_a_simulation_counts_with_the_personas_that_the_gate_names(
    simulated: Bench, given: dict[str, str], wanted: tuple[str, str | None]
) -> None:
    answers = {"file": "run.jsonl", "target": "app:agent", "dataset": "rows.jsonl", **given}
    report = decide(simulated.write_gate(runs={"answers": answers}))
    assert reasons(report) == [wanted]


def test_personas_of_a_run_that_is_no_simulation_are_refused(good: Bench) -> None:
    answers = {"file": "run.jsonl", "target": "app:agent", "dataset": "rows.jsonl", "personas": "all"}
    report = decide(good.write_gate(runs={"answers": answers}))
    assert reasons(report) == [("inconclusive", "other_dataset")]


async def test_a_paired_test_of_few_rows_is_inconclusive_even_where_nothing_changed(bench: Bench) -> None:
    await two_runs(bench, 20, fails_now=0, failed_before=0)
    assert reasons(decide(bench.write_gate(worse(0.04), runs=LAST))) == [("inconclusive", "too_few_rows")]


async def test_what_got_worse_by_more_is_refused_by_either_test(bench: Bench) -> None:
    await two_runs(bench, 50, fails_now=5, failed_before=0)
    report = decide(bench.write_gate(worse(0.05, name="a"), worse(0.05, name="b", test="margin"), runs=LAST))
    assert reasons(report) == [("missed", "worse")] * 2
    assert report.exit_code == 1


async def test_a_margin_looks_only_at_the_two_figures(bench: Bench) -> None:
    await two_runs(bench, 20, fails_now=1, failed_before=1)
    assert decide(bench.write_gate(worse(0.0, test="margin"), runs=LAST)).exit_code == 0


async def test_a_baseline_may_be_old_and_may_not_have_been_judged_otherwise(bench: Bench) -> None:
    await two_runs(bench, 60, fails_now=0, failed_before=10)
    path = bench.folder / "last.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[0]["started_at"] = (datetime.now(UTC) - timedelta(days=400)).isoformat()
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    gate = bench.write_gate(worse(0.1), runs=LAST)
    assert decide(gate).exit_code == 0
    lines[0]["judge"] = "openai:another"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert reasons(decide(gate)) == [("inconclusive", "other_setup")]


async def test_scores_are_compared_by_students_bound(bench: Bench) -> None:
    from afterturn.evals import RowResult, read_row
    from afterturn.evals._records import Score
    from afterturn.gate._measure import compare
    from afterturn.gate._metrics import metric

    def results(*scores: int) -> list[RowResult]:
        return [
            RowResult(
                row=read_row({"id": str(n), "input": f"{n}"}),
                state="pass",
                score=score,
                scores=(Score(rubric="x", score=score),),
            )
            for n, score in enumerate(scores)
        ]

    new, old = results(*[80, 90] * 10), results(*[82, 88] * 10)
    paired = compare(metric("score"), new, old, planned=20)
    assert (paired.difference, paired.pairs) == (0.0, 20)
    # t(19, 0.95) = 1.7291, standard deviation of the differences 2.0520
    assert round(paired.low or 0, 3) == -0.793


def test_figures_of_a_file_are_found_by_their_path_and_age(good: Bench) -> None:
    def write(**more: Any) -> None:
        wire = {"written_at": datetime.now(UTC).isoformat(), "models": [{"passed": 7}], **more}
        (good.folder / "f.json").write_text(json.dumps(wire))

    wanted = {"figures": "f", "metric": "models.0.passed", "at_least": 7}
    gate = good.gate
    gate.write_text(json.dumps({"figures": {"f": {"file": "f.json"}}, "criteria": [wanted]}))  # JSON is YAML
    write()
    assert decide(gate).exit_code == 0
    write(models=[{"passed": 6}])
    assert decide(gate).exit_code == 1
    write(models=[{"passed": True}])
    assert reasons(decide(gate)) == [("inconclusive", "not_a_number")]
    write(models=[])
    assert reasons(decide(gate)) == [("inconclusive", "missing_metric")]
    write(written_at=(datetime.now(UTC) - timedelta(days=8)).isoformat())
    assert reasons(decide(gate)) == [("inconclusive", "stale")]
    write(written_at=None)
    assert reasons(decide(gate)) == [("inconclusive", "no_time_zone")]
    (good.folder / "f.json").write_text('{"models": [')
    assert decide(gate).exit_code == 2


def test_fail_closed_gives_what_the_work_decided_or_what_blocks() -> None:
    def told(code: str, text: str) -> str:
        return f"{code}: {text}"

    assert closed(lambda: "done", told) == "done"
    assert closed(lambda: "done", told, timeout_s=60) == "done"
    assert closed(lambda: str(1 // 0), told, timeout_s=60) == "crashed: ZeroDivisionError"
    with pytest.raises(KeyboardInterrupt):
        closed(_interrupt, told)


def _interrupt() -> str:
    raise KeyboardInterrupt


def test_a_report_promotes_only_where_every_demand_has_a_finding_that_is_met() -> None:
    report = Report(name="g", config="", at=datetime.now(UTC), demands=0)
    assert (report.verdict, report.exit_code) == ("inconclusive", 3)
    assert Report(name="g", config="", at=datetime.now(UTC), demands=1).verdict == "inconclusive"


def test_the_schema_refuses_unknown_keys_and_describes_all_others() -> None:
    schema = gate_schema()
    assert schema["additionalProperties"] is False
    for model in (schema, *schema["$defs"].values()):
        assert all("description" in field for field in model["properties"].values())
