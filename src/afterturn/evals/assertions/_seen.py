"""Gives the reply as the customer sees it: the stream filter over the raw one."""

from __future__ import annotations

from afterturn.evals._records import Reply, Row
from afterturn.stream import Cleaned, clean
from afterturn.turns import Passage


def passages_of(row: Row, reply: Reply) -> tuple[Passage, ...] | None:
    """Gives the passages that the reply may cite: the agent's own, else the row's; None where nobody said."""
    return row.context if reply.passages is None else reply.passages


def seen(row: Row, reply: Reply) -> Cleaned:
    """Filters the reply, with the aliases of its passages and the tools on offer."""
    passages = passages_of(row, reply)
    aliases = None if passages is None else [passage.alias for passage in passages]
    return clean(reply.text, aliases=aliases, tools=tools_on_offer(row, reply))


def tools_on_offer(row: Row, reply: Reply) -> tuple[str, ...]:
    """Gives the names of the tools that the agent could call."""
    return tuple(dict.fromkeys((*reply.agent.tool_names, *(tool.name for tool in row.tools))))
