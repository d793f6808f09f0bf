"""What the commands share: logging to stderr, JSON lines to stdout, progress that is silent when piped."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from afterturn.cli._exit import flush_nowhere
from afterturn.errors import ConfigError

if TYPE_CHECKING:
    from afterturn.config import Config
    from afterturn.formats import BadLine
    from afterturn.turns import Turn


def configured(*, told: Collection[str] = (), **flags: object) -> Config:
    """Reads the configuration with the command's flags on top, and sets up logging to stderr.

    Args:
        told: Log events that the command tells the person by itself, in words; they are not logged as well.
        **flags: Settings of the command line.

    Raises:
        ConfigError: A setting is wrong, or no judge has the name that it gives.
    """
    from afterturn.config import load_config

    config = load_config(flags=flags)
    log_to_stderr(config.log_level, told)
    if config.judge is not None:
        _check_judge(config.judge)
    return config


def _check_judge(name: str) -> None:
    """Makes a name that no judge has an error of the command, not of every verdict."""
    from afterturn.judges import open_judge

    try:
        open_judge(name)
    except ConfigError as error:
        raise ConfigError(f"judge {name}: {error}") from None


def log_to_stderr(level: str, told: Collection[str] = ()) -> None:
    """Sends log lines of at least a level to stderr, as JSON where nobody is watching; without the events in `told`."""
    import structlog

    def untold(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if line.get("event") in told:
            raise structlog.DropEvent
        return line

    renderer = structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            untold,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )


def note(message: str) -> None:
    """Writes a line for the person at the terminal to stderr; that nobody reads it any more ends no work."""
    try:
        sys.stderr.write(f"afterturn: {message}\n")
    except BrokenPipeError:
        flush_nowhere(sys.stderr.fileno())


def printable(text: str) -> str:
    """Gives a text for a terminal: ids and names come from outside and may hold codes that a terminal obeys."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def json_line(value: Any) -> str:
    """Writes a value as one line of JSON; a lone surrogate becomes U+FFFD, so that the line is valid UTF-8."""
    from afterturn.formats import clean_text

    return clean_text(json.dumps(value, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """Is a turn and where it stands."""

    turn: Turn
    file: str
    line: int

    def tell_taken(self) -> None:
        """Says on stderr that the store has another turn under this turn's id."""
        note(
            f"{self.file}:{self.line}: turn {printable(self.turn.id)} is not stored: tenant "
            f"{printable(self.turn.tenant)} has another turn of this id, with other content; give it another id"
        )


def readable_turns(files: Iterable[Path], skipped: list[BadLine]) -> Iterator[PlacedTurn]:
    """Gives the turns of files, one after another; bad lines are told on stderr and added to `skipped`.

    Raises:
        UnreadableInputError: A file as a whole cannot be read.
    """
    from afterturn.formats import BadLine, read_any_numbered, source_name

    for file in files:
        for line, item in read_any_numbered(file):
            if isinstance(item, BadLine):
                skipped.append(item)
                note(str(item))
            else:
                yield PlacedTurn(item, source_name(file), line)


@contextmanager
def output(path: Path | None) -> Generator[TextIO]:
    """Opens where lines go: stdout, or a file that appears whole or not at all; a pipe or a device is written directly.

    Raises:
        OutputError: The file cannot be written; what to do is in the message.
    """
    if path is None or str(path) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    from afterturn.formats import writing

    with writing(path) as binary:
        text = io.TextIOWrapper(binary, encoding="utf-8", write_through=True)
        yield text
        text.detach()


@contextmanager
def progress(label: str, total: int | None = None) -> Generator[Callable[[], None]]:
    """Shows a progress bar on a terminal; gives the function that moves it on by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda: bar.advance(task)
