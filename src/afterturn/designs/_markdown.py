"""Writes a comparison as Markdown: one table, and what has to be said with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from afterturn.designs._figures import DesignFigures, Rate, figures
from afterturn.designs._records import Comparison, DesignName

HEADS: dict[DesignName, str] = {
    "optional": "in the loop, optional-sounding name",
    "obligation": "in the loop, obligation name",
    "protocol": "the same, protocol at the end of the prompt",
    "forced": "in the loop, the call forced",
    "answer_first": "answer first",
}

WAYS = {
    "named": "by tool call: the server enforces a call of a named tool",
    "required": "by tool call: the server enforces `required`, with the one tool on offer",
    "schema": "by JSON schema, since this server does not enforce tool calls",
    None: "none was needed",
}


def rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Gives the table: a head, then a row a figure with a cell a design."""
    found = figures(comparison)
    head = ("", *(HEADS[name] for name in found))
    return [head, *((label, *cells) for label, *cells in zip(_LABELS, *map(_cells, found.values()), strict=True))]


def write_markdown(comparison: Comparison, out: TextIO) -> None:
    """Writes the table and what has to be said with it."""
    settings = comparison.settings
    out.write(f"## Designs compared: {comparison.model.replace('|', ' ')}\n\n")
    head, *body = rows(comparison)
    for row in (head, ("---",) * len(head), *body):
        out.write(f"| {' | '.join(row)} |\n")
    told = [
        f"Forced catch-up: {WAYS[comparison.catch_up]}.",
        *(f"The design `{name}` is left out: this server does not enforce tool calls." for name in comparison.left_out),
        f"Prompt: {settings['prompt_characters']} characters ({settings['prompt']}).",
        f"Conversations: {', '.join(settings['conversations'])}; repeats: {settings['repeats']}; temperature:",
        f"{settings['temperature']:g}. Answer-first is classified by {settings['judge']}.",
        "In brackets: exact 95 % intervals, which take turns for independent; at temperature 0 repeats may be alike.",
        "Turns that the server did not answer are in no figure.",
    ]
    out.write("\n" + " ".join(told) + "\n")


_LABELS = (
    "turns measured",
    "called by itself",
    "forced catch-up",
    "report in the end",
    "leaked calls, turns with",
    "lost answers",
    "two questions in one turn",
    "skipped form fields",
    "model calls a turn",
    "tokens in a turn",
    "of them known to be cached",
    "tokens out a turn",
    "seconds to the answer, median",
    "seconds in all, median",
)


def _cells(found: DesignFigures) -> Iterator[str]:
    yield f"{found.measured} of {found.planned}"
    for rate in (
        found.voluntary,
        found.caught_up,
        found.reported,
        found.leaked,
        found.lost,
        found.two_questions,
        found.skipped_fields,
    ):
        yield _rate(rate)
    yield _number(found.calls, ".1f")
    for tokens in (found.input_tokens, found.cached_tokens, found.output_tokens):
        yield _number(tokens, ",.0f")
    for seconds in (found.answer_seconds, found.seconds):
        yield _number(seconds, ".1f")


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return "–"
    _, low, high = rate.interval
    bounds = "" if low is None or high is None else f" ({low:.0%} – {high:.0%})"
    return f"{rate.hits} of {rate.of}{bounds}"


def _number(value: float | None, form: str) -> str:
    return "unknown" if value is None else format(value, form)
