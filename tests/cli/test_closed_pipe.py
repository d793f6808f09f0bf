"""A reader that went away (`| head`) changes no exit code of a check, and ends no run that is under way."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from afterturn.calls import Planned
from afterturn.cli._app import Commands, app
from afterturn.formats import turn_from_json
from afterturn.store import open_store

RunUnread = Callable[..., int]


@pytest.fixture
def unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunUnread]:
    """Runs a command whose stdout and stderr nobody reads any more; gives the exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("AFTERTURN_JUDGE", raising=False)
    Path("pipe_agent.py").write_text("def wrong(row): return 'No idea.'\ndef none(row): return None\n")
    rows = [{"id": f"r{number}", "input": f"{number}?", "assert": ["contains:two"]} for number in range(3)]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(*arguments: str) -> int:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("stdout", "stderr"):
                read_end, write_end = os.pipe()
                os.close(read_end)
                patch.setattr(sys, name, io.TextIOWrapper(io.FileIO(write_end, "w"), line_buffering=True))
            ended: object = app(list(arguments), standalone_mode=False)
            for stream in (sys.stdout, sys.stderr):
                stream.close()
        return ended if isinstance(ended, int) else 0

    yield run
    sys.modules.pop("pipe_agent", None)


def test_an_eval_run_goes_on_to_its_end_and_fails_unread_as_it_does_read(unread: RunUnread) -> None:
    assert unread("eval", "run", "rows.jsonl", "--target", "pipe_agent:wrong", "-o", "run.jsonl") == 1
    assert '"type":"summary"' in Path("run.jsonl").read_text().replace(": ", ":")
    for form in ("terminal", "html", "junit", "markdown", "jsonl"):
        assert unread("eval", "report", "run.jsonl", "--format", form) == 1
    assert unread("eval", "resume", "run.jsonl") == 1


def test_what_is_inconclusive_stays_so(unread: RunUnread) -> None:
    assert unread("eval", "run", "rows.jsonl", "--target", "pipe_agent:none", "-o", "run.jsonl") == 3
    assert unread("eval", "compare", "run.jsonl", "run.jsonl") == 3
    Path("labels.jsonl").write_text('{"row": "r0", "pass": true}\n')
    assert unread("eval", "agreement", "run.jsonl", "--labels", "labels.jsonl") == 3
    assert unread("simulate", "rows.jsonl", "--target", "pipe_agent:none", "-o", "s.jsonl") == 3
    assert unread("simulate", "rows.jsonl", "--target", "pipe_agent:wrong", "--dry-run") == 1
    few = ("--families", "override", "--limit", "1")
    assert unread("redteam", "--target", "pipe_agent:none", "-o", "a.jsonl", *few) == 3


@pytest.mark.parametrize("arguments", ["verdicts", "verdicts --funnel", "verdicts --csv", "export", "classify t.jsonl"])
def test_a_command_that_only_tells_ends_well_where_its_reader_went_away(arguments: str, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello! " * 20}]
    lines = [{"turn": f"t-{number}", "session": "s", "messages": messages} for number in range(600)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:40]))
    with open_store(tmp_path / "afterturn.db") as store:
        skip = Planned(classifier="safety", version="1", metric="m", judge="encoder", plan="", skip="greeting")
        store.add_turns([(turn_from_json(line), [skip], ()) for line in lines])
    running = subprocess.Popen(
        [sys.executable, "-m", "afterturn", *arguments.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()  # before its first line
    told = running.stderr.read().decode()
    running.stderr.close()
    assert (running.wait(), told) == (0, "")


def test_only_commands_that_decide_nothing_end_well_unread() -> None:
    telling = {one.name for one in Commands.later if one.only_tells}
    assert telling == {"demo", "guard", "clean", "classify", "export", "verdicts"}


def test_what_only_tells_ends_well(unread: RunUnread) -> None:
    assert unread("personas", "list") == unread("personas", "show", "hurried_en") == unread("gate", "schema") == 0
