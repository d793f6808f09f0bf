"""Finds the logger to write to: the host's structlog where it configured one, else the standard library's."""

from __future__ import annotations

import logging
from typing import Any


def logger(name: str) -> Any:
    """Gives a logger of a name: structlog's where the host configured it, else JSON lines to `logging`.

    structlog's own default would print to the host's standard output.
    """
    import structlog  # here, since importing afterturn must stay light

    if structlog.is_configured():
        return structlog.stdlib.get_logger(name)
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
