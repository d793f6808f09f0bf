"""Text that has expired leaves the files as well, or it is said that it could not."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from afterturn import failopen
from afterturn.store import Store, open_store
from afterturn.turns import Message, Turn
from afterturn.worker import Worker
from afterturn.worker._calls import StoreCalls
from afterturn.worker._expiry import Expiry

_CANARY = "zebraquartz"
_PLACE = "worker.empty_log"
_NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def store(path: Path, new_turn: Callable[..., Turn]) -> Iterator[Store]:
    """A store with a turn that is 30 days old; it stays open, so that its log is not removed by a close."""
    said = (Message(role="user", text=f"I am {_CANARY}"), Message(role="assistant", text="Hello."))
    with open_store(path, clock=lambda: _NOW) as opened:
        with open_store(path, clock=lambda: _NOW - timedelta(days=30)) as old:
            old.add_turn(new_turn(messages=said))
        yield opened


@pytest.fixture
def reader(store: Store, path: Path) -> Iterator[sqlite3.Connection]:
    """Holds on to the log, as another process does that reads for long."""
    del store  # it made the database
    opened = sqlite3.connect(path)
    opened.execute("BEGIN")
    opened.execute("SELECT count(*) FROM turns").fetchone()
    yield opened
    opened.close()


@pytest.fixture
def expiry(store: Store) -> Iterator[Expiry]:
    calls = StoreCalls()
    yield Expiry(store, calls, lambda _: 30)
    calls.close()


def _in_files(path: Path) -> bool:
    return _CANARY.encode() in b"".join(file.read_bytes() for file in path.parent.iterdir())


async def test_expired_text_stands_in_no_file_while_the_store_stays_open(expiry: Expiry, path: Path) -> None:
    assert _in_files(path)
    assert [(await expiry.portion()).turns, (await expiry.portion()).turns] == [1, 0]
    assert await expiry.emptied()
    assert not _in_files(path)


async def test_a_log_that_another_process_reads_is_counted_and_emptied_the_next_time(
    expiry: Expiry, reader: sqlite3.Connection, path: Path
) -> None:
    before = failopen.counts[_PLACE]
    await expiry.portion()
    assert [await expiry.emptied(), await expiry.emptied()] == [False, False]
    assert (failopen.counts[_PLACE], _in_files(path)) == (before + 2, True)
    reader.close()
    assert await expiry.emptied()
    assert (failopen.counts[_PLACE], _in_files(path)) == (before + 2, False)


async def test_what_a_process_removed_that_died_is_emptied_by_the_next_worker(
    expiry: Expiry, store: Store, path: Path
) -> None:
    assert store.forget_expired(lambda _: 30).turns == 1
    assert _in_files(path)
    assert ((await expiry.portion()).turns, await expiry.emptied()) == (0, True)
    assert not _in_files(path)


@pytest.mark.usefixtures("reader")
async def test_a_worker_logs_that_it_could_not_empty_the_log(
    store: Store, judging: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    told = asyncio.Event()

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.set()

    heard, log = Heard(), logging.getLogger("afterturn.failopen")
    log.addHandler(heard)
    try:
        async with Worker(store, judging(), retention_days=lambda _: 30):
            await told.wait()
    finally:
        log.removeHandler(heard)
    (line,) = [json.loads(record.getMessage()) for record in caplog.records]
    assert (line["event"], line["place"], line["code"]) == ("afterturn.failed_open", _PLACE, "busy")
