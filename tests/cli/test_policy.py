"""`afterturn policy` lists, shows and tries policies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.errors import ConfigError
from afterturn.guard import Policy


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.chdir(tmp_path)


def policy(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["policy", *arguments], input=stdin)


def test_the_ready_policies_are_listed_with_what_is_in_them() -> None:
    listed = [json.loads(line) for line in policy("list").stdout.splitlines()]
    assert [row["name"] for row in listed] == ["banking", "health", "support"]
    assert listed[1]["topics"] == ["self-harm", "emergency", "dosage", "diagnosis"]


def test_a_policy_that_is_shown_can_be_saved_and_used() -> None:
    shown = policy("show", "banking").stdout
    Path("ours.yaml").write_text(shown, encoding="utf-8")
    assert shown.startswith("# ")
    assert Policy.load("ours.yaml") == Policy.load("banking")


def test_in_json_a_policy_is_shown_as_it_is_applied() -> None:
    shown = json.loads(policy("show", "support", "--json").stdout)
    assert shown["modes"]["severities"] == {"high": "enforce", "medium": "advise", "low": "shadow"}


def test_a_text_is_tried_with_every_finding_its_mode_and_the_message() -> None:
    result = policy("test", "banking", "--text", "my PIN is 1234", "--text", "Hello", "--json")
    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["id"], first["blocked"], first["findings"][0]["mode"]) == (1, True, "enforce")
    assert first["message"].startswith("We never ask for a PIN")
    assert (second["id"], second["flagged"], second["findings"], second["message"]) == (2, False, [], None)
    assert result.stderr == "afterturn: 2 texts tested, 1 blocked\n"
    assert "1234" not in result.stdout


def test_texts_are_tried_from_a_file_and_bad_lines_are_named() -> None:
    Path("texts.jsonl").write_text('{"id": "a", "text": "no"}\n{"text": 1}\n')
    result = policy("test", "banking", "texts.jsonl")
    assert json.loads(result.stdout)["id"] == "a"
    assert result.stderr == (
        'afterturn: texts.jsonl:2: `text` is not a string; write {"id": "…", "text": "…"} on one line\n'
        "afterturn: 1 texts tested, 0 blocked, 1 bad lines skipped\n"
    )


def test_what_will_surprise_is_said() -> None:
    Path("p.yaml").write_text(
        "modes:\n  rules: {overide-ignore: shadow, 'deny:a': shadow}\n"
        "denylists: [{id: a, words: [x]}]\n"
        "allow: [{id: old, rules: ['*'], until: 2020-01-01}]\n"
    )
    result = policy("test", "p.yaml")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "afterturn: policy p: allow old ended on 2020-01-01 and allows nothing any more\n"
        "afterturn: policy p: modes.rules names a rule that is not there: overide-ignore\n"
        "afterturn: 0 texts tested, 0 blocked\n"
    )


@pytest.mark.parametrize("command", ["show", "test"])
def test_a_policy_that_is_none_is_an_error(command: str) -> None:
    assert isinstance(policy(command, "nothing").exception, ConfigError)
