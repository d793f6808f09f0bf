"""What a gate writes: Markdown, JUnit, JSON, and the record of an override."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from gate_bench import Bench
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.errors import ConfigError, OutputError, UnreadableInputError, UsageError
from afterturn.gate import Records, check_records, decide, junit, markdown, named_files

Run = Callable[..., Result]
PASSES = {"run": "answers", "metric": "pass_rate", "at_least": 0.7}
MISSES = {"run": "answers", "metric": "error_rate", "at_least": 0.5}


@pytest.fixture
def run(good: Bench) -> Run:
    return lambda *arguments: CliRunner().invoke(
        app, ["gate", "promote", "--config", str(good.gate), *map(str, arguments)]
    )


def all_outputs(folder: Path) -> list[str | Path]:
    return ["--junit", folder / "j.xml", "--markdown", folder / "m.md", "-o", folder / "g.json"]


def test_every_output_says_the_same(good: Bench, run: Run) -> None:
    good.write_gate(PASSES, MISSES)
    done = run(*all_outputs(good.folder), "--json")
    assert done.exit_code == 1
    wire = json.loads(done.stdout)
    assert json.loads((good.folder / "g.json").read_text()) == wire
    assert (wire["verdict"], wire["promoted"]) == ("refused", False)
    assert [one["status"] for one in wire["criteria"]] == ["met", "missed"]
    suite = ElementTree.parse(good.folder / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "0")
    assert "❌ refused" in (good.folder / "m.md").read_text()


def test_an_override_promotes_leaves_a_record_and_stands_in_every_output(good: Bench, run: Run) -> None:
    good.write_gate(MISSES)
    why = ["--override", "--by", "Ada <ada@example.org>", "--reason", "known | flaky, see #12"]
    done = run(*all_outputs(good.folder), *why, "--json")
    assert done.exit_code == 0
    wire = json.loads(done.stdout)
    assert (wire["verdict"], wire["promoted"], wire["override"]["by"]) == ("refused", True, "Ada <ada@example.org>")
    assert "OVERRIDDEN by Ada" in done.stderr
    told = (good.folder / "m.md").read_text()
    assert "promoted by an override" in told
    assert "Ada &lt;ada\\@example.org&gt;" in told
    suite = ElementTree.parse(good.folder / "j.xml").getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    assert suite.find("properties/property[@name='override.by']") is not None
    (line,) = (good.folder / "gate-overrides.jsonl").read_text().splitlines()
    kept = json.loads(line)
    assert (kept["by"], kept["reason"], kept["verdict"]) == (why[2], why[4], "refused")
    assert [one["status"] for one in kept["not_met"]] == ["missed"]


def test_an_override_of_a_gate_that_promotes_is_not_recorded(good: Bench, run: Run) -> None:
    done = run("--override", "--by", "a", "--reason", "b")
    assert (done.exit_code, (good.folder / "gate-overrides.jsonl").exists()) == (0, False)


@pytest.mark.parametrize("flags", [["--override"], ["--override", "--by", " ", "--reason", "x"], ["--by", "a"]])
def test_an_override_says_who_and_why(run: Run, flags: list[str]) -> None:
    assert isinstance(run(*flags).exception, UsageError)


def test_an_override_without_a_record_is_none(good: Bench, run: Run) -> None:
    good.write_gate(MISSES)
    done = run("--override", "--by", "a", "--reason", "b", "--override-file", good.folder / "no" / "file")
    assert isinstance(done.exception, OutputError)


def test_a_changed_record_is_seen_and_no_further_one_is_added(good: Bench, run: Run) -> None:
    good.write_gate(MISSES)
    for reason in ("one", "two", "three"):
        assert run("--override", "--by", "a", "--reason", reason).exit_code == 0
    file = good.folder / "gate-overrides.jsonl"
    assert check_records(file).count == 3
    whole = file.read_text()
    for damaged in (whole.replace('"one"', '"ONE"'), "".join(whole.splitlines(keepends=True)[1:]), whole[:-1]):
        file.write_text(damaged)
        with pytest.raises(UnreadableInputError, match=r"gate-overrides\.jsonl:\d"):
            check_records(file)
        assert isinstance(run("--override", "--by", "a", "--reason", "four").exception, UnreadableInputError)


def test_two_reports_are_never_written_to_one_file(good: Bench, run: Run) -> None:
    done = run("--output", good.folder / "one", "--junit", good.folder / "x" / ".." / "one")
    assert (isinstance(done.exception, UsageError), (good.folder / "one").exists()) == (True, False)
    assert str(done.exception) == "two reports would be written to one file; name another file for each"


def test_a_report_never_overwrites_what_the_gate_decides_by(good: Bench, run: Run) -> None:
    named = named_files(good.gate)
    assert named
    good.write_gate(MISSES)
    assert run("--override", "--by", "a", "--reason", "b").exit_code == 0
    broken = good.gate.read_text() + "]: ["
    for damage in ("", "]: ["):
        good.gate.write_text(broken.removesuffix("]: [") + damage)
        for file in (*named, good.gate, good.folder / "gate-overrides.jsonl"):
            before = file.read_bytes()
            done = run("--output", file)
            assert (type(done.exception), file.read_bytes()) == (UsageError, before)


def test_the_last_record_is_vouched_for_by_the_hash_that_the_report_says(good: Bench, run: Run) -> None:
    good.write_gate(MISSES)
    file = good.folder / "gate-overrides.jsonl"
    told = [
        json.loads(run("--override", "--by", "a", "--reason", reason, "--json").stdout)["override"]["record"]
        for reason in ("one", "two")
    ]
    assert check_records(file) == Records(count=2, head=told[1])
    assert [check_records(file, expect=one).vouched for one in told] == [1, 2]
    whole = file.read_text()
    for damaged in (whole.replace('"two"', '"TWO"'), whole.splitlines(keepends=True)[0], ""):
        file.write_text(damaged)
        check_records(file)  # the chain alone does not see it
        with pytest.raises(UnreadableInputError, match="has the hash"):
            check_records(file, expect=told[1])


def test_what_an_earlier_gate_said_does_not_outlive_a_gate_that_cannot_begin(good: Bench, run: Run) -> None:
    assert run(*all_outputs(good.folder)).exit_code == 0
    good.gate.write_text("criteria: []")
    assert isinstance(run(*all_outputs(good.folder)).exception, ConfigError)
    wire = json.loads((good.folder / "g.json").read_text())
    assert (wire["promoted"], wire["fault"]) == (False, "unfinished")
    assert ElementTree.parse(good.folder / "j.xml").getroot().get("errors") == "1"
    assert "not promoted" in (good.folder / "m.md").read_text()


def test_a_report_that_cannot_be_written_blocks(good: Bench, run: Run) -> None:
    assert isinstance(run("--junit", good.folder).exception, OutputError)


def test_a_report_over_the_configuration_is_refused(good: Bench, run: Run) -> None:
    before = good.gate.read_text()
    assert isinstance(run("-o", good.gate).exception, UsageError)
    assert good.gate.read_text() == before


def test_text_of_people_and_files_means_nothing_in_markdown_and_xml(good: Bench) -> None:
    good.write_gate({**PASSES, "name": "a | b <img src=x> @all `x`"}, name="gate & co")
    report = decide(good.gate)
    assert "| a \\| b &lt;img src=x&gt; \\@all \\`x\\` |" in markdown(report)
    assert ElementTree.fromstring(junit(report)).get("name") == "gate & co"


def test_a_reader_that_went_away_does_not_turn_a_refusal_into_a_promotion(good: Bench) -> None:
    good.write_gate(MISSES)
    command = [sys.executable, "-m", "afterturn", "gate", "promote", "--config", str(good.gate), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait() == 1


def test_a_run_that_was_killed_blocks_the_gate_and_passes_it_once_it_is_resumed(good: Bench) -> None:
    (good.folder / "app.py").write_text(
        "import os, pathlib, signal\n\n\ndef agent(row):\n"
        "    if row['id'] == 'r2' and not pathlib.Path('killed').exists():\n"
        "        pathlib.Path('killed').touch()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return 'All is fine.'\n"
    )
    good.run.unlink()
    afterturn = [sys.executable, "-m", "afterturn"]
    started = [*afterturn, "eval", "run", "rows.jsonl", "--target", "app:agent", "-o", "run.jsonl", "-j", "1"]
    assert subprocess.run(started, cwd=good.folder, capture_output=True, check=False).returncode == -9
    assert decide(good.gate).findings[0].reason == "unfinished"
    resumed = [*afterturn, "eval", "resume", "run.jsonl"]
    assert subprocess.run(resumed, cwd=good.folder, capture_output=True, check=False).returncode == 0
    assert decide(good.gate).exit_code == 0
