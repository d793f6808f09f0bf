"""Loads a command when it is asked for: `--help` and every other command start without its imports."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from afterturn.errors import OutputError

_COMPLETION = ("install_completion", "show_completion")
"""Options that typer gives to each application that is built by itself; they belong to none of ours."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Later:
    """Names a command that is loaded later.

    Attributes:
        name: What the user types.
        where: Its function or its typer application, as `module:attribute`.
        line: The first sentence of its help, for the list of all commands.
        only_tells: Its exit code decides nothing: it ends well where the reader of its output (`head`) went away.
        passes_on: It hands options that it does not know to another program.
    """

    name: str
    where: str
    line: str
    passes_on: bool = False
    only_tells: bool = False

    def load(self) -> Any:
        """Imports the command and builds it."""
        module, _, attribute = self.where.partition(":")
        found = getattr(importlib.import_module(module), attribute)
        built: Any = typer.main.get_command(found if isinstance(found, typer.Typer) else self._alone(found))
        built.params = [option for option in built.params if option.name not in _COMPLETION]
        built.name = self.name
        return built

    def _alone(self, function: Any) -> typer.Typer:
        """Makes an application of one command."""
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        settings = {"allow_extra_args": True, "ignore_unknown_options": True} if self.passes_on else None
        alone.command(self.name, context_settings=settings)(function)
        return alone


class LazyGroup(TyperGroup):
    """Is a group of commands that are loaded one by one, as they are used."""

    later: tuple[Later, ...] = ()

    def __init__(self, **attrs: Any) -> None:
        """Starts with a line for each command."""
        super().__init__(**attrs)
        self.commands = {one.name: TyperCommand(one.name, help=one.line) for one in self.later}
        self._waiting = {one.name: one for one in self.later}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Loads the command, once."""
        if cmd_name in self._waiting:
            self.commands[cmd_name] = self._waiting.pop(cmd_name).load()
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; that the reader of its output went away is no error of one that only tells."""
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, SystemExit, OutputError) as error:  # rich ends the process by itself
            unread = not isinstance(error, OutputError) or isinstance(error.__cause__, BrokenPipeError)
            if not unread or not any(one.only_tells for one in self.later if one.name == ctx.invoked_subcommand):
                raise
            from afterturn.cli._exit import flush_nowhere

            for stream in (sys.stdout, sys.stderr):
                flush_nowhere(stream.fileno())
            raise typer.Exit(0) from None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands by their lines, and loads none."""
        waiting, self._waiting = self._waiting, {}
        try:
            super().format_help(ctx, formatter)
        finally:
            self._waiting = waiting
