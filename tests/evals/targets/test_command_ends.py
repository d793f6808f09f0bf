"""A command under test that misbehaves ends as an error of the agent, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import shlex
from pathlib import Path

import pytest

from afterturn.errors import AgentError
from afterturn.evals import Reply, Row
from afterturn.evals.targets import open_target
from afterturn.turns import Message

ROW = Row(id="a", input=(Message(role="user", text="Hello!"),))


async def _ask(script: str) -> Reply:
    target = open_target(f"command:sh -c {shlex.quote(script)}")
    try:
        return await target.ask(ROW)
    finally:
        await target.aclose()


def _is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def _gone(pid: int) -> None:
    while _is_there(pid):  # noqa: ASYNC110 - the kernel sets no event
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("script", "code", "told"),
    [
        ("yes", "bad_reply", "the command wrote more than 32 MB; it was ended"),
        ("printf '\\377\\376\\000'", "bad_reply", "the command wrote bytes that are no text; write UTF-8"),
        ("exec 0<&- ; exit 3", "exit_code", "the command ended with 3: "),
        ("exec 0<&- 1>&- 2>&-", "no_reply", "the command wrote nothing"),
        ("kill -9 $$", "exit_code", "the command ended with -9: "),
    ],
)
async def test_a_command_that_misbehaves_is_an_error_of_the_agent(script: str, code: str, told: str) -> None:
    with pytest.raises(AgentError) as caught:
        await _ask(script)
    assert (caught.value.code, str(caught.value)) == (code, told)


async def test_endless_complaints_do_not_hide_the_reply_nor_fill_the_memory() -> None:
    with pytest.raises(AgentError) as caught:
        await _ask("head -c 50000000 /dev/zero >&2; echo broken >&2; exit 1")
    assert str(caught.value).endswith("broken")
    assert len(str(caught.value)) < 400


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
async def test_what_a_command_leaves_running_is_ended_and_its_reply_counts(tmp_path: Path) -> None:
    reply = await _ask(f"sleep 600 & echo $! > {tmp_path}/pid; echo hi")
    assert reply.text == "hi"
    await _gone(int((tmp_path / "pid").read_text()))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
async def test_a_command_that_ignores_being_ended_is_ended_with_its_children(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready")
    script = f"trap '' TERM; sleep 600 & echo $! $$ > {tmp_path}/ready; wait"
    asked = asyncio.create_task(_ask(script))
    pids = await asyncio.to_thread((tmp_path / "ready").read_text)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    for pid in pids.split():
        await _gone(int(pid))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
async def test_a_command_that_is_cancelled_while_it_is_started_is_ended_with_its_children(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready")
    asked = asyncio.create_task(_ask(f"sleep 600 & echo $! $$ > {tmp_path}/ready; wait"))
    for _ in ("the row asks", "the command is started"):
        await asyncio.sleep(0)  # then the process is there, and its pipes are not connected yet
    pids = (tmp_path / "ready").read_text()  # the loop does not go on meanwhile
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    for pid in pids.split():
        await _gone(int(pid))
