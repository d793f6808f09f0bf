"""Any other provider that the client library knows: its own schema changes apply, nothing special is asked."""

from __future__ import annotations

from afterturn.judges.dialects._base import Dialect, Rung, plain, unbounded

DIALECT = Dialect(
    name="other",
    rungs=(
        Rung(format="json_schema", shape=plain),
        Rung(format="json_schema_reduced", shape=unbounded),
        Rung(format="json_object", via="json_object", shape=plain, schema_in_prompt=True),
    ),
)
