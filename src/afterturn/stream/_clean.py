"""Cleans a whole reply in one call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from afterturn.stream._chain import StreamFilter
from afterturn.stream._leaks import OnLeakedCall
from afterturn.turns import Mark


@dataclass(frozen=True, kw_only=True, slots=True)
class Cleaned:
    """Is a reply after the stream filter.

    Attributes:
        text: What the user sees and what is stored.
        raw: The reply as the model wrote it.
        cited: Handed-out aliases that were cited, in order of first citation.
        unknown: Aliases that were cited without having been handed out, likewise.
        marks: Every cited item with its place in `text`.
        leaks: The tools whose calls leaked into the text, in order.
        reasoning: The reasoning that stood in the text.
    """

    text: str
    raw: str
    cited: tuple[str, ...]
    unknown: tuple[str, ...]
    marks: tuple[Mark, ...]
    leaks: tuple[str, ...]
    reasoning: str


def clean(
    text: str,
    *,
    aliases: Iterable[str] | None = None,
    tools: Iterable[str] = (),
    on_leaked_call: OnLeakedCall | None = None,
) -> Cleaned:
    """Cleans a whole reply, exactly as the filter would while it streams.

    Args:
        text: The raw reply.
        aliases: The aliases handed out, or None to leave citations alone.
        tools: The names of the agent's tools.
        on_leaked_call: Is handed the name and the raw arguments of each leaked call.

    Example:
        >>> clean("Leave is 27 days [c1].", aliases=["c1"]).text
        'Leave is 27 days.'
    """
    chain = StreamFilter(aliases, tools, on_leaked_call)
    clean_text = chain.feed(text) + chain.close()
    return Cleaned(
        text=clean_text,
        raw=chain.raw,
        cited=tuple(chain.cited),
        unknown=tuple(chain.unknown),
        marks=tuple(chain.marks),
        leaks=tuple(chain.leaks),
        reasoning=chain.reasoning,
    )
