"""Asks a command: the row's id and conversation as one JSON line on its standard input, the reply on its output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import signal

from afterturn.errors import AgentError, UsageError
from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._replies import reply_from
from afterturn.evals.targets.http import question
from afterturn.formats import FormatProblem, dump_json, parse_json
from afterturn.turns import JsonObject

PREFIX = "command:"
_OBJECT = re.compile(r'(?:\[\s*)*\{\s*"')
"""How JSON with a reply begins; "[Order 4711] …" and "{name} …" are prose."""

MOST_BYTES = 32 * 2**20
_TOLD_CHARS = 300
_STDERR = 2
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
        talk = await self._started()
        try:
            await talk.ask(f"{dump_json(question(row))}\n".encode())
        finally:
            await talk.end()
        if talk.too_long:
            raise AgentError("bad_reply", "the command wrote more than 32 MB; it was ended")
        if talk.exit_code:
            told = talk.told.decode(errors="replace").strip()[-_TOLD_CHARS:]
            raise AgentError("exit_code", f"the command ended with {talk.exit_code}: {told}")
        return _reply(_text(talk.out).strip(), row)

    async def _started(self) -> _Talk:
        loop = asyncio.get_running_loop()
        starting = asyncio.ensure_future(loop.subprocess_exec(_Talk, *self._words, start_new_session=True))
        try:
            # asyncio, cancelled in the middle, ends the command alone and waits for all that it started.
            _, talk = await asyncio.shield(starting)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):
                _, talk = await starting
                await talk.end()
            raise
        except OSError as error:
            raise AgentError("not_started", f"{self._words[0]}: {error.strerror}; check the command") from None
        return talk

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
        if _OBJECT.match(text):  # half an answer, or one that is nested without end, is no prose
            raise AgentError(
                "bad_reply", "the command wrote broken JSON; write one JSON value, or plain text"
            ) from None
        value = text
    return reply_from(value, row)


def _text(out: bytes | bytearray) -> str:
    try:
        return out.decode()
    except UnicodeDecodeError:
        raise AgentError("bad_reply", "the command wrote bytes that are no text; write UTF-8") from None


class _Talk(asyncio.SubprocessProtocol):
    """Is the exchange with a running command. What it writes is kept up to a bound, and its exit is seen at once.

    asyncio's own `Process.wait` may wait for the command's children too, since these hold its output open.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.out = bytearray()
        self.told = b""
        self.too_long = False
        self.exit_code: int | None = None
        self._exited: asyncio.Future[None] = loop.create_future()
        self._closed: asyncio.Future[None] = loop.create_future()
        self._transport: asyncio.SubprocessTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self.told = (self.told + data)[-_TOLD_CHARS * 4 :]
        elif not self.too_long:
            self.out += data
            self.too_long = len(self.out) > MOST_BYTES
            if self.too_long:
                self._kill()

    def process_exited(self) -> None:
        self.exit_code = self._transport.get_returncode()
        _settle(self._exited)

    def connection_lost(self, exc: Exception | None) -> None:
        _settle(self._closed)

    async def ask(self, line: bytes) -> None:
        """Gives the command its line and waits until it has ended and all that it wrote is there."""
        stdin = self._transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        stdin.write(line)  # a command need not read its question; where it does not, asyncio says nothing
        stdin.write_eof()
        await self._exited
        self._kill()  # what it started and left behind holds its output open
        await self._closed

    async def end(self) -> None:
        """Ends the command and what it started, and closes its pipes, before the event loop can end over them."""
        self._kill()
        self._transport.close()
        await asyncio.wait([self._closed], timeout=_LEAVE_S)

    def _kill(self) -> None:
        """Ends the command's whole group; a row leaves nothing behind, whether it was overdue or not."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
