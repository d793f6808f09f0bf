"""Labels of a file go in, and what was stored goes out."""

from __future__ import annotations

import json
from pathlib import Path

from review_turns import ANNA, CANARY, START, Run, judge, labels_in, last

from afterturn.store import open_store


def test_labels_of_a_file_are_stored_and_bad_lines_are_told_with_their_number(
    run: Run, database: Path, tmp_path: Path
) -> None:
    with open_store(database, clock=lambda: START) as store:
        judge(store, 7, tenant="other")
    rows: list[object] = [
        {"turn": "t-1", "classifier": "safety", "label": True},
        {"turn": "t-2", "classifier": "safety", "label": False, "reviewer": "ben"},
        {"turn": "t-3", "classifier": "safety", "label": "yes"},
        {"turn": "nowhere", "classifier": "safety", "label": True},
        {"turn": "t-4", "classifier": "safety", "label": True},
        {"turn": "t-4", "classifier": "safety", "label": False},
        {"turn": "t-5", "classifier": "scope_drift", "label": True},
        {"turn": "t-7", "classifier": "safety", "label": True},
        {"turn": "t-7", "tenant": "other", "classifier": "safety", "label": True},
        {"turn": "t-8", "classifier": "safety", "label": True, "reviewer": ""},
        CANARY,
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("--labels", path, "--classifier", "safety")
    assert result.exit_code == 0
    assert last(result) == {
        "imported": 3,
        "replaced": 0,
        "unknown_turns": 1,
        "contradictory": 1,
        "other_classifiers": 1,
        "bad_lines": 4,
    }
    for number, problem in ((3, "no label of a turn"), (8, "several tenants"), (10, "`reviewer` is no name"), (11, "")):
        assert f"{path}:{number}: {problem}" in result.stderr
    assert CANARY not in result.output
    assert sorted(labels_in(database)) == [("t-1", "import", "yes"), ("t-2", "ben", "no"), ("t-7", "import", "yes")]
    assert last(run("--labels", path, "--reviewer", "carl"))["imported"] == 4


def test_answers_that_a_file_replaces_are_counted_and_told(run: Run, database: Path, tmp_path: Path) -> None:
    run(*ANNA, typed="y\nn\nq\n")
    with open_store(database) as store:
        given = [(label.turn, label.answer) for label in store.reviews.labels()]
    path = tmp_path / "fix.jsonl"
    rows = [{"turn": turn, "classifier": "safety", "label": True, "reviewer": "anna"} for turn, _ in given]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("--labels", path)
    assert (last(result)["imported"], last(result)["replaced"]) == (2, 2)
    assert "2 earlier answers of anna about safety are replaced by this file" in result.stderr
    again = run("--labels", path)
    assert (last(again)["replaced"], "replaced by this file" in again.stderr) == (0, False)
    with open_store(database) as store:
        assert [(label.answer, label.source) for label in store.reviews.labels()] == [("yes", "file")] * 2


def test_what_is_exported_can_be_imported(run: Run, database: Path, tmp_path: Path) -> None:
    run(*ANNA, typed="y\nn\nu\nn\nq\n")
    before = labels_in(database)
    path = tmp_path / "out.jsonl"
    assert last(run("--export", path)) == {"exported": 3, "unsure": 1}
    assert last(run("--labels", path))["imported"] == 3
    assert labels_in(database) == before
    assert {*json.loads(path.read_text().splitlines()[0])} == {
        *("tenant", "turn", "classifier", "label", "reviewer", "source", "at")
    }
    printed = run("--export", "-", "--tenant", "nobody")
    assert (printed.exit_code, printed.stdout) == (0, "")
