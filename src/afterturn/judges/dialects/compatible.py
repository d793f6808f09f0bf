"""OpenAI-compatible servers: llama.cpp, vLLM and what else answers at `OPENAI_BASE_URL`.

One llama.cpp build answers 500 to `json_schema` and wants `json_object` with a `schema` beside it; grammars of
long strings break or crawl; `uniqueItems` is not enforced by any.
"""

from __future__ import annotations

from afterturn.judges.dialects._base import Dialect, Rung, mapped, plain, unbounded, without
from afterturn.turns import JsonObject

LONGEST_STRING = 2_000
"""`maxLength` from which llama.cpp's grammar breaks."""


def grammar(schema: JsonObject) -> JsonObject:
    """Drops what grammars do not enforce or cannot hold."""
    return mapped(without(schema, {"uniqueItems"}), _short)


def _short(part: JsonObject) -> JsonObject:
    length = part.get("maxLength")
    if isinstance(length, int) and length >= LONGEST_STRING:
        return {key: value for key, value in part.items() if key != "maxLength"}
    return part


DIALECT = Dialect(
    name="compatible",
    rungs=(
        Rung(format="json_schema", shape=grammar),
        Rung(format="json_schema_reduced", shape=unbounded),
        Rung(format="json_object", via="json_object_with_schema", shape=grammar),
        Rung(format="json_object", via="json_object", shape=plain, schema_in_prompt=True),
    ),
    shapes_itself=True,
    logprobs=True,
    max_completion_tokens=False,
    no_thinking={"chat_template_kwargs": {"enable_thinking": False}},
    broken_schema_mode=2,
)
