"""Calls the host's hooks: after the commit, never in the way, and open where they fail."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from afterturn import failopen
from afterturn.store import Conclusion, TimelineEvent

OnConclusion = Callable[[Conclusion], Awaitable[None] | None]
OnEvent = Callable[[str, str, TimelineEvent], Awaitable[None] | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hooks:
    """Are what the host wants to hear. Coroutine functions run in the loop, plain functions in a thread.

    Attributes:
        on_conclusion: Hears that a sub-agent's part is over and its tool was not called. It is told again where it
            fails or the process dies under it, so apply a conclusion by its (tenant, session) once.
        on_event: Hears tenant, session and each event of the timeline, under the host's names; told once at most.
        timeout_s: How long one call may take.
    """

    on_conclusion: OnConclusion | None = None
    on_event: OnEvent | None = None
    timeout_s: float = 30.0


async def heard(place: str, timeout_s: float, hook: Callable[..., Awaitable[None] | None], *arguments: object) -> bool:
    """Calls a hook and says whether it went well."""

    async def called() -> bool:
        async with asyncio.timeout(timeout_s):
            if inspect.iscoroutinefunction(hook):
                await hook(*arguments)
                return True
            result = await asyncio.to_thread(hook, *arguments)
            if inspect.isawaitable(result):
                await result
            return True

    return await failopen.acall(place, called, lambda _: False)
