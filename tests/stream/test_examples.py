"""The examples in the docstrings of the room run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["_adapters", "_chain", "_clean", "_prefix"])
def test_the_examples_of_a_module_run(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"afterturn.stream.{module}"))
    assert (failed, tried > 0) == (0, True)
