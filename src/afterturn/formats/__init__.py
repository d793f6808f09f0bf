"""Turns in and out: JSONL, OpenAI chat, Anthropic blocks, OpenTelemetry GenAI parts, Parquet."""

from __future__ import annotations

from afterturn.formats._agent import read_tools, tool_to_json
from afterturn.formats._check import check_turn
from afterturn.formats._fields import read_id
from afterturn.formats._files import read_any, read_any_numbered, write_any
from afterturn.formats._lines import BadLine, Record
from afterturn.formats._messages import messages_from_json
from afterturn.formats._output import Lines, line_by_line, writing
from afterturn.formats._parquet import read_parquet_turns, write_parquet_turns
from afterturn.formats._passages import highest_alias, passage_to_json, read_passages
from afterturn.formats._problem import FormatProblem, wrong_type
from afterturn.formats._source import Source, reading, source_name
from afterturn.formats._values import (
    canonical_json,
    clean_text,
    dump_json,
    is_list,
    is_object,
    parse_arguments,
    parse_json,
    to_plain,
)
from afterturn.formats.jsonl import read_records, read_turns, turn_from_json, turn_to_json, write_turns
from afterturn.formats.openai import call_to_json, message_to_json, read_call

__all__ = [
    "BadLine",
    "FormatProblem",
    "Lines",
    "Record",
    "Source",
    "call_to_json",
    "canonical_json",
    "check_turn",
    "clean_text",
    "dump_json",
    "highest_alias",
    "is_list",
    "is_object",
    "line_by_line",
    "message_to_json",
    "messages_from_json",
    "parse_arguments",
    "parse_json",
    "passage_to_json",
    "read_any",
    "read_any_numbered",
    "read_call",
    "read_id",
    "read_parquet_turns",
    "read_passages",
    "read_records",
    "read_tools",
    "read_turns",
    "reading",
    "source_name",
    "to_plain",
    "tool_to_json",
    "turn_from_json",
    "turn_to_json",
    "write_any",
    "write_parquet_turns",
    "write_turns",
    "writing",
    "wrong_type",
]
