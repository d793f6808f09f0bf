"""Keeps the text of judge calls out of the logs of HTTP clients and provider libraries.

At DEBUG they log whole requests. While a judge call runs, in its context only, their records are dropped; a host that
uses the same libraries for its own calls keeps its logs.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_LIBRARIES = (
    "openai",
    "anthropic",
    "google_genai",
    "google.genai",
    "groq",
    "mistralai",
    "cohere",
    "huggingface_hub",
    "botocore",
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "h11",
    "hpack",
    "urllib3",
    "pydantic_ai",
)
_asking: ContextVar[bool] = ContextVar("afterturn_judge_asking", default=False)


def _keep(_: logging.LogRecord) -> bool:
    return not _asking.get()


@contextmanager
def quiet() -> Generator[None]:
    """Drops the libraries' log records of this context while the block runs."""
    # Filters of a logger do not see its children's records, so each logger that exists gets its own.
    for name in list(logging.root.manager.loggerDict):
        if name.split(".", 1)[0] in _LIBRARIES or name.startswith("google.genai"):
            logger = logging.getLogger(name)
            if _keep not in logger.filters:
                logger.addFilter(_keep)
    token = _asking.set(True)
    try:
        yield
    finally:
        _asking.reset(token)
