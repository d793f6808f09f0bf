"""A run's file survives whatever happens to the process, and holds no secret."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from eval_parts import NOW, row, said

from afterturn.errors import OutputError, UnreadableInputError
from afterturn.evals import AssertionResult, RowResult, RubricRef, RunFile, RunHeader, RunWriter, Score, drop_errors
from afterturn.evals._storage import done_key
from afterturn.turns import Agent, Message, Passage, Tool, ToolCall
from afterturn.verdicts import Usage

HEADER = RunHeader(
    run="abc",
    started_at=NOW,
    version="0.1.0",
    target="m:f",
    options={"model": "x"},
    dataset="rows.jsonl",
    rows=2,
    rubrics=(RubricRef(name="custom", digest="d", path="mine.md"),),
    judge="s",
    assertions=("contains:x",),
    max_cost_usd=1.5,
)
CALL = ToolCall(name="find", raw_arguments='{"at": "x"}', arguments={"at": "x"}, id="1")
REPLY = replace(
    said(
        "Found.",
        tool_calls=(CALL,),
        agent=Agent("a", model="m", tools=(Tool(name="find"),), conclusion_tool="done", parent="p"),
        passages=(Passage(alias="c1", text="P"),),
        usage=Usage(input_tokens=1, output_tokens=2),
        cost_usd=0.5,
        latency_ms=3.0,
        extra={"steps": 2},
    ),
    messages=(
        Message(role="assistant", tool_calls=(CALL,)),
        Message(role="tool", text="there", tool_call_id="1"),
        Message(role="assistant", text="Found."),
    ),
)
PASSED = RowResult(
    row=row(),
    state="pass",
    score=80,
    scores=(Score(rubric="correctness", score=80, reasoning="Fits.", extra={"x": []}, judge="s", cost_usd=0.0),),
    assertions=(AssertionResult(name="a", passed=True, details={"n": 1}),),
    reply=REPLY,
    agent_cost_usd=0.5,
    judge_cost_usd=0.0,
    latency_ms=4.0,
    created_at=NOW,
)
FAILED = RowResult(row=row(id="r2"), state="agent_error", reason="raised", message="ValueError: x")


def written(folder: Path, *results: RowResult) -> Path:
    path = folder / "run.jsonl"
    with RunWriter.create(path, HEADER) as writer:
        for result in results:
            writer.add(result)
    return path


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = RunFile(written(tmp_path, PASSED, FAILED))
    assert run.header == HEADER
    assert list(run.results()) == [PASSED, FAILED] == list(run.results())


def test_a_half_written_line_is_no_result_and_is_cut_off_when_the_run_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path, PASSED)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type": "result", "content": "abc')
    assert list(RunFile(path).results()) == [PASSED]
    with RunWriter.resume(path) as writer:
        writer.add(FAILED)
    assert path.read_bytes().startswith(whole)
    assert list(RunFile(path).results()) == [PASSED, FAILED]


def test_a_header_alone_that_is_half_written_is_no_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"type": "run", "ru')
    with pytest.raises(UnreadableInputError, match="its first line is not a header"):
        RunFile(path)


def test_a_damaged_line_counts_as_not_done(tmp_path: Path) -> None:
    path = written(tmp_path, PASSED, FAILED)
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace('"score": 80', '"score": 180')
    path.write_text("\n".join(lines) + "\n")
    run = RunFile(path)
    assert list(run.results()) == [FAILED]
    assert done_key(PASSED.row.content, 1) not in run.done()
    assert done_key(FAILED.row.content, 1) in run.done()


def test_a_run_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = written(tmp_path, PASSED)
    with pytest.raises(OutputError, match="afterturn eval resume"):
        RunWriter.create(path, HEADER)
    assert list(RunFile(path).results()) == [PASSED]


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    path = written(tmp_path)
    with RunWriter.resume(path), pytest.raises(OutputError, match="another process"):
        RunWriter.resume(path)


def test_a_full_disk_says_where_and_keeps_what_was_written(tmp_path: Path) -> None:
    path = written(tmp_path, PASSED)
    writer = RunWriter(path, Path("/dev/full").open("wb"))  # noqa: SIM115 - the writer closes it
    with pytest.raises(OutputError, match="No space left on device; check the disk"):
        writer.add(FAILED)
    with pytest.raises(OutputError, match="No space left on device"):
        writer.close()
    writer.close()
    assert list(RunFile(path).results()) == [PASSED]


def test_the_file_is_forced_onto_the_disk_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forced: list[int] = []
    monkeypatch.setattr("os.fsync", forced.append)
    ticks = [0.0, 0.1, 0.5, 1.2, 1.2, 1.3, 2.4, 2.4]  # of a second that is over, the time is asked for again
    with (tmp_path / "run.jsonl").open("wb") as stream:
        writer = RunWriter(tmp_path / "run.jsonl", stream, clock=lambda: ticks.pop(0))
        for _ in range(5):
            writer.add(PASSED)
    assert (len(forced), ticks) == (2, [])


def test_a_run_without_an_end_was_interrupted(tmp_path: Path) -> None:
    path = written(tmp_path, PASSED)
    assert RunFile(path).stop == "interrupted"
    assert RunFile(path).summary().stop == "interrupted"
    with RunWriter.resume(path) as writer:
        writer.finish({"stop": "cost_cap"})
    assert RunFile(path).summary().stop == "cost_cap"
    with RunWriter.resume(path) as writer:
        writer.add(FAILED)
    assert RunFile(path).stop == "interrupted"
    assert RunFile(path).summary().stop is None  # killed after its last row and before its end: all is there


def test_errors_can_be_taken_out_to_be_done_again(tmp_path: Path) -> None:
    path = written(tmp_path, PASSED, FAILED)
    assert drop_errors(path) == 1
    assert list(RunFile(path).results()) == [PASSED]


def test_keys_and_authorization_headers_are_stored_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-proj-abcdefghijklmnop1234567890"
    reply = said(
        f'Use "{key}"\nAuthorization: Bearer abc.def-12345678', extra={"headers": {"Authorization": "x1y2z3w4"}}
    )
    result = replace(PASSED, row=row(metadata={"api_key": "hunter2hunter2"}), reply=reply, message=f"key={key}")
    path = written(tmp_path, result)
    stored = path.read_text()
    for secret in (key, "abc.def-12345678", "x1y2z3w4", "hunter2hunter2"):
        assert secret not in stored
    assert [json.loads(line)["type"] for line in stored.splitlines()] == ["run", "result"]
    (read,) = RunFile(path).results()
    assert read.reply is not None
    assert read.reply.text == 'Use "[secret]"\nAuthorization: Bearer [secret]'
