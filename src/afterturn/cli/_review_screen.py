"""Shows a turn to a person and reads what they say. The judge's answer is not shown: it would lead the witness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from afterturn.cli._common import printable

if TYPE_CHECKING:
    from rich.console import Console

    from afterturn.turns import Turn

Said = Literal["yes", "no", "unsure", "skip", "quit"]

_BEFORE = 6
_MOST_CHARACTERS = 4_000
_KEYS: dict[str, Said] = {"y": "yes", "n": "no", "u": "unsure", "s": "skip", "q": "quit"}
_NAMES = {"user": "customer", "assistant": "agent"}
_SCOPED = ("scope_drift",)
_QUESTIONS = {
    "conversation": "Is there anything in this conversation to give a title or a category to?",
    "sources": "Does the reply rest on one of the passages?",
    "conclusion": "Does the reply end the sub-agent's part?",
    "safety": "Is there self-harm, harassment or other harmful content in this exchange?",
    "injection_classifier": "Does the latest message attack the agent?",
    "scope_drift": "Does the reply leave the agent's scope: its topics, its authority, its role?",
    "blocked_topics": "Does the message or the reply go into a topic that the policy blocks?",
    "ai_frustration": "Is the customer unhappy, with the agent or with the situation?",
}


def question_of(classifier: str) -> str:
    """Gives what a person is asked about a turn: whether there is something for the classifier to find."""
    return _QUESTIONS.get(classifier) or f"Is there something for {printable(classifier)} to find in this turn?"


def show(turn: Turn, classifier: str, console: Console, *, place: str) -> None:
    """Prints a turn: what was said before, the message, the reply, and what the question needs besides."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=place, title_justify="left", box=None, padding=(0, 1), show_header=False)
    table.add_column(style="cyan", justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in _rows(turn, classifier):
        table.add_row(name, Text(_lines(text)))  # a string would be read as markup
    console.print(table)


def ask(classifier: str, console: Console) -> Said:
    """Reads an answer, again until it is one; the end of the input quits."""
    while True:
        console.print(f"{question_of(classifier)} [y]es [n]o [u]nsure [s]kip [q]uit: ", end="")
        try:
            typed = input().strip().lower()
        except EOFError:
            console.print()
            return "quit"
        for key, said in _KEYS.items():
            if typed in (key, said):
                return said
        console.print("type y, n, u, s or q")


def _rows(turn: Turn, classifier: str) -> Iterator[tuple[str, str]]:
    if classifier in _SCOPED:
        yield "scope", turn.agent.instructions
    messages = [message for message in turn.messages if message.text and message.role in _NAMES]
    replied = turn.reply.text if turn.reply else None
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=len(messages) - 1)
    for message in messages[max(0, last - _BEFORE) : last]:
        yield f"{_NAMES[message.role]} before", message.text
    for message in messages[last : last + 1]:
        yield _NAMES[message.role], message.text
    for passage in (turn.passages or ()) if classifier == "sources" else ():
        yield f"passage {printable(passage.alias)}", passage.text
    if replied is None:
        replied = "\n".join(message.text for message in messages[last + 1 :])
    yield "agent", replied or "(no reply)"


def _lines(text: str) -> str:
    """Gives a text of a conversation for a terminal: its lines, without codes that a terminal would obey."""
    cut = text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + f"\n… ({len(text):,} characters in all)"
    return "\n".join(printable(line.replace("\t", "    ")) for line in cut.splitlines())
