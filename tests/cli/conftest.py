"""A database of judged turns to review, and the command that is run on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from review_turns import START, TURNS, Run, judge
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.store import open_store


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "a.db"
    with open_store(path, synchronous="OFF", clock=lambda: START) as store:
        for number in range(TURNS):
            judge(store, number)
    return path


@pytest.fixture
def database(judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(judged, tmp_path / "a.db"))


@pytest.fixture
def run(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_DB", str(database))

    def ran(*arguments: object, typed: str = "") -> Result:
        return CliRunner().invoke(app, ["review", *map(str, arguments)], input=typed)

    return ran
