"""Writes what the trained heads read: the same at run time as in training (training/encoder)."""

from __future__ import annotations

from collections.abc import Sequence

MAX_CHARACTERS = 700
"""Of a text that is read in one piece."""

_CUSTOMER_CHARACTERS = 250
_REPLY_CHARACTERS = 500


def said(spoken: Sequence[tuple[bool, str]]) -> str:
    r"""Writes messages one below the other, who spoke before each, the end of them where they are long.

    Args:
        spoken: Pairs (the customer said it, text), oldest first.

    Example:
        >>> said([(False, "How can I help?"), (True, "Where is my parcel?")])
        'agent: How can I help?\ncustomer: Where is my parcel?'
    """
    lines = [f"{'customer' if customer else 'agent'}: {text}" for customer, text in spoken]
    return "\n".join(lines)[-MAX_CHARACTERS:]


def exchange(customer: str, reply: str) -> str:
    """Writes the customer's last message and the end of the reply."""
    before = f"customer: {customer[:_CUSTOMER_CHARACTERS]}\n" if customer else ""
    return f"{before}agent: {reply[-_REPLY_CHARACTERS:]}"
