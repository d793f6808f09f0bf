"""No output takes the place of what a command reads, and what was judged is kept when a command is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from in_process import run_here

from afterturn.formats import turn_from_json
from afterturn.store import open_store
from afterturn.worker import ingest_many

TURN = {"session": "s-1", "turn": "t-1", "messages": [{"role": "user", "content": "Where is my parcel?"}]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a database, a file of turns and one of settings, and other names for them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AFTERTURN_DB", raising=False)
    with open_store("p.db", synchronous="OFF") as store:
        ingest_many(store, [(turn_from_json(TURN), ())])
    Path("t.jsonl").write_text(json.dumps(TURN) + "\n")
    Path("prompt.txt").write_text("You help.")
    Path("afterturn.yaml").write_text("db: p.db\nguard_policy: policy.yaml\n")
    Path("policy.yaml").write_text("name: own\n")
    Path("link.db").symlink_to("p.db")
    Path("link.jsonl").symlink_to("t.jsonl")
    Path("hard.db").hardlink_to("p.db")
    Path("sub").mkdir()
    return tmp_path


def _seen(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("export --db p.db -o p.db", "-o p.db would overwrite the database p.db"),
        ("export -o p.db", "-o p.db would overwrite the database p.db"),
        ("export --db sqlite:///p.db -o p.db", "-o p.db would overwrite the database p.db"),
        ("export --db p.db -o sub/../p.db", "-o sub/../p.db would overwrite the database p.db"),
        ("export --db p.db -o link.db", "-o link.db would overwrite the database p.db"),
        ("export --db link.db -o p.db", "-o p.db would overwrite the database link.db"),
        ("export --db p.db -o hard.db", "-o hard.db would overwrite the database p.db"),
        ("export --db p.db -o p.db-wal", "-o p.db-wal would overwrite a part of the database p.db"),
        ("export --db p.db -o link.db-shm", "link.db-shm cannot be written: it is a database, which would be lost"),
        ("export --db p.db -o afterturn.yaml", "-o afterturn.yaml would overwrite the configuration"),
        ("classify t.jsonl --db new.db -o new.db", "-o new.db would overwrite the database new.db"),
        ("classify t.jsonl --db new.db -o new.db-wal", "would overwrite a part of the database new.db"),
        ("classify t.jsonl -o p.db", "-o p.db would overwrite the database p.db"),
        ("classify t.jsonl --db new.db -o p.db", "p.db cannot be written: it is a database, which would be lost"),
        ("classify t.jsonl -o t.jsonl", "-o t.jsonl would overwrite an input of this command"),
        ("classify t.jsonl -o link.jsonl", "-o link.jsonl would overwrite an input of this command"),
        ("classify link.jsonl -o t.jsonl", "-o t.jsonl would overwrite an input of this command"),
        ("classify t.jsonl -o policy.yaml", "-o policy.yaml would overwrite a policy of the configuration"),
        ("classify t.jsonl --judge llama:prompt.txt -o prompt.txt", "would overwrite the judge's model"),
        ("review --db p.db --export p.db", "--export p.db would overwrite the database p.db"),
        (
            "calibrate --classifier safety --alert-budget 1 --labels l.svg --plot l.svg",
            "--plot l.svg would overwrite an input of this command",
        ),
        ("regress --models openai:m -o p.db", "-o p.db would overwrite the database p.db"),
        (
            "compare-designs --model m --prompt prompt.txt -o prompt.txt",
            "-o prompt.txt would overwrite an input of this command",
        ),
        (
            "compare-designs --model m -o new.md --markdown sub/../new.md",
            "-o and --markdown would be written to one file",
        ),
    ],
)
def test_an_output_that_would_overwrite_what_is_read_is_refused_before_anything_is_written(
    command: str, told: str, folder: Path
) -> None:
    before = _seen(folder)
    done = run_here(*command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr.splitlines()[-1]
    assert "name another file" in done.stderr.splitlines()[-1]
    after = {name: data for name, data in _seen(folder).items() if not name.endswith(("-wal", "-shm"))}
    assert after == before


def test_standard_input_that_comes_from_the_output_is_an_input(folder: Path) -> None:
    with Path("t.jsonl").open() as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "afterturn", "classify", "-", "-o", "t.jsonl"],
            stdin=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "afterturn: -o t.jsonl would overwrite an input of this command; name another file\n"
    assert json.loads(Path("t.jsonl").read_text()) == TURN


def test_an_output_that_names_nothing_that_is_read_is_written(folder: Path) -> None:
    assert run_here("export", "-o", "out.jsonl").returncode == 0
    assert run_here("export", "-o", "out.jsonl").returncode == 0  # an output of before is no input
    assert json.loads(Path("out.jsonl").read_text())["turn"] == "t-1"
    assert run_here("export", "-o", "/dev/null").returncode == 0
    assert not list(folder.glob("*.tmp"))


def _line(number: int) -> str:
    return json.dumps({**TURN, "session": f"s-{number}", "turn": f"t-{number}"}) + "\n"


@pytest.mark.parametrize(
    ("sent", "database", "told"),
    [
        (signal.SIGINT, (), "; 2 results are in out.jsonl.part; a run with --db goes on where it stopped"),
        (
            signal.SIGINT,
            ("--db", "new.db"),
            "; 2 of them stored in new.db; 2 results are in out.jsonl.part; run the same again: it goes on from there",
        ),
        (signal.SIGKILL, (), None),
    ],
)
def test_what_was_judged_when_a_run_is_stopped_is_kept_and_told(
    sent: signal.Signals, database: tuple[str, ...], told: str | None, folder: Path
) -> None:
    Path("out.jsonl").write_text("of before")
    process = subprocess.Popen(
        [sys.executable, "-m", "afterturn", "classify", "-", "-o", "out.jsonl", *database],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "AFTERTURN_CONCURRENCY": "1", "AFTERTURN_CONFIG": os.devnull},
    )
    assert process.stdin is not None
    process.stdin.write(_line(1) + _line(2))
    process.stdin.flush()
    part = Path("out.jsonl.part")
    while not part.exists() or len(part.read_text().splitlines()) < 2:
        assert process.poll() is None, process.communicate()[1]
    process.send_signal(sent)
    if sent == signal.SIGKILL:
        process.wait()
    _, said = process.communicate(None if sent == signal.SIGKILL else _line(3))
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130}[sent]
    assert said == ("" if told is None else f"afterturn: stopped early; until then 2 turns judged{told}\n")
    assert [json.loads(line)["turn"] for line in part.read_text().splitlines()] == ["t-1", "t-2"]
    assert Path("out.jsonl").read_text() == "of before"
    assert not list(folder.glob(".*"))


def test_an_import_that_is_interrupted_says_what_is_stored(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "afterturn", "import", "-", "--db", "new.db"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(_line(1) + "no turn\n")
    process.stdin.flush()
    assert process.stderr.readline().startswith("afterturn: <stdin>:2: ")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    told = "afterturn: stopped early; until then 1 turns stored, 0 known already, 1 bad lines skipped"
    assert said.splitlines()[-1] == told


def test_a_run_that_ends_leaves_the_whole_file_and_the_part_of_an_earlier_one(folder: Path) -> None:
    Path("out.jsonl.part").write_text("of before")
    done = run_here("classify", "t.jsonl", "-o", "out.jsonl", AFTERTURN_CONFIG=os.devnull)
    assert done.returncode == 0
    assert json.loads(Path("out.jsonl").read_text())["turn"] == "t-1"
    assert {file.name for file in folder.glob("out*")} == {"out.jsonl", "out.jsonl.part"}
    assert Path("out.jsonl.part").read_text() == "of before"


@pytest.mark.parametrize("group", ["modes", "policy", "eval", "gate", "personas"])
def test_a_group_of_commands_has_no_options_that_install_a_completion(group: str) -> None:
    done = run_here(group, "--help")
    assert done.returncode == 0
    assert "completion" not in done.stdout


def test_a_turn_whose_id_is_taken_is_told_once_in_words(folder: Path) -> None:
    other = {**TURN, "session": "s-2"}
    Path("t.jsonl").write_text(json.dumps(TURN) + "\n" + json.dumps(other) + "\n")
    done = run_here("classify", "t.jsonl", "--db", "new.db", "-o", "out.jsonl")
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "t-1" in line] == [
        "afterturn: t.jsonl:2: turn t-1 is not stored: tenant default has another turn of this id, with other content; "
        "give it another id"
    ]


@pytest.mark.parametrize(
    "command",
    [
        "classify none",
        "import none --db new.db",
        "clean none",
        "guard none --policy default",
        "modes set safety advise --by ada --evidence none --db p.db",
        "drift --calibration none --db p.db",
        "compare-designs --model m --prompt none",
        "review --labels none --db p.db",
    ],
)
def test_a_file_that_is_not_there_is_told_in_words(command: str, folder: Path) -> None:
    done = run_here(*command.split(), AFTERTURN_CONFIG=os.devnull)
    assert done.returncode == 2
    assert "no such file" in done.stderr
    assert "FileNotFoundError" not in done.stderr


def test_a_configuration_that_is_not_there_is_told_in_words(folder: Path) -> None:
    done = run_here("verdicts", AFTERTURN_CONFIG="none.yaml")
    assert done.returncode == 2
    assert done.stderr == "afterturn: none.yaml: cannot be read: there is no such file; check the path\n"
