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
_CHUNK_BYTES = 2**16
_LEAVE_S = 0.5
"""How long an ended command may take to leave; less than an overdue row has for its cleaning up."""


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
            out, told = await _talk(process, f"{dump_json(question(row))}\n".encode())
        finally:
            await _end(process)
        if len(out) > MOST_BYTES:
            raise AgentError("bad_reply", "the command wrote more than 32 MB; it was ended")
        if process.returncode:
            tail = told.decode(errors="replace").strip()[-_TOLD_CHARS:]
            raise AgentError("exit_code", f"the command ended with {process.returncode}: {tail}")
        return _reply(_text(out).strip(), row)

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


def _text(out: bytes) -> str:
    try:
        return out.decode()
    except UnicodeDecodeError:
        raise AgentError("bad_reply", "the command wrote bytes that are no text; write UTF-8") from None


async def _talk(process: Process, line: bytes) -> tuple[bytes, bytes]:
    """Gives the command its line and reads what it writes, until it has ended or written too much."""
    assert process.stdin and process.stdout and process.stderr
    async with asyncio.TaskGroup() as group:
        group.create_task(_give(process.stdin, line))
        out = group.create_task(_read(process, process.stdout))
        told = group.create_task(_tail(process.stderr))
        await process.wait()
        _kill(process)  # what it started and left behind holds its output open
    return out.result(), told.result()


async def _give(stdin: asyncio.StreamWriter, line: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a command need not read its question
        stdin.write(line)
        await stdin.drain()
    stdin.close()


async def _read(process: Process, stdout: asyncio.StreamReader) -> bytes:
    """Reads the reply; a command that writes more than a reply may hold is ended."""
    out = bytearray()
    while chunk := await stdout.read(_CHUNK_BYTES):
        out += chunk
        if len(out) > MOST_BYTES:
            _kill(process)
            break
    while await stdout.read(_CHUNK_BYTES):  # what was on its way
        pass
    return bytes(out)


async def _tail(stderr: asyncio.StreamReader) -> bytes:
    """Reads all that a command complains of and keeps the end."""
    tail = b""
    while chunk := await stderr.read(_CHUNK_BYTES):
        tail = (tail + chunk)[-_TOLD_CHARS * 4 :]
    return tail


async def _end(process: Process) -> None:
    """Ends the command and what it started, and closes its pipes, before the event loop can end over them."""
    _kill(process)
    process._transport.close()  # pyright: ignore  # asyncio has no other way to close pipes that a child still holds
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _LEAVE_S)


def _kill(process: Process) -> None:
    """Ends the command's whole group; a row leaves nothing behind, whether it was overdue or not."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
