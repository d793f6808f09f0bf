"""Keeps the exit code of a check where the reader of its output went away."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def keeping_exit_code() -> Generator[None]:
    """Lets output be lost to a closed pipe without losing the exit code.

    A command that only tells something may end well when its reader (`head`) has read enough. One whose exit code is
    the decision may not: `afterturn gate promote | head -1` would promote what was refused.
    """
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # rich ends the process by itself when its pipe closes
        for stream in (sys.stdout, sys.stderr):
            flush_nowhere(stream.fileno())


def flush_nowhere(descriptor: int) -> None:
    """Points a stream nowhere, so that what Python still writes at its end meets no closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
