"""Lets each test of a judge meet providers that nobody knows yet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from afterturn.judges._ladder import forget


@pytest.fixture(autouse=True)
def _no_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test meets providers that nobody knows yet, and no key of the machine's."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    forget()
    yield
    forget()
