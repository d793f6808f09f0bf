"""Asks a command: the row's id and conversation as one JSON line on its standard input, the reply on its output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
from asyncio.subprocess import PIPE, Process

from afterturn.errors import AgentError, UsageError
from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._replies import reply_from
from afterturn.evals.targets.http import question
from afterturn.formats import FormatProblem, dump_json, parse_json
from afterturn.turns import JsonObject

PREFIX = "command:"
MOST_BYTES = 32 * 2**20
_TOLD_CHARS = 300


class CommandTarget:
    """Is a command under test, started once a row.

    Args:
        command: The command line; no shell reads it.
    """

    free = False

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError:
            self._words = []
        if not self._words:
            raise UsageError(f"{PREFIX} is followed by a command line, e.g. '{PREFIX}python agent.py'")
        self.name = f"{PREFIX}{command}"
        self.options: JsonObject = {}

    async def ask(self, row: Row) -> Reply:
        """Starts the command and reads its reply: JSON, or plain text.

        Raises:
            AgentError: `not_started`, `exit_code`, or what it wrote is no reply.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
        except OSError as error:
            raise AgentError("not_started", f"{self._words[0]}: {error.strerror}; check the command") from None
        try:
            out, told = await process.communicate(f"{dump_json(question(row))}\n".encode())
        finally:
            _end(process)
        if process.returncode:
            tail = told.decode(errors="replace").strip()[-_TOLD_CHARS:]
            raise AgentError("exit_code", f"the command ended with {process.returncode}: {tail}")
        if len(out) > MOST_BYTES:
            raise AgentError("bad_reply", "the command wrote more than 32 MB")
        return _reply(out.decode(errors="replace").strip(), row)

    async def aclose(self) -> None:
        """Holds nothing."""


def open_command(command: str) -> Target:
    """Makes a target of a command line."""
    return CommandTarget(command)


def _reply(text: str, row: Row) -> Reply:
    if not text:
        raise AgentError("no_reply", "the command wrote nothing")
    try:
        value = parse_json(text) if text[0] in '{["' else text
    except FormatProblem:
        value = text
    return reply_from(value, row)


def _end(process: Process) -> None:
    """Ends the command, and what it started, where it still runs: a row that is overdue leaves nothing behind."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
