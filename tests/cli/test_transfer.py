from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from afterturn.cli.transfer import export_command, import_command
from afterturn.cli.verdicts import verdicts_command
from afterturn.errors import StoreError, UnreadableInputError
from afterturn.store import open_store

Run = Callable[..., Result]

_GOOD = {
    "tenant": "acme",
    "session": "s-1",
    "created_at": "2026-11-30T10:00:00Z",
    "messages": [{"role": "user", "content": "Where is my order?"}, {"role": "assistant", "content": "On its way."}],
    "channel": "web",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    app = typer.Typer()
    for name, command in (("import", import_command), ("export", export_command), ("verdicts", verdicts_command)):
        app.command(name)(command)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_LOG_LEVEL", "ERROR")

    def ran(*arguments: str) -> Result:
        return CliRunner().invoke(app, arguments)

    return ran


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    """Three good turns and two bad lines."""
    path = tmp_path / "turns.jsonl"
    good = [json.dumps(_GOOD | {"turn": f"t-{number}"}) for number in range(3)]
    path.write_text("\n".join([good[0], "{", good[1], '{"turn": "t-9"}', good[2]]) + "\n")
    return path


def test_turns_are_stored_with_their_questions_and_bad_lines_are_counted(run: Run, turns: Path) -> None:
    result = run("import", str(turns), "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        {"stored": 3, "known": 0, "id_taken": 0, "bad_lines": 2},
    )
    assert "turns.jsonl:2:" in result.stderr
    assert "turns.jsonl:4:" in result.stderr
    funnel = json.loads(run("verdicts", "--funnel").stdout)
    assert (funnel["stored"], funnel["planned"]) == (3, 18)
    assert funnel["open"] + funnel["skipped"] == 18


def test_the_same_file_again_changes_nothing(run: Run, turns: Path) -> None:
    run("import", str(turns))
    assert json.loads(run("import", str(turns), "--json").stdout) == {
        "stored": 0,
        "known": 3,
        "id_taken": 0,
        "bad_lines": 2,
    }


def test_what_is_exported_imports_to_the_same(run: Run, turns: Path, tmp_path: Path) -> None:
    run("import", str(turns))
    assert run("export", "-o", "out.jsonl").exit_code == 0
    first = (tmp_path / "out.jsonl").read_text()
    assert [json.loads(line)["channel"] for line in first.splitlines()] == ["web"] * 3
    run("import", "out.jsonl", "--db", "other.db")
    assert run("export", "--db", "other.db").stdout == first


def test_an_export_may_be_narrowed(run: Run, turns: Path) -> None:
    run("import", str(turns))
    assert run("export", "--tenant", "nobody").stdout == ""
    assert len(run("export", "--tenant", "acme", "--session", "s-1").stdout.splitlines()) == 3
    assert len(run("export", "--since", "2026-11-30T10:00:00Z").stdout.splitlines()) == 3
    assert run("export", "--since", "2026-11-30T10:00:01Z").stdout == ""


def test_parquet_goes_out_and_comes_in(run: Run, turns: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs the extra [data]")
    run("import", str(turns))
    run("export", "-o", "out.parquet")
    result = run("import", "out.parquet", "--db", "other.db", "--json")
    assert json.loads(result.stdout) == {"stored": 3, "known": 0, "id_taken": 0, "bad_lines": 0}
    assert run("export", "--db", "other.db").stdout == run("export").stdout


def test_what_was_read_before_a_file_broke_is_stored(run: Run, turns: Path, tmp_path: Path) -> None:
    result = run("import", str(turns), str(tmp_path / "missing.jsonl"))
    assert isinstance(result.exception, UnreadableInputError)
    told = "afterturn: stopped early; until then 3 turns stored, 0 known already, 2 bad lines skipped"
    assert result.stderr.splitlines()[-1] == told
    assert json.loads(run("verdicts", "--funnel").stdout)["stored"] == 3


def test_a_database_that_is_not_there_is_an_error_and_is_not_made(run: Run, tmp_path: Path) -> None:
    for command in ("export", "verdicts"):
        assert isinstance(run(command).exception, StoreError)
    assert list(tmp_path.iterdir()) == []


def test_a_time_that_is_none_is_a_usage_error(run: Run, turns: Path) -> None:
    run("import", str(turns))
    result = run("export", "--since", "yesterday-ish")
    assert result.exit_code == 2
    assert "24h" in result.stderr


def test_large_files_are_stored_in_batches(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterturn.cli.transfer.BATCH_TURNS", 3)
    lines = [json.dumps(_GOOD | {"turn": f"t-{number}"}) for number in (0, 1, 2, 3, 0, 4, 5)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    counts = {"stored": 6, "known": 1, "id_taken": 0, "bad_lines": 0}
    assert json.loads(run("import", "many.jsonl", "--json").stdout) == counts


@pytest.mark.parametrize("at_once", [True, False])
def test_another_turn_under_an_id_that_is_taken_is_told_with_its_place(run: Run, tmp_path: Path, at_once: bool) -> None:
    one = _GOOD | {"turn": "t-1"}
    other = one | {"session": "s-2", "messages": [{"role": "user", "content": "Secret"}]}
    files = (
        {"a.jsonl": [one, one, other], "b.jsonl": []} if at_once else {"a.jsonl": [one], "b.jsonl": [one, {}, other]}
    )
    for name, lines in files.items():
        (tmp_path / name).write_text("".join((json.dumps(line) if line else "") + "\n" for line in lines))
    if not at_once:
        run("import", "a.jsonl")
    result = run("import", *(["a.jsonl"] if at_once else ["b.jsonl"]), "--json")
    counts = {"stored": int(at_once), "known": 1, "id_taken": 1, "bad_lines": 0}
    assert (result.exit_code, json.loads(result.stdout)) == (0, counts)
    place = "a.jsonl:3" if at_once else "b.jsonl:3"
    assert f"{place}: turn t-1 is not stored: tenant acme has another turn of this id, with other" in result.stderr
    assert "give it another id" in result.stderr
    assert "1 known already, 1 turns have the id of another turn, 0 bad lines" in result.stderr
    assert "Secret" not in result.stderr
    exported = [json.loads(line) for line in run("export").stdout.splitlines()]
    assert [line["session"] for line in exported] == ["s-1"]


def test_a_turn_whose_text_was_removed_and_that_is_sent_again_counts_as_known(run: Run, turns: Path) -> None:
    run("import", str(turns))
    with open_store("afterturn.db") as store:
        store.forget("acme", "s-1")
    counts = json.loads(run("import", str(turns), "--json").stdout)
    assert (counts["stored"], counts["known"], counts["id_taken"]) == (0, 3, 0)
