"""The rules that were worked out before are those of the YAML files, or are not used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources

import pytest

from afterturn.guard import _parsed
from afterturn.guard._rules import builtin_rules, yaml_rules


def files() -> Mapping[str, bytes]:
    folder = resources.files("afterturn.guard").joinpath("rules")
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.endswith(".yaml")}


def test_they_are_fresh() -> None:
    assert _parsed.read(files()) is not None, "the rules changed: run `python -m afterturn.guard._parsed` and commit it"


def test_they_are_the_rules_of_the_files() -> None:
    assert builtin_rules() == yaml_rules(files())


@pytest.mark.parametrize("change", [b"\n", b"# another word\n"])
def test_after_any_change_of_a_file_they_are_not_used(change: bytes) -> None:
    changed = {name: content + change for name, content in files().items()}
    assert _parsed.read(changed) is None
