"""Filters what the user sees while the agent answers: reasoning, leaked tool calls and citation markers."""

from __future__ import annotations

from afterturn.stream._adapters import CleanStream
from afterturn.stream._chain import StreamFilter
from afterturn.stream._clean import Cleaned, clean
from afterturn.stream._messages import StreamedCall, StreamedMessage
from afterturn.turns import Mark

__all__ = ["CleanStream", "Cleaned", "Mark", "StreamFilter", "StreamedCall", "StreamedMessage", "clean"]
