"""Runs the examples of README and docs: every python block, and every console block that calls afterturn."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser


def _run_console(example: Example) -> None:
    """Runs a block's commands in the document's folder; the exit code must be 0."""
    script = "\n".join(line.removeprefix("$ ") for line in example.parsed.splitlines())
    if "afterturn " not in script or "git clone" in script:
        return
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", script], capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"


def _enter(namespace: dict[str, Any]) -> None:
    """Gives each document a folder of its own, so that its examples may write files."""
    namespace["_before"], namespace["_folder"] = Path.cwd(), tempfile.mkdtemp(prefix="afterturn-docs-")
    os.chdir(namespace["_folder"])


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_before"])
    shutil.rmtree(namespace["_folder"])


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser("console", _run_console)],
    patterns=["README.md", "docs/*.md"],
    setup=_enter,
    teardown=_leave,
).pytest()
