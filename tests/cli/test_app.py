"""Tests how commands are found and loaded."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import typer

from afterturn.cli._app import Commands, app

GROUP: Any = typer.main.get_command(app)


@pytest.mark.parametrize("later", Commands.later, ids=lambda later: later.name)
def test_the_line_of_a_command_is_the_first_paragraph_of_its_help(later: Any) -> None:
    said = (later.load().help or "").strip().split("\n\n")[0]
    assert " ".join(said.split()) == later.line


def test_help_loads_no_command() -> None:
    code = (
        "import sys\nfrom afterturn.cli import main\nsys.argv = ['afterturn', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('afterturn.cli.')))"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said.splitlines()[-1] == "['afterturn.cli._app', 'afterturn.cli._lazy']"


def test_a_loaded_command_is_the_same_the_second_time() -> None:
    first = GROUP.get_command(None, "clean")
    assert GROUP.get_command(None, "clean") is first
    assert GROUP.get_command(None, "cleen") is None


def test_only_bench_passes_on_options_that_it_does_not_know() -> None:
    loaded = {later.name: later.load() for later in Commands.later}
    assert [name for name, command in loaded.items() if command.context_settings] == ["bench"]
