"""Says when a conversation is over for a reason that lies in what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from afterturn.evals._records import Reply, Row
from afterturn.evals.assertions import open_assertion
from afterturn.evals.simulate._customer import Exchange
from afterturn.language import phrases, tokens

Stop = Literal[
    "goal_reached",
    "gave_up",
    "handoff",
    "goodbye",
    "loop",
    "patience_over",
    "max_turns",
    "script_over",
    "customer_failed",
]
STOPS: tuple[Stop, ...] = get_args(Stop)

SAME = 3
"""How often one side says the same in a row until it is a loop."""

_GOODBYE_WORDS = 12  # a goodbye stands at the end of a message


def agent_stop(row: Row, reply: Reply, exchanges: Sequence[Exchange]) -> Stop | None:
    """Says whether a conversation cannot go on after a reply: the agent handed over, or both turn in a circle."""
    result = open_assertion("handoff").check(row, reply)
    if result is not None and result.passed:
        return "handoff"
    return "loop" if is_loop(exchanges) else None


def is_loop(exchanges: Sequence[Exchange]) -> bool:
    """Whether one side has said the same three times in a row, or both have said the same to each other before.

    Example:
        >>> is_loop([Exchange(customer="Why?", agent="Because."), Exchange(customer="why", agent="Because!")])
        True
    """
    said = [(_folded(exchange.customer), _folded(exchange.agent)) for exchange in exchanges]
    if not said:
        return False
    if said[-1] in said[:-1]:
        return True
    latest = said[-SAME:]
    return len(latest) == SAME and any(len({pair[side] for pair in latest}) == 1 for side in (0, 1))


def is_goodbye(exchange: Exchange) -> bool:
    """Whether both sides end with a goodbye.

    Example:
        >>> is_goodbye(Exchange(customer="Merci, au revoir !", agent="Au revoir, bonne journée."))
        True
    """
    return _says_goodbye(exchange.customer) and _says_goodbye(exchange.agent)


def _says_goodbye(text: str) -> bool:
    words = [token.folded for token in tokens(text)][-_GOODBYE_WORDS:]
    known = phrases("smalltalk.txt")["goodbye"]
    longest = max(map(len, known))
    return any(
        tuple(words[start : start + length]) in known
        for start in range(len(words))
        for length in range(1, min(longest, len(words) - start) + 1)
    )


def _folded(text: str) -> tuple[str, ...]:
    return tuple(token.folded for token in tokens(text)) or (text.strip(),)
