"""The command line: `afterturn …` (CONTRACT "Command line")."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line and ends the process with the exit code of the contract.

    0 done · 1 a check failed · 2 usage, or input or output that cannot be used · 3 inconclusive.
    """
    from afterturn.cli._app import app
    from afterturn.errors import AfterturnError

    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # while an error can still be told
    except AfterturnError as error:
        sys.exit(_told(str(error)))
    except BrokenPipeError:  # the reader of our output (head, less) went away: no error of ours
        _drop_output()
        sys.exit(0)
    except OSError as error:  # a full disk under our output, say
        _drop_output()
        sys.exit(_told(f"{error.strerror or type(error).__name__}; check the disk and its rights, then run it again"))


def _told(message: str) -> int:
    """Turns an error into a line, and gives the exit code for what cannot be used."""
    sys.stderr.write(f"afterturn: {message}\n")
    return 2


def _drop_output() -> None:
    """Keeps Python from writing at its end what it could not write before."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
