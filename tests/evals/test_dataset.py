"""A dataset is checked before anything is spent, and read a row at a time."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from afterturn.errors import InputError, UnreadableInputError, UsageError
from afterturn.evals import open_dataset
from afterturn.formats import BadLine


def file_of(folder: Path, *lines: object, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_rows_come_in_order_and_as_often_as_wanted(tmp_path: Path) -> None:
    dataset = open_dataset(file_of(tmp_path, {"id": "a", "input": "1"}, "", {"id": "b", "input": "2"}))
    assert (dataset.count, dataset.bad_lines, dataset.format) == (2, 0, "afterturn")
    assert [row.id for row in dataset.rows()] == ["a", "b"] == [row.id for row in dataset.rows()]
    assert [row.source for row in dataset.rows()] == [f"{tmp_path}/rows.jsonl:1", f"{tmp_path}/rows.jsonl:3"]


def test_bad_lines_are_told_with_their_place_and_counted(tmp_path: Path) -> None:
    told: list[BadLine] = []
    path = file_of(tmp_path, {"id": "a", "input": "1"}, "{no json", {"id": "b"}, '{"id": "c", "input": NaN}')
    dataset = open_dataset(path, tell=told.append)
    assert (dataset.count, dataset.bad_lines) == (1, 3)
    assert [line.line for line in told] == [2, 3, 4]
    assert str(told[1]) == f"{path}:3: the row has no input; put a text or a list of messages under `input`"


CALL = {"name": "book", "arguments": {"day": "1 May"}}


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"assert": ["contian:x"]}, "no assertion is called 'contian' (did you mean contains?)"),
        ({"assert": ["regex:("]}, "the pattern of regex is no regular expression"),
        ({"expected_tool_calls": {"mode": "loose", "calls": []}}, "the mode of expected_tool_calls"),
        ({"expected_tool_calls": [{**CALL, "match": {"day": "dates"}}]}, "expected_tool_calls[0].match.day.kind"),
        ({"expected_tool_calls": [{**CALL, "match": {"day": "date"}}]}, "the matcher date has no date"),
        (
            {"expected_tool_calls": [{**CALL, "match": {"month": "number"}}]},
            "the matcher number has nothing to compare",
        ),
    ],
)
def test_a_row_that_asserts_what_has_no_meaning_is_refused_with_its_place(
    tmp_path: Path, declared: dict[str, Any], problem: str
) -> None:
    path = file_of(tmp_path, {"id": "a", "input": "1"}, {"id": "b", "input": "2", **declared})
    with pytest.raises(InputError) as caught:
        open_dataset(path)
    assert str(caught.value).startswith(f"{path}:2: {problem}")


def test_two_rows_with_one_id_are_refused_and_both_lines_named(tmp_path: Path) -> None:
    path = file_of(tmp_path, {"id": "a", "input": "1"}, {"id": "b", "input": "2"}, {"id": "a", "input": "3"})
    with pytest.raises(InputError) as caught:
        open_dataset(path)
    assert str(caught.value) == (f"two rows have the same id: {path}:1 and {path}:3; give each row an id of its own")


def test_the_same_row_twice_without_an_id_is_two_rows(tmp_path: Path) -> None:
    dataset = open_dataset(file_of(tmp_path, {"input": "1"}, {"input": "1"}, {"input": "2"}, {"input": "1"}))
    ids = [row.id for row in dataset.rows()]
    assert ids == [ids[0], f"{ids[0]}-2", ids[2], f"{ids[0]}-3"]
    assert len({row.content for row in dataset.rows()}) == 4


def test_an_empty_file_is_a_dataset_of_no_rows(tmp_path: Path) -> None:
    assert open_dataset(file_of(tmp_path)).count == 0


def test_a_large_file_is_read_again_and_never_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterturn.evals._dataset.KEPT_BYTES", 0)
    path = tmp_path / "large.jsonl"
    with path.open("w") as stream:
        for number in range(1_000):
            stream.write(json.dumps({"id": f"r{number}", "input": "x" * 1_000}) + "\n")
    tracemalloc.start()
    try:
        dataset = open_dataset(path)
        assert sum(1 for _ in dataset.rows()) == dataset.count == 1_000
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


def test_twins_of_a_large_file_are_told_apart_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterturn.evals._dataset.KEPT_BYTES", 0)
    dataset = open_dataset(file_of(tmp_path, {"input": "1"}, {"input": "1"}))
    assert len({row.id for row in dataset.rows()}) == 2


def test_a_csv_file_has_a_row_a_line(tmp_path: Path) -> None:
    dataset = open_dataset(file_of(tmp_path, "id,input,expected", 'a,"Where, please?",here', name="rows.csv"))
    (row,) = dataset.rows()
    assert (row.id, row.text, row.expected) == ("a", "Where, please?", "here")


@pytest.mark.parametrize(
    ("name", "text"), [("rows.yaml", "a: ["), ("rows.json", '{\n"a": '), ("rows.yaml", "\x00"), ("rows.csv", "a\n\xff")]
)
def test_a_file_that_is_damaged_as_a_whole_says_so(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableInputError):
        open_dataset(path)


def test_a_missing_file_stdin_and_an_unknown_format_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="there is no such file"):
        open_dataset(tmp_path / "no.jsonl")
    with pytest.raises(UnreadableInputError, match="name a file"):
        open_dataset(Path("-"))
    with pytest.raises(UsageError, match="did you mean inspect"):
        open_dataset(file_of(tmp_path), format="inspekt")


FOREIGN: list[tuple[str, str, str, list[dict[str, Any]]]] = [
    (
        "inspect",
        "a.jsonl",
        '{"id": 1, "input": "Pick", "target": ["B"], "choices": ["red", "blue"], "metadata": {"k": 1}}\n'
        '{"input": [{"role": "user", "content": "Hi"}], "target": ["yes", "yeah"]}\n',
        [
            {"id": "1", "text": "Pick\n\nA) red\nB) blue", "expected": "B", "metadata": {"k": 1}},
            {"text": "Hi", "expected": ["yes", "yeah"]},
        ],
    ),
    (
        "openai-evals",
        "b.jsonl",
        '{"input": [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}], "ideal": ["4"]}\n'
        '{"item": {"question": "Q2", "reference": "5"}}\n',
        [{"text": "Q", "expected": "4"}, {"text": "Q2", "expected": "5"}],
    ),
    (
        "deepeval",
        "c.json",
        '[{"input": "Q", "actual_output": "old", "expected_output": "4", "retrieval_context": ["P"],\n'
        '  "expected_tools": [{"name": "t", "input_parameters": {"a": 1}}], "tags": ["x"]},\n'
        ' {"scenario": "Buy a hat", "expectedOutcome": "A hat is bought"}]\n',
        [
            {"text": "Q", "expected": "4", "metadata": {"actual_output": "old", "tags": ["x"]}, "calls": ["t"]},
            {"text": "Buy a hat", "criteria": ("A hat is bought",)},
        ],
    ),
    (
        "promptfoo",
        "d.yaml",
        "prompts: ['Say {{word}} to {{ name }}']\n"
        "defaultTest: {assert: [{type: not-contains, value: sorry}]}\n"
        "tests:\n"
        "- vars: {word: hello, name: Ann}\n"
        "  assert: [{type: icontains, value: '{{word}}'}, {type: llm-rubric, value: is kind}, {type: javascript},\n"
        "    {type: latency, threshold: 200}, {type: cost, threshold: 0.1}, {type: is-json},\n"
        "    {type: regex, value: '^A'}]\n",
        [
            {
                "text": "Say hello to Ann",
                "criteria": ("is kind",),
                "assertions": (
                    {"name": "not_contains", "value": "sorry", "case": True},
                    {"name": "contains", "value": "hello"},
                    {"name": "latency", "value": 200},
                    {"name": "cost", "value": 0.1},
                    {"name": "json_schema", "value": {}},
                    {"name": "regex", "value": "^A"},
                ),
                "metadata": {"vars": {"word": "hello", "name": "Ann"}, "unsupported_assert": ["javascript"]},
            }
        ],
    ),
    (
        "turns",
        "e.jsonl",
        '{"turn": "t-1", "messages": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}],'
        ' "passages": ["P"], "tools": ["t"]}\n',
        [{"id": "t-1", "text": "Q"}],
    ),
]


@pytest.mark.parametrize(("format", "name", "text", "wanted"), FOREIGN, ids=[case[0] for case in FOREIGN])
def test_files_of_other_tools_are_known_by_their_look(
    tmp_path: Path, format: str, name: str, text: str, wanted: list[dict[str, Any]]
) -> None:
    path = tmp_path / name
    path.write_text(text)
    told: list[BadLine] = []
    dataset = open_dataset(path, tell=told.append)
    assert (dataset.format, told) == (format, [])
    for row, fields in zip(dataset.rows(), wanted, strict=True):
        calls = fields.pop("calls", None)
        assert {key: getattr(row, key) for key in fields} == fields
        if calls is not None:
            assert [call.name for call in row.expected_tool_calls or ()] == calls


def test_a_recorded_turn_keeps_its_context_and_tools(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text(FOREIGN[4][2])
    (row,) = open_dataset(path).rows()
    assert [passage.text for passage in row.context or ()] == ["P"]
    assert [tool.name for tool in row.tools] == ["t"]
    assert [message.role for message in row.input] == ["user"]
