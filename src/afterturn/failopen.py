"""Is the one way to fail open: run it, and where it breaks, log one line, count it, go on.

Every room that must not stand in the conversation's way uses it. Nothing is cached: the next call tries again. The log
line has the place, the error's class and its code, never its message, since messages hold what was being judged.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from afterturn._logging import logger

T = TypeVar("T")

counts: Counter[str] = Counter()
"""How often each place failed open since the process started."""

_NEVER = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)


def swallows(error: BaseException) -> bool:
    """Says whether failing open may hide this error: all but cancellation and the end of the process.

    An error of a dependency that derives from BaseException alone (a Rust panic, say) is hidden too.
    """
    return not isinstance(error, _NEVER)


def report(place: str, error: BaseException, **ids: str) -> None:
    """Logs and counts one failure at a place, without any text of the error.

    Args:
        place: Where it failed, e.g. `stream.citations`.
        error: What was raised; its class and its `code`, if it has one, are logged.
        **ids: Ids (tenant, agent, turn, …) that help to find it.
    """
    counts[place] += 1
    code = getattr(error, "code", None)
    _log("error", "afterturn.failed_open", place=place, error=type(error).__name__, code=code, **ids)


def warn(event: str, **facts: str) -> None:
    """Logs what the host should know and nothing failed over; ids and advice, never text of a conversation."""
    _log("warning", event, **facts)


def _log(level: Literal["error", "warning"], event: str, **facts: str | None) -> None:
    with contextlib.suppress(Exception):  # a log that breaks (a full disk) must not break who fails open
        log = logger("afterturn.failopen")
        (log.error if level == "error" else log.warning)(event, **facts)


def call(place: str, function: Callable[[], T], fallback: Callable[[BaseException], T], **ids: str) -> T:
    """Calls a function; where it breaks, reports it and gives the fallback's value.

    Args:
        place: Where this is, for the log and the counter.
        function: What to run.
        fallback: Gets the error and makes the value to go on with.
        **ids: Ids for the log line.
    """
    try:
        return function()
    except BaseException as error:  # a dependency's error may derive from BaseException; swallows() decides
        if not swallows(error):
            raise
        report(place, error, **ids)
        return fallback(error)


async def acall(
    place: str, function: Callable[[], Awaitable[T]], fallback: Callable[[BaseException], T], **ids: str
) -> T:
    """Does what `call` does for a coroutine function."""
    try:
        return await function()
    except BaseException as error:  # as in call()
        if not swallows(error):
            raise
        report(place, error, **ids)
        return fallback(error)
