from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from in_process import run_here

GOOD = {
    "tenant": "acme",
    "session": "s-1",
    "turn": "t-1",
    "categories": ["Billing", "Shipping"],
    "passages": [{"alias": "c1", "text": "Parcels take two days."}],
    "tools": [{"name": "search"}],
    "messages": [
        {"role": "user", "content": "Hi, my parcel is three days late."},
        {"role": "assistant", "content": 'It will come tomorrow [c1]. search{"q": 1}'},
    ],
}
KEYS = [
    "tenant",
    "agent",
    "session",
    "turn",
    "title",
    "categories",
    "sources",
    "task_concluded",
    "handoff_summary",
    "safety",
    "advice",
    "verdicts",
]
VERDICT_KEYS = [
    *("tenant", "agent", "session", "turn", "classifier", "version", "plan", "metric", "status", "label"),
    *("confidence", "confidence_source", "reason", "judge", "latency_ms", "attempt", "created_at"),
]


def _file(folder: Path, *turns: object) -> Path:
    path = folder / "turns.jsonl"
    path.write_text("".join((turn if isinstance(turn, str) else json.dumps(turn)) + "\n" for turn in turns))
    return path


def test_a_turn_is_judged_into_one_line_with_the_keys_of_the_contract(tmp_path: Path) -> None:
    done = run_here("classify", str(_file(tmp_path, GOOD)), cwd=tmp_path)
    (line,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert list(line) == KEYS
    assert line["title"]
    assert line["categories"] == ["Shipping"]
    assert line["sources"] == [{"alias": "c1", "how": "cited", "offsets": [[21, 21]]}]
    assert [set(VERDICT_KEYS) - set(verdict) for verdict in line["verdicts"]] == [set()] * 6
    assert list(tmp_path.iterdir()) == [tmp_path / "turns.jsonl"]  # nothing is stored without --db


def test_a_bad_line_is_reported_with_file_and_number_skipped_and_counted(tmp_path: Path) -> None:
    path = _file(tmp_path, GOOD, '{"messages": [', {**GOOD, "turn": "t-2"}, {"messages": [{"role": "wizard"}]})
    done = run_here("classify", str(path))
    assert done.returncode == 0
    assert [json.loads(line)["turn"] for line in done.stdout.splitlines()] == ["t-1", "t-2"]
    assert f"{path}:2:" in done.stderr
    assert f"{path}:4:" in done.stderr
    assert "2 bad lines" in done.stderr


def test_a_file_without_any_turn_is_said_to_be_one_and_is_no_error(tmp_path: Path) -> None:
    path = _file(tmp_path, "title,text", "a,b")
    done = run_here("classify", str(path))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[-2:] == [
        f"afterturn: {path}: no line holds a turn, so nothing was judged; see the lines above",
        "afterturn: 0 turns judged, 2 bad lines skipped",
    ]


def test_lines_come_in_the_order_of_the_file_and_from_stdin(tmp_path: Path) -> None:
    turns = [json.dumps({**GOOD, "turn": f"t-{number}"}) for number in range(9)]
    done = run_here("classify", "-", stdin="\n".join(turns))
    assert [json.loads(line)["turn"] for line in done.stdout.splitlines()] == [f"t-{number}" for number in range(9)]


def test_with_a_database_the_turns_are_stored_and_a_second_run_changes_nothing(tmp_path: Path) -> None:
    path, database = _file(tmp_path, GOOD, GOOD), str(tmp_path / "a.db")
    first = run_here("classify", str(path), "--db", database)
    second = run_here("classify", str(path), "--db", database)
    verdicts = run_here("verdicts", "--db", database, "--json")
    assert (first.returncode, second.returncode, verdicts.returncode) == (0, 0, 0)
    assert len(verdicts.stdout.splitlines()) == 6
    assert second.stderr.splitlines() == [
        "afterturn: 2 turns were stored already: their stored verdicts are shown",
        "afterturn: 0 turns judged",
    ]
    assert json.loads(first.stdout.splitlines()[0])["title"] == json.loads(second.stdout.splitlines()[0])["title"]


def test_another_turn_under_an_id_that_is_taken_is_told_with_its_place(tmp_path: Path) -> None:
    other = GOOD | {"session": "s-2", "messages": [{"role": "user", "content": "CANARY here"}]}
    done = run_here("classify", str(_file(tmp_path, GOOD, GOOD, other)), "--db", str(tmp_path / "a.db"))
    assert [json.loads(line)["session"] for line in done.stdout.splitlines()] == ["s-1", "s-1", "s-2"]
    assert done.returncode == 0
    assert "turns.jsonl:3: turn t-1 is not stored: tenant acme has another turn of this id" in done.stderr
    assert "turns.jsonl:2:" not in done.stderr
    assert "2 turns judged, 1 of them not stored: they have the id of another turn" in done.stderr
    assert "CANARY" not in done.stderr


def test_a_judge_that_is_not_there_gives_error_verdicts_and_exit_code_0(tmp_path: Path) -> None:
    done = run_here("classify", str(_file(tmp_path, {**GOOD, "model": "nobody:model"})))
    (line,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    asked = [v for v in line["verdicts"] if v["status"] != "skipped"]
    assert {(v["status"], v["reason"]) for v in asked} == {("error", "judge_missing")}
    assert done.stderr.splitlines()[-1] == (
        f"afterturn: 1 turns judged, {len(asked)} questions failed (judge_missing {len(asked)})"
    )
    assert line["categories"] is None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("classify", "gone.jsonl"), "gone.jsonl"),
        (("classify", "."), "folder"),
        (("classify", "turns.jsonl", "--judge", "nobody:model"), "nobody"),
        (("classify", "turns.jsonl", "-o", "no/such/folder/out.jsonl"), "no/such/folder"),
        (("classify", "turns.jsonl", "--db", "no/such/folder/a.db"), "no/such/folder"),
        (("classify", "turns.jsonl", "--db", "turns.jsonl"), "turns.jsonl"),
        (("verdicts", "--db", "gone.db"), "gone.db"),
        (("export", "--db", "gone.db"), "gone.db"),
        (("worker", "--db", "gone.db", "--drain"), "gone.db: there is none"),
        (("worker", "--db", "gone.db"), "gone.db: there is none"),
        (("import", "gone.jsonl", "--db", "b.db"), "gone.jsonl"),
        (("clean", "gone.jsonl"), "gone.jsonl"),
        (("bench", "nothing"), "nothing"),
        (("classify",), "TURNS"),
        (("unknown",), "unknown"),
    ],
)
def test_usage_and_unreadable_input_end_with_2_and_say_what_is_wrong(
    arguments: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    _file(tmp_path, GOOD)
    done = run_here(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "gone.db").exists()


def test_a_wrong_configuration_ends_with_2_and_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "afterturn.yaml").write_text("judgee: encoder\n")
    done = run_here("classify", str(_file(tmp_path, GOOD)), cwd=tmp_path)
    assert done.returncode == 2
    assert "judgee" in done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = _file(tmp_path, *({**GOOD, "turn": f"t-{number}"} for number in range(40)))
    command = f"{sys.executable} -m afterturn classify {path} | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["turn"] == "t-0"
    assert "Traceback" not in done.stderr


