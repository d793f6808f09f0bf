"""A worker's `/metrics` shows what other processes stored, and an import says in the log what is stored nowhere."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from in_process import run_here

Shown = Callable[[], str]


def _turns(path: Path, numbers: range) -> str:
    """Writes turns without a reply: their questions are skipped as they are stored."""
    rows = [
        {"tenant": "acme", "session": "s", "turn": f"t-{n}", "messages": [{"role": "user", "content": "zebraquartz?"}]}
        for n in numbers
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@contextmanager
def _working(database: Path) -> Generator[Shown]:
    """Runs a worker in a process of its own and gives what scrapes its metrics."""
    command = [sys.executable, "-m", "afterturn", "worker", "--db", str(database)]
    env = {"AFTERTURN_METRICS_PORT": "0", "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stderr is not None
        told = next(line for line in process.stderr if "metrics are on" in line)
        found = re.search(r"http://\S+", told)
        assert found is not None

        def shown() -> str:
            with urllib.request.urlopen(found[0]) as reply:
                return reply.read().decode()

        try:
            yield shown
        finally:
            process.send_signal(signal.SIGTERM)
            process.stderr.read()
    assert process.returncode == 0


def _skips(text: str) -> dict[str, float]:
    found = re.findall(r'^afterturn_stored_verdicts{(.*status="skipped".*)} (\S+)$', text, re.MULTILINE)
    reasons: dict[str, float] = {}
    for labels, value in found:
        named = dict(re.findall(r'(\w+)="(.*?)"', labels))
        assert named["tenant"] == "acme"
        reasons[named["reason"]] = reasons.get(named["reason"], 0) + float(value)
    return reasons


def test_what_an_import_skipped_is_on_the_metrics_of_a_worker_at_the_next_scrape(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    run_here("import", _turns(tmp_path / "one.jsonl", range(4)), "--db", str(database))
    with _working(database) as shown:
        first = _skips(shown())
        run_here("import", _turns(tmp_path / "two.jsonl", range(2, 10)), "--db", str(database))
        text = shown()
    assert first["no_reply"] % 4 == 0
    assert first["no_reply"] > 0
    assert _skips(text)["no_reply"] == first["no_reply"] / 4 * 10  # two of the eight were known
    assert "afterturn_stored_scrapes_failed_total 0.0" in text
    assert "zebraquartz" not in text
    by_rows = run_here("verdicts", "--funnel", "--json", "--db", str(database))
    assert json.loads(by_rows.stdout)["skips"] == _skips(text)


@pytest.mark.parametrize(("sinks", "lines"), [("log", 1), ("prometheus", 0)])
def test_an_import_logs_what_it_counts_and_stores_nowhere(tmp_path: Path, sinks: str, lines: int) -> None:
    path = Path(_turns(tmp_path / "one.jsonl", range(3)))
    path.write_text(path.read_text() + "{ zebraquartz\n")
    done = run_here(
        "import", str(path), "--db", str(tmp_path / "a.db"), AFTERTURN_SINKS=f'["{sinks}"]', AFTERTURN_LOG_LEVEL="INFO"
    )
    logged = [json.loads(line) for line in done.stderr.splitlines() if "afterturn.imported" in line]
    assert len(logged) == lines
    for line in logged:
        counts = {name: line[name] for name in ("stored", "known", "id_taken", "bad_lines", "whole")}
        assert counts == {"stored": 3, "known": 0, "id_taken": 0, "bad_lines": 1, "whole": True}
        assert "zebraquartz" not in str(line)
