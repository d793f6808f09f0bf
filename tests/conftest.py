"""Fixtures that every room uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from afterturn import Agent, Message, Turn
from afterturn.turns import Passage

MakeTurn = Callable[..., Turn]


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
