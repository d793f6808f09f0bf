"""Ollama: some builds and its cloud ignore a schema with HTTP 200, so the prompt says it as well."""

from __future__ import annotations

from afterturn.judges.dialects._base import Dialect, Rung, plain, unbounded
from afterturn.judges.dialects.compatible import grammar

DIALECT = Dialect(
    name="ollama",
    rungs=(
        Rung(format="json_schema", shape=grammar, schema_in_prompt=True),
        Rung(format="json_schema_reduced", shape=unbounded, schema_in_prompt=True),
        Rung(format="json_object", via="json_object", shape=plain, schema_in_prompt=True),
    ),
    shapes_itself=True,
    logprobs=True,
    max_completion_tokens=False,
)
