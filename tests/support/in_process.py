"""Runs the command line in this process: the same entry, without a second and more of starting and loading again."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from afterturn.cli import main


def run_here(
    *arguments: str, stdin: str | None = None, cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Runs `afterturn ARGUMENTS` and gives what a process would have given: exit code, stdout, stderr."""
    streams = [io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8") for text in (stdin or "", "", "")]
    given, out, err = streams
    with pytest.MonkeyPatch.context() as patched, contextlib.chdir(cwd or Path.cwd()):
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patched.setattr(sys, name, stream)
        patched.setattr(sys, "argv", ["afterturn", *arguments])
        for name, value in env.items():
            patched.setitem(os.environ, name, value)
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    told: list[str] = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        told.append(stream.read())
    given.close()
    return subprocess.CompletedProcess(["afterturn", *arguments], code, *told)
