"""Claims about turns as Parquet."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from afterturn.errors import UnreadableInputError, UsageError
from afterturn.formats import BadLine, read_any, read_parquet_turns, turn_from_json, write_any, write_parquet_turns
from afterturn.turns import Turn

arrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")

TURN = turn_from_json(
    {
        "tenant": "acme",
        "agent": "support",
        "session": "s",
        "turn": "t",
        "created_at": "2026-11-30T12:00:00+02:00",
        "messages": [{"role": "user", "content": "Hi", "x": {"y": [None, "é"]}}],
        "label": None,
    }
)


def test_every_turn_comes_back_exactly_over_several_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "turns.parquet"
    turns = [turn_from_json({"turn": number, "messages": [{"role": "user"}]}) for number in range(2500)]
    assert write_any(iter([TURN, *turns]), path) == 2501
    assert list(read_any(path)) == [TURN, *turns]
    assert parquet.read_metadata(path).num_row_groups == 3


def test_ids_and_time_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "turns.PQ"
    write_any([TURN], path)
    (row,) = parquet.read_table(path).to_pylist()
    del row["record"]
    moment = datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert row == {"tenant": "acme", "agent": "support", "session": "s", "turn": "t", "created_at": moment}


def test_no_turns_make_a_file_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "turns.parquet"
    assert write_parquet_turns([], path) == 0
    assert list(read_parquet_turns(path)) == []


def test_a_time_without_offset_is_utc(tmp_path: Path) -> None:
    path = tmp_path / "turns.parquet"
    write_parquet_turns([Turn(messages=TURN.messages, id="t", session="s", created_at=datetime(2026, 11, 30))], path)
    (turn,) = read_parquet_turns(path)
    assert isinstance(turn, Turn)
    assert turn.created_at == datetime(2026, 11, 30, tzinfo=UTC)


def test_a_bad_row_is_named_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "turns.parquet"
    parquet.write_table(arrow.table({"record": ['{"messages": [{"role": "user"}]}', "kumquat", None]}), path)
    good, broken, empty = read_parquet_turns(path)
    assert isinstance(good, Turn)
    assert isinstance(broken, BadLine)
    assert isinstance(empty, BadLine)
    assert (broken.line, empty.line) == (2, 3)
    assert "kumquat" not in str(broken)


def test_a_foreign_file_with_the_keys_of_a_turn_as_columns_is_read(tmp_path: Path) -> None:
    path = tmp_path / "turns.parquet"
    rows = [
        {"turn": "a", "created_at": datetime(2026, 11, 30), "messages": [{"role": "user", "content": "Hi"}]},
        {
            "turn": "b",
            "messages": [{"role": "user", "content": "Yo"}, {"role": "assistant", "tool_calls": [{"name": "t"}]}],
        },
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), path)
    first, second = read_parquet_turns(path)
    assert first == turn_from_json({**rows[0], "created_at": "2026-11-30T00:00:00Z"})
    assert second == turn_from_json(rows[1])


def test_a_file_without_turns_or_of_another_kind_says_so(tmp_path: Path) -> None:
    other, broken = tmp_path / "other.parquet", tmp_path / "broken.parquet"
    parquet.write_table(arrow.table({"a": [1]}), other)
    broken.write_bytes(other.read_bytes()[:-9])
    advice = {
        other: f"{other} has neither a column `record` nor a column `messages`; it holds no turns",
        broken: f"{broken} is no whole Parquet file; export it again",
        tmp_path / "none.parquet": f"{tmp_path / 'none.parquet'} cannot be read: there is no such file; check the path",
        tmp_path: f"{tmp_path} cannot be read: it is a folder; name a file in it",
    }
    for path, text in advice.items():
        with pytest.raises(UnreadableInputError) as caught:
            list(read_parquet_turns(path))
        assert str(caught.value) == text


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: list(read_parquet_turns(tmp_path)), lambda: write_parquet_turns([], tmp_path)):
        with pytest.raises(UsageError, match="afterturn\\[data\\]"):
            call()
