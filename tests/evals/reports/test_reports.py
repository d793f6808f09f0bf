"""Reports of a run: the coverage stands beside every mean, and no text of others becomes markup."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.errors import UsageError
from afterturn.evals import AssertionResult, Reply, RowResult, RunHeader, RunWriter, Score, read_row
from afterturn.evals.reports import open_writer, report_formats
from afterturn.turns import Message

HOSTILE = "</script><script>alert(1)</script><!-- & | `@all` \u0000"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    header = RunHeader(
        run="abc",
        started_at=datetime(2026, 11, 30, 10, tzinfo=UTC),
        version="0",
        target=f"shop:{HOSTILE}",
        dataset="rows.jsonl",
        rows=4,
    )
    asked = [read_row({"id": f"r{n}<b>", "input": HOSTILE}) for n in range(4)]
    said = Reply(text=HOSTILE, messages=(Message(role="assistant", text=HOSTILE),), latency_ms=1200.0)
    right = (Score(rubric="correctness", score=90, reasoning=HOSTILE, latency_ms=300.0),)
    broken = (AssertionResult(name="contains", passed=False, reason="absent"),)
    late = "no answer within 3 s"
    with RunWriter.create(path, header) as writer:
        writer.add(RowResult(row=asked[0], state="pass", score=90, scores=right, reply=said, latency_ms=9000.0))
        writer.add(RowResult(row=asked[1], state="fail", reason="assertion", assertions=broken, reply=said))
        writer.add(RowResult(row=asked[2], state="agent_error", reason="timeout", message=late, latency_ms=3000.0))
        writer.add(RowResult(row=asked[3], state="skipped", reason="no_expected"))
        writer.finish({})
    return path


def report(run: Path, format: str) -> Result:
    return CliRunner().invoke(app, ["eval", "report", str(run), "--format", format])


def test_junit_has_a_case_a_result_and_one_for_the_whole_run(run: Path) -> None:
    done = report(run, "junit")
    suite = ElementTree.fromstring(done.stdout)
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "2", "1"]
    found = [[child for child in case if child.tag != "properties"] for case in suite.iter("testcase")]
    inside = [next((child.tag for child in children), "") for children in found]
    assert inside == ["", "failure", "error", "skipped", "error"]
    told = [child.get("message") for children in found for child in children]
    assert told[:2] == ["contains (absent)", "no answer within 3 s"]
    values = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert values["score"] == "90.0 (coverage 25.0%)"
    assert done.exit_code == 3


def test_the_time_of_a_case_is_that_of_agent_and_judges_and_each_is_told(run: Path) -> None:
    cases = list(ElementTree.fromstring(report(run, "junit").stdout).iter("testcase"))
    assert [case.get("time") for case in cases] == ["1.500", "1.200", "3.000", "0.000", None]  # not the 9 s of the row
    told = [{one.get("name"): one.get("value") for one in case.iter("property")} for case in cases]
    assert told[:3] == [
        {"agent_seconds": "1.200", "judge_seconds": "0.300"},
        {"agent_seconds": "1.200", "judge_seconds": "0.000"},
        {},
    ]
    lines = [json.loads(line) for line in report(run, "jsonl").stdout.splitlines()]
    assert [(line["latency_ms"], line["judge_latency_ms"]) for line in lines[:3]] == [(1200, 300), (1200, 0), (None, 0)]


def test_the_page_counts_the_time_of_agent_and_judges(run: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("this machine has no node to run the page's script")
    page = report(run, "html").stdout
    rows = page.split('id="rows">\n')[1].split("</script>")[0]
    names = ("agentMs", "judgesMs", "rowMs", "took", "duration")
    script = page.split("<script>")[1].split("</script>")[0]
    parts = [part for part in script.split("\n\n") if any(f" {name}" in part.split("(")[0] for name in names)]
    program = "\n".join(parts) + (
        f"\nfor (const line of {json.dumps(rows.splitlines())}) "
        "{ const result = JSON.parse(line); console.log(rowMs(result), took(result)); }"
    )
    done = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "1500 agent 1,200 ms, judges 300 ms",
        "1200 agent 1,200 ms, judges 0 ms",
        "3000 agent unknown, judges 0 ms",
        "0 agent unknown, judges 0 ms",
    ]


def test_markdown_has_the_coverage_beside_the_mean_and_calls_nobody(run: Path) -> None:
    text = report(run, "markdown").stdout
    assert "| score | 90.0 | 1 | 25.0% |" in text
    assert "| r2&lt;b&gt; | agent\\_error | timeout | – |" in text
    assert "<script" not in text
    assert "`@" not in text.replace("\\`\\@", "")


def test_jsonl_is_flat_and_has_a_line_a_result(run: Path) -> None:
    lines: list[dict[str, Any]] = [json.loads(line) for line in report(run, "jsonl").stdout.splitlines()]
    assert [line["state"] for line in lines] == ["pass", "fail", "agent_error", "skipped"]
    assert (lines[0]["rubric.correctness"], lines[1]["assertion.contains"], lines[2]["reply"]) == (90, False, None)


def test_no_text_of_others_is_a_tag_in_the_page_and_nothing_is_fetched(run: Path) -> None:
    page = report(run, "html").stdout
    assert page.count("<script") == page.count("</script>") == 2
    assert "alert(1)</" not in page
    assert "//" not in page.replace("// Everything that comes from outside", "")
    assert "default-src 'none'" in page


def test_the_page_has_every_row_and_the_coverage_beside_each_mean(run: Path) -> None:
    page = report(run, "html").stdout
    block = page.split('id="rows">\n')[1].split("</script>")[0]
    rows: list[dict[str, Any]] = [json.loads(line) for line in block.splitlines()]
    assert [row["row"]["id"] for row in rows] == ["r0<b>", "r1<b>", "r2<b>", "r3<b>"]
    assert rows[0]["reply"]["text"] == HOSTILE
    assert 'value="0.2500"></progress> 25.0%' in page
    assert "inconclusive" in page


@pytest.mark.parametrize("format", report_formats())
def test_a_report_goes_to_a_file_but_never_over_the_run(run: Path, tmp_path: Path, format: str) -> None:
    command = ["eval", "report", str(run), "--format", format, "-o"]
    assert CliRunner().invoke(app, [*command, str(tmp_path / "out")]).exit_code == 3
    assert (tmp_path / "out").read_text() == report(run, format).stdout
    before = run.read_bytes()
    assert isinstance(CliRunner().invoke(app, [*command, str(run)]).exception, UsageError)
    assert run.read_bytes() == before


def test_an_unknown_format_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="html, junit, markdown, jsonl"):
        open_writer("pdf")
