"""`afterturn clean` prints a JSON line for every row it can read, and says what is wrong with the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from afterturn.cli.clean import clean_command
from afterturn.errors import UnreadableInputError

CASES = Path(__file__).parents[1] / "stream" / "cases"


def clean(*arguments: str, stdin: str | bytes | None = None) -> Result:
    app = typer.Typer()
    app.command()(clean_command)
    return CliRunner().invoke(app, arguments, input=stdin)


@pytest.mark.parametrize("table", ["citations.jsonl", "leaks.jsonl"])
def test_the_case_tables_come_out_exactly(table: str) -> None:
    result = clean(str(CASES / table), "--json")
    rows = [json.loads(line) for line in (CASES / table).read_text(encoding="utf-8").splitlines()]
    lines = [json.loads(line) for line in result.stdout_bytes.decode("utf-8").splitlines()]
    assert [set(line) for line in lines] == [{"id", "text", "cited", "unknown", "marks", "leaks"}] * len(rows)
    for row, line in zip(rows, lines, strict=True):
        keys = [key for key in line if key in row]
        assert {key: line[key] for key in keys} == {key: row[key] for key in keys}
    assert result.exit_code == 0


def test_bad_lines_are_named_skipped_and_counted_without_their_text() -> None:
    lines = [
        '{"deltas": ["a [c1]."], "aliases": ["c1"]}',
        "secret",
        '["secret"]',
        '{"deltas": "secret"}',
        '{"deltas": ["a", 1]}',
        '{"deltas": ["a"], "aliases": "c1"}',
        '{"deltas": ["a"], "tools": [null]}',
        "[" * 100_000,
        "",
        '{"id": "x", "deltas": []}',
    ]
    result = clean("-", stdin="\n".join(lines))
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [1, "x"]
    reported = result.stderr.splitlines()
    assert [line.split(":")[2] for line in reported[:-1]] == [str(number) for number in range(2, 9)]
    assert reported[-1] == "afterturn: 2 replies cleaned, 7 bad lines skipped"
    assert "secret" not in result.stderr
    assert all("write {" in line for line in reported[:-1])
    assert result.exit_code == 0


def test_bytes_that_are_no_text_are_reported() -> None:
    result = clean("-", stdin=b'{"deltas": ["\xff"]}\n{"deltas": ["\x00"]}\n\xef\xbb\xbf{"deltas": ["a"]}\n')
    assert [json.loads(line)["text"] for line in result.stdout.splitlines()] == ["a"]
    assert "<stdin>:1: not valid UTF-8" in result.stderr
    assert "<stdin>:2: the line holds NUL bytes" in result.stderr


def test_lone_surrogates_come_out_as_valid_utf_8() -> None:
    result = clean("-", stdin='{"deltas": ["\\ud83d", "\\ude00 \\ud83d"]}\n')
    assert json.loads(result.stdout_bytes.decode("utf-8"))["text"] == "😀 \ufffd"


@pytest.mark.parametrize(
    ("aliases", "expected"),
    [
        ("", ("a [c1].", "", "")),
        (', "aliases": null', ("a [c1].", "", "")),
        (', "aliases": []', ("a.", "", "c1")),
        (', "aliases": ["c1"]', ("a.", "c1", "")),
    ],
)
def test_without_aliases_citations_are_left_alone(aliases: str, expected: tuple[str, str, str]) -> None:
    line = json.loads(clean("-", stdin=f'{{"deltas": ["a [c1]."]{aliases}}}').stdout)
    assert (line["text"], "".join(line["cited"]), "".join(line["unknown"])) == expected


def test_a_file_that_cannot_be_read_is_an_error_that_ends_with_exit_code_2(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        assert isinstance(clean(str(path)).exception, UnreadableInputError)


@pytest.mark.parametrize(
    "tool",
    ["search", {"name": "search"}, {"type": "function", "function": {"name": "search", "parameters": {}}}],
)
def test_tools_are_read_in_every_form_that_a_turn_has_them_in(tool: object) -> None:
    result = clean("-", stdin=json.dumps({"deltas": ['Done. search{"q": 1}'], "tools": [tool]}))
    line = json.loads(result.stdout)
    assert (result.exit_code, line["text"], line["leaks"]) == (0, "Done.", ["search"])


def test_what_is_no_tool_is_told_with_its_place() -> None:
    result = clean("-", stdin='{"deltas": [], "tools": ["a", 1]}\n{"deltas": [], "tools": "secret"}')
    told = result.stderr.splitlines()
    assert told[0].startswith("afterturn: <stdin>:1: `tools` are none: tools[1] is a number; write {")
    assert told[1].startswith("afterturn: <stdin>:2: `tools` are none: tools is a string; write {")
