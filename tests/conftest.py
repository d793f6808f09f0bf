"""Fixtures that every room uses: a turn, and a real HTTP server on the loopback address that answers as it is told."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime

import pytest
from fake_server import FakeServer, Replies

from afterturn import Agent, Message, Turn
from afterturn.turns import Passage

MakeTurn = Callable[..., Turn]


@pytest.fixture(autouse=True)
def logs_as_found() -> Iterator[None]:
    """Leaves no log configuration behind: `capture_logs` and the command line set one, for all tests after them."""
    yield
    if (structlog := sys.modules.get("structlog")) is not None:
        structlog.reset_defaults()


@pytest.fixture
def make_turn() -> MakeTurn:
    """Makes a turn out of what was said in turn by customer and agent."""

    def make(
        *said: str,
        categories: Sequence[str] = (),
        parent: str | None = None,
        passages: tuple[Passage, ...] | None = None,
        **agent: object,
    ) -> Turn:
        roles = ("user", "assistant")
        messages = tuple(Message(role=roles[index % 2], text=text) for index, text in enumerate(said))  # pyright: ignore[reportArgumentType]
        return Turn(
            messages=messages,
            agent=Agent("support", categories=categories, parent=parent, **agent),  # pyright: ignore[reportArgumentType]
            tenant="acme",
            session="s-1",
            id="t-1",
            created_at=datetime(2026, 11, 30, 10, tzinfo=UTC),
            passages=passages,
        )

    return make


@pytest.fixture
def replies() -> Replies:
    return Replies()


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    fake = FakeServer()
    listening = await asyncio.start_server(fake.accept, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    fake.base_url = f"http://127.0.0.1:{port}/v1"
    yield fake
    await fake.hang_up()
    listening.close()
    await listening.wait_closed()
