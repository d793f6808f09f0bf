"""Draws one turn for a terminal: what the customer saw, and what Afterturn knows about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from afterturn.demo import Replayed
    from afterturn.guard import GuardResult
    from afterturn.turns import Reply
    from afterturn.verdicts import Verdict

_STYLES = {"finding": "bold green", "no_finding": "default", "skipped": "dim", "error": "bold red"}
_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def render(turn: Replayed) -> Padding:
    """Draws a replayed turn as a table of two columns: what, and its value."""
    table = Table(
        title=f"{turn.found.agent} · {turn.found.session}",
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1),
    )
    table.add_column(style="cyan", justify="right", no_wrap=True, min_width=11)
    table.add_column(overflow="fold")
    for name, value in _rows(turn):
        table.add_row(name, Text(value) if isinstance(value, str) else value)  # a string would be read as markup
    return Padding(table, (0, 0, 1, 0))


def with_footnotes(reply: Reply) -> str:
    """Puts a raised number where each citation stood in the clean reply.

    Example:
        >>> from afterturn.turns import Mark, Reply
        >>> with_footnotes(Reply(text="27 days.", raw="27 days [c4].", cited=("c4",), marks=(Mark("c4", 7, 7),)))
        '27 days¹.'
    """
    text = reply.text
    for mark in reversed([mark for mark in reply.marks if mark.alias in reply.cited]):
        number = str(reply.cited.index(mark.alias) + 1).translate(_DIGITS)
        text = text[: mark.offset_cp] + number + text[mark.offset_cp :]
    return text


def _rows(turn: Replayed) -> Iterator[tuple[str, Text | str]]:
    found, state = turn.found, turn.state
    yield "customer", turn.message
    yield "guard", _guard(turn.guard)
    yield "agent", Text(with_footnotes(turn.reply), style="bold")
    titles = {passage.alias: passage.title or passage.alias for passage in turn.passages}
    for number, source in enumerate(found.sources, start=1):
        how = "cited in the reply" if source.how == "cited" else "attributed afterwards"
        yield "source", f"{str(number).translate(_DIGITS)} {titles.get(source.alias, '')} ({source.alias}, {how})"
    removed = [f"[{mark.alias}] at {mark.offset_cp}" for mark in turn.reply.marks]
    removed += [f"a call of {name} that leaked into the text" for name in turn.reply.leaks]
    if removed:
        yield "removed", ", ".join(removed)
    failed = [
        verdict for verdict in found.verdicts if verdict.classifier == "conversation" and verdict.status == "error"
    ]
    none = f"unknown: the judge failed ({failed[0].reason})" if failed else "none: nothing but small talk so far"
    yield "title", state.title or Text(none, style="bold red" if failed else "dim")
    yield "categories", ", ".join(state.categories) or Text("unknown" if failed else "none", style="dim")
    if state.concluded:
        yield (
            "concluded",
            f"by {'its own tool' if state.concluded == 'tool' else 'reading the reply: its tool was not called'}",
        )
    if state.handoff_summary:
        yield "handoff", state.handoff_summary
    yield "verdicts", _verdicts(found.verdicts)
    cost = turn.cost
    yield (
        "cost",
        f"guard {cost.guard_ms:.2f} ms · filter {cost.filter_ms:.2f} ms for {len(turn.deltas)} deltas · "
        f"store {cost.store_ms:.1f} ms · judge {cost.judge_ms:.0f} ms, after the reply",
    )


def _verdicts(verdicts: tuple[Verdict, ...]) -> Text:
    text = Text()
    for verdict in verdicts:
        text.append(" · " if text else "")
        text.append(f"{verdict.classifier} {verdict.status}", style=_STYLES[verdict.status])
        detail = verdict.reason or (f"{verdict.confidence}" if verdict.confidence is not None else "")
        text.append(f" ({detail})" if detail else "", style="dim")
    return text


def _guard(result: GuardResult) -> str:
    if not result.flagged:
        return "nothing found"
    return f"{'blocked' if result.blocked else 'flagged'}: {result.category} ({', '.join(result.rules)})"
