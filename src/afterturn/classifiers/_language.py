"""Says in a question which language the answer shall have: small models keep to it only when it is named."""

from __future__ import annotations

from afterturn.language import language_name
from afterturn.turns import Turn, joined_text


def in_language(turn: Turn) -> str:
    """Gives `in German`, by what the customer writes, or a description of the language where that is unclear."""
    name = language_name(joined_text(message for message in turn.messages if message.role == "user"))
    return f"in {name}" if name else "in the language of the customer"
