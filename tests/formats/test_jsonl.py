"""Claims about files of turns, and about everything that can be wrong with them."""

from __future__ import annotations

import io
import json
import os
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from afterturn.errors import UnreadableInputError
from afterturn.formats import BadLine, Record, read_records, read_turns
from afterturn.turns import Turn

BAD: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "bad_lines.jsonl").read_text().splitlines()
]


def line(text: str = "Hi", **keys: Any) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": text}], **keys}).encode() + b"\n"


def read(data: bytes, **options: Any) -> list[Turn | BadLine]:
    return list(read_turns(io.BytesIO(data), **options))


def texts(found: list[Turn | BadLine]) -> list[str]:
    return [item.messages[0].text if isinstance(item, Turn) else f"bad {item.line}" for item in found]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case["id"])
def test_a_bad_line_is_named_and_skipped_and_its_content_is_not_quoted(case: dict[str, Any]) -> None:
    data = line("before") + case["line"].encode() + b"\n" + line("after")
    before, bad, after = read(data)
    assert bad == BadLine(file="<stream>", line=2, problem=case["problem"], hint=case["hint"])
    assert texts([before, after]) == ["before", "after"]
    assert "kumquat" not in str(bad)


def test_a_bad_line_says_file_line_problem_and_hint() -> None:
    assert (
        str(BadLine(file="a.jsonl", line=3, problem="it is bad", hint="make it good"))
        == "a.jsonl:3: it is bad; make it good"
    )


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", []),
        (b"\n \n\t\r\n", []),
        (b"\xef\xbb\xbf" + line("a") + b"\xef\xbb\xbf" + line("b"), ["a", "b"]),
        (line("a").replace(b"\n", b"\r\n") + line("b"), ["a", "b"]),
        (line("a").rstrip(), ["a"]),
        (b"\n\n" + line("a") + b"\n7\n", ["a", "bad 5"]),
        (line("é"), ["é"]),
        (line("a\u2028b"), ["a\u2028b"]),
        ('{"messages": [{"role": "user", "content": "a\u2028b\u0085c"}]}'.encode(), ["a\u2028b\x85c"]),
        (line("same", turn="t") * 2, ["same", "same"]),
    ],
)
def test_blank_lines_marks_and_line_ends_do_no_harm(data: bytes, found: list[str]) -> None:
    assert texts(read(data)) == found


def test_a_half_written_last_line_is_told_from_a_wrong_one() -> None:
    (good, bad) = read(line("a") + line("b")[:30])
    assert texts([good]) == ["a"]
    assert isinstance(bad, BadLine)
    assert (bad.line, bad.hint) == (2, "the file ends in the middle of the line; write it again")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"messages": "\xff"}', "not valid UTF-8 (byte 15 of the line)"),
        (b'{"messages": "\xed\xa0\x80"}', "not valid UTF-8 (byte 15 of the line)"),
        (b'{"messages": "a\x00"}', "the line holds NUL bytes"),
        (b"\x00" * 1000, "the line holds NUL bytes"),
        (b'{"messages": [{"role": "user"}], "x": ' + b"[" * 200 + b"]" * 200 + b"}", "the record is nested too deeply"),
        (b'{"messages": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "the JSON is nested too deeply"),
        (b'{"messages": ' + b"9" * 5000 + b"}", "a number in the JSON has too many digits"),
    ],
    ids=["utf-8", "surrogate", "nul", "hole", "nested", "bottomless", "digits"],
)
def test_damaged_bytes_and_endless_values_are_bad_lines(data: bytes, problem: str) -> None:
    before, bad, after = read(line("a") + data + b"\n" + line("b"))
    assert texts([before, after]) == ["a", "b"]
    assert isinstance(bad, BadLine)
    assert (bad.line, bad.problem) == (2, problem)


def test_a_line_that_is_too_long_is_skipped() -> None:
    limit = len(line("a" * 50))
    data = line("a" * 50) + line("b" * 51) + line("c")
    assert texts(read(data, max_line_bytes=limit - 1)) == ["a" * 50, "bad 2", "c"]
    assert texts(read(line("b" * 51).rstrip(), max_line_bytes=limit - 1)) == ["bad 1"]


def test_a_line_of_50_mb_is_a_turn() -> None:
    (turn,) = read(line("x" * 50_000_000))
    assert isinstance(turn, Turn)
    assert len(turn.messages[0].text) == 50_000_000


def test_a_line_beyond_the_limit_is_never_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        for _ in range(30):
            file.write(b"x" * 1_000_000)
        file.write(b"\n" + line("after"))
    tracemalloc.start()
    found = list(read_turns(path, max_line_bytes=100_000))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert texts(found) == ["bad 1", "after"]
    assert peak_bytes < 5_000_000


@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_that_is_one_array_is_read_with_the_right_lines(indent: int | None) -> None:
    records = [json.loads(line("a")), 7, json.loads(line("b"))]
    found = read(b"\n\xef\xbb\xbf" + json.dumps(records, indent=indent).encode() + b"\n")
    assert texts(found)[::2] == ["a", "b"]
    assert isinstance(found[1], BadLine)
    assert (found[1].line, found[1].problem) == (2 if indent is None else 11, "the record is a number")


