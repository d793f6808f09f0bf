"""The judge of a run against people."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.evals import RunFile
from afterturn.evals.compare import judge_agreement, read_human_labels

MakeRun = Callable[..., RunFile]


def agreement_of(run: RunFile, tmp_path: Path, labels: list[dict[str, Any]], *options: str) -> Result:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(label) + "\n" for label in labels))
    return CliRunner().invoke(app, ["eval", "agreement", str(run.path), "--labels", str(path), "--json", *options])


def test_a_kind_judge_is_seen_by_kappa_by_band_and_by_bias(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run("a", [95] * 10 + [75] * 10 + [30] * 10)
    labels: list[dict[str, Any]] = [{"row": f"r{n}", "score": 90 if n < 12 else 40} for n in range(30)]
    done = agreement_of(run, tmp_path, labels)
    assert done.exit_code == 0
    found: dict[str, Any] = json.loads(done.stdout)
    assert (found["judge"]["first_only"], found["judge"]["second_only"]) == (8, 0)
    assert found["bias_p_value"] == 0.0078125
    assert round(found["judge"]["kappa"]["rate"], 3) == 0.5
    bands = {
        band["low"]: (band["replies"], band["people_pass"]["rate"], band["agree"]["rate"]) for band in found["bands"]
    }
    assert bands == {0: (10, 0.0, 1.0), 40: (0, None, None), 70: (10, 0.2, 0.2), 90: (10, 1.0, 1.0)}
    assert found["score_bias"] == pytest.approx((10 * 5 + 2 * -15 + 8 * 35 + 10 * -10) / 30)


def test_several_people_are_a_majority_and_are_compared_with_each_other(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run("a", [95, 95])
    labels: list[dict[str, Any]] = [
        {"row": "r0", "pass": True, "rater": "ann"},
        {"row": "r0", "pass": True, "rater": "bob"},
        {"row": "r0", "pass": False, "rater": "cem"},
        {"row": "r1", "pass": True, "rater": "ann"},
        {"row": "r1", "pass": False, "rater": "bob"},
    ]
    done = agreement_of(run, tmp_path, labels)
    found: dict[str, Any] = json.loads(done.stdout)
    assert (found["replies"], found["tied"], found["people"]["turns"]) == (1, 1, 4)
    assert found["people"]["agreement"]["rate"] == 0.25
    assert done.exit_code == 3


def test_labels_without_a_reply_or_a_score_are_counted(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run("a", [95, "agent_error"])
    done = agreement_of(run, tmp_path, [{"row": row, "pass": True} for row in ("r0", "r1", "r9")])
    found: dict[str, Any] = json.loads(done.stdout)
    assert (found["replies"], found["unscored"], found["unknown"]) == (1, 1, 1)


def test_a_line_that_is_no_label_is_told_with_its_place(make_run: MakeRun, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    lines = [
        '{"row": "r0", "score": 80}',
        "no",
        "[]",
        '{"row": "r0"}',
        '{"row": "r0", "score": 101}',
        '{"row": 1, "pass": true}',
    ]
    path.write_text("\n".join(lines))
    told: list[str] = []
    found = judge_agreement(make_run("a", [95]), read_human_labels(path, told.append))
    assert (found.labels, found.replies) == (1, 1)
    assert [line.partition("labels.jsonl:")[2].partition(":")[0] for line in told] == ["2", "3", "4", "5", "6"]
