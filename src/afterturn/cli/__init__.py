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
        app()
    except AfterturnError as error:
        print(f"afterturn: {error}", file=sys.stderr)  # noqa: T201 - the one place that turns an error into a line
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output (head, less) went away: no error of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