def test_an_array_that_breaks_off_gives_what_came_before() -> None:
    data = json.dumps([json.loads(line("a")), json.loads(line("b"))], indent=1).encode()
    found = read(data[:-20])
    assert texts(found) == ["a", "bad 10"]


def test_lines_after_an_array_are_read_too() -> None:
    assert texts(read(b"[]\n" + line("a"))) == ["a"]
    assert texts(read(b"[\n]\n" + line("a") + b"7\n")) == ["a", "bad 4"]
    assert texts(read(b"[" + line("a").rstrip() + b"]\n" + line("b"))) == ["a", "b"]


def test_an_element_with_a_key_twice_is_bad_and_the_next_one_is_read() -> None:
    assert texts(read(b'[{"a": 1, "a": 2},\n' + line("b").rstrip() + b"]")) == ["bad 1", "b"]


@pytest.mark.parametrize("broken", [b"[{]", b"[{} {}]", b"[{},", b"[\n\xff", b'[{"a": "\x00"}, '])
def test_a_broken_array_is_one_bad_line(broken: bytes) -> None:
    assert sum(isinstance(item, BadLine) for item in read_records(io.BytesIO(broken))) == 1


def test_a_first_line_with_a_bracket_of_another_kind_is_only_a_bad_line() -> None:
    assert texts(read(b"[2026-11-30] started\n" + line("a"))) == ["bad 1", "a"]


def test_an_array_beyond_the_limit_is_refused_with_advice() -> None:
    with pytest.raises(UnreadableInputError, match="write one record a line"):
        read(b"[\n" + line("a").rstrip() + b",\n" + line("b") + b"]", max_line_bytes=60)


def test_a_record_spread_over_lines_gets_a_hint() -> None:
    first = read(b'{\n "messages": []\n}\n')[0]
    assert isinstance(first, BadLine)
    assert first.hint == "a record must stand on one line, not be spread over several"


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        (b"\x1f\x8b\x08", "is compressed (gzip); unpack it first"),
        (b"PAR1", "is a Parquet file; give it the ending .parquet"),
        (b"\xff\xfe{\x00", "is UTF-16; save it as UTF-8"),
        (b"SQLite format 3\x00", "is a database; export turns from it first"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_advice(start: bytes, problem: str) -> None:
    with pytest.raises(UnreadableInputError) as caught:
        read(start + b"\n" + line())
    assert str(caught.value) == f"<stream> {problem}"


def test_a_missing_file_a_folder_and_a_forbidden_file_say_what_to_do(tmp_path: Path) -> None:
    forbidden = tmp_path / "forbidden.jsonl"
    forbidden.touch(mode=0o000)
    advice = {
        tmp_path / "none.jsonl": "there is no such file; check the path",
        tmp_path: "it is a folder; name a file in it",
    }
    if not os.access(forbidden, os.R_OK):
        advice[forbidden] = "permission denied; change the rights of the file, or run as a user who may read it"
    for path, text in advice.items():
        with pytest.raises(UnreadableInputError) as caught:
            list(read_turns(str(path)))
        assert str(caught.value) == f"{path} cannot be read: {text}"


def test_standard_input_is_read_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line("a") + b"7\n")))
    good, bad = read_turns("-")
    assert texts([good]) == ["a"]
    assert isinstance(bad, BadLine)
    assert bad.file == "<stdin>"
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UnreadableInputError):
        list(read_turns("-"))


def test_text_streams_are_read_and_stay_open() -> None:
    stream = io.StringIO(line("é").decode() + '{"messages": "\udc80"}\n')
    good, bad = read_turns(stream)
    assert texts([good, bad]) == ["é", "bad 2"]
    assert not stream.closed


def test_a_text_stream_of_another_encoding_is_refused() -> None:
    with pytest.raises(UnreadableInputError):
        list(read_turns(io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8")))


def test_aliases_of_earlier_turns_of_a_session_are_known_in_later_ones() -> None:
    data = b"".join(
        [
            line(session="s", passages=[{"text": "a"}, {"text": "b"}]),
            line(session="other", passages=[{"text": "x"}]),
            line(session="s", passages=[{"text": "c"}]),
            line(session="s", tenant="t2"),
            line(session="s"),
        ]
    )
    turns = [turn for turn in read(data) if isinstance(turn, Turn)]
    assert [turn.aliases for turn in turns] == [("c1", "c2"), ("c1",), ("c1", "c2", "c3"), None, ("c1", "c2", "c3")]
    assert [turn.known_aliases for turn in turns] == [(), (), ("c1", "c2"), (), ("c1", "c2", "c3")]


def test_records_of_any_kind_come_with_their_line() -> None:
    found = list(read_records(io.BytesIO(b'{"id": 1}\n\n"text"\n')))
    assert found == [Record(line=1, value={"id": 1}), Record(line=3, value="text")]
