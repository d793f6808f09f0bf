"""Turns in and out: JSONL, OpenAI chat, Anthropic blocks, OpenTelemetry GenAI parts, Parquet."""

from __future__ import annotations

from afterturn.formats._check import check_turn
from afterturn.formats._files import read_any, write_any
from afterturn.formats._lines import BadLine, Record
from afterturn.formats._messages import messages_from_json
from afterturn.formats._output import writing
from afterturn.formats._parquet import read_parquet_turns, write_parquet_turns
from afterturn.formats._passages import highest_alias
from afterturn.formats._values import clean_text
from afterturn.formats.jsonl import read_records, read_turns, turn_from_json, turn_to_json, write_turns
from afterturn.formats.openai import message_to_json

__all__ = [
    "BadLine",
    "Record",
    "check_turn",
    "clean_text",
    "highest_alias",
    "message_to_json",
    "messages_from_json",
    "read_any",
    "read_parquet_turns",
    "read_records",
    "read_turns",
    "turn_from_json",
    "turn_to_json",
    "write_any",
    "write_parquet_turns",
    "write_turns",
    "writing",
]
