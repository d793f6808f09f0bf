"""Reads finished turns as rows: what the customer wrote, with passages and tools; `--target` is then the same file."""

from __future__ import annotations

from collections.abc import Iterable

from afterturn.evals.importers._base import Importer
from afterturn.formats import message_to_json, passage_to_json, tool_to_json, turn_from_json
from afterturn.turns import JsonObject, JsonValue


def _detects(record: JsonObject) -> bool:
    return "messages" in record and "input" not in record


def _convert(record: JsonObject) -> Iterable[JsonObject]:
    turn = turn_from_json(record)
    asked = len(turn.messages) - len(turn.exchange) + 1
    wire: dict[str, JsonValue] = {
        "id": turn.id,
        "input": [message_to_json(message) for message in turn.messages[:asked]],
        "metadata": {"tenant": turn.tenant, "agent": turn.agent.id, "session": turn.session},
    }
    if turn.passages is not None:
        wire["context"] = [passage_to_json(passage) for passage in turn.passages]
    if turn.agent.tools:
        wire["tools"] = [tool_to_json(tool) for tool in turn.agent.tools]
    yield wire


IMPORTER = Importer(detects=_detects, convert=_convert)
