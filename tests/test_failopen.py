from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from afterturn import failopen
from afterturn.errors import TruncatedError


def _raise(error: BaseException) -> int:
    raise error


def test_a_failure_is_logged_with_class_and_code_and_never_with_its_message() -> None:
    with capture_logs() as lines:
        value = failopen.call("test.place", lambda: _raise(TruncatedError("the secret")), lambda _: 7, turn="t-1")
    assert value == 7
    assert lines == [
        {
            "event": "afterturn.failed_open",
            "place": "test.place",
            "error": "TruncatedError",
            "code": "truncated",
            "turn": "t-1",
            "log_level": "error",
        }
    ]


def test_nothing_is_cached_and_every_failure_counts() -> None:
    before = failopen.counts["test.count"]
    with capture_logs():
        assert failopen.call("test.count", lambda: _raise(ValueError()), lambda _: 0) == 0
        assert failopen.call("test.count", lambda: 5, lambda _: 0) == 5
        assert failopen.call("test.count", lambda: _raise(ValueError()), lambda _: 0) == 0
    assert failopen.counts["test.count"] == before + 2


async def test_cancellation_passes_through_a_coroutine() -> None:
    started = asyncio.Event()

    async def hangs() -> int:
        started.set()
        await asyncio.Event().wait()
        return 1

    task = asyncio.create_task(failopen.acall("test.cancel", hangs, lambda _: 0))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_broken_log_does_not_break_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def error(self, *args: object, **kwargs: object) -> None:
            raise OSError("disk full")

    def broken(name: str) -> Broken:
        return Broken()

    monkeypatch.setattr(failopen, "logger", broken)
    assert failopen.call("test.log", lambda: _raise(ValueError()), lambda _: 3) == 3


def test_without_structlog_configured_a_line_goes_to_the_standard_library_and_not_to_stdout(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    failopen.call("test.stdlib", lambda: _raise(ValueError("the secret")), lambda _: 0, turn="t-1")
    (record,) = [record for record in caplog.records if record.name == "afterturn.failopen"]
    assert '"place": "test.stdlib"' in record.getMessage()
    assert "secret" not in record.getMessage()
    assert capsys.readouterr().out == ""