def test_imported_turns_are_judged_by_a_worker(tmp_path: Path) -> None:
    path, database = _file(tmp_path, GOOD), str(tmp_path / "a.db")
    imported = run_here("import", str(path), "--db", database, "--json")
    worked = run_here("worker", "--db", database, "--drain", "--json")
    assert json.loads(imported.stdout) == {"stored": 1, "known": 0, "bad_lines": 0, "id_taken": 0}
    assert json.loads(worked.stdout) == {
        "stored": 1,
        "planned": 6,
        "open": 0,
        "judged": 3,
        "finding": 1,
        "no_finding": 2,
        "unsure": 0,
        "skipped": 3,
        "failed": 0,
        "dead": 0,
        "findings": {"": 1},
        "skips": {"cited_inline": 1, "empty_scope": 1, "no_parent": 1},
        "failures": {},
    }


def test_the_demo_shows_four_turns_and_ends_with_one_line_of_json(tmp_path: Path) -> None:
    done = run_here("demo", "--json", cwd=tmp_path)
    assert done.returncode == 0
    turns = json.loads(done.stdout.splitlines()[-1])["turns"]
    assert [turn["agent"] for turn in turns] == ["portal", "portal", "handbook", "laptop-order"]
    assert turns[0]["title"] is None
    assert turns[1]["categories"] == ["Account"]
    assert turns[2]["sources"] == [{"alias": "c1", "how": "cited", "offsets": [[86, 86]]}]
    assert turns[3]["leaks"] == ["save_order"]
    assert turns[3]["concluded"] == "classifier"
    assert "save_order" not in turns[3]["text"]
    assert "2.08 days¹." in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_demo_keeps_its_turns_where_a_database_is_named(tmp_path: Path) -> None:
    database = str(tmp_path / "demo.db")
    assert run_here("demo", "--db", database).returncode == 0
    assert len(run_here("verdicts", "--db", database, "--json").stdout.splitlines()) == 24


def test_the_version_is_told() -> None:
    assert run_here("--version").stdout.startswith("afterturn 0.")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, where every write finds a full disk")
@pytest.mark.parametrize("command", ["classify", "clean", "--help"])
def test_a_full_disk_under_stdout_is_one_line_and_exit_code_2(command: str, tmp_path: Path) -> None:
    row = {"deltas": ["a"], "messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hi!"}]}
    arguments = [command] if command == "--help" else [command, str(_file(tmp_path, row))]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "afterturn", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "afterturn: No space left on device; check the disk and its rights, then run it again\n"
