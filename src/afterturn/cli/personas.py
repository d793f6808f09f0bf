"""`afterturn personas`: the simulated customers that come with Afterturn, and a check of one's own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from afterturn.cli._common import json_line, note, printable
from afterturn.cli._exit import keeping_exit_code

if TYPE_CHECKING:
    from afterturn.evals.simulate import Persona

personas_app = typer.Typer(help="Personas for `afterturn simulate` (docs/simulate.md).", no_args_is_help=True)

_File = Annotated[str, typer.Argument(metavar="FILE", help="A YAML file of personas; by default those of Afterturn.")]
_Json = Annotated[bool, typer.Option("--json", help="JSON, also on a terminal.")]


@personas_app.command("list")
def list_command(file: _File = "all", as_json: _Json = False) -> None:
    """Lists personas: id, language, patience, and what they are about."""
    from afterturn.evals.simulate import load_personas

    found = load_personas(file)
    with keeping_exit_code():
        if as_json or not sys.stdout.isatty():
            for one in found:
                line = {"id": one.id, "language": one.language, "patience": one.patience, "name": one.name}
                typer.echo(json_line({**line, "scripted": bool(one.opening or one.moves)}))
        else:
            _table(found)


def _table(found: Sequence[Persona]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("persona", "language", "patience", "")
    for one in found:
        table.add_row(printable(one.id), printable(one.language), str(one.patience), printable(one.name))
    Console().print(table)


@personas_app.command("show")
def show_command(
    persona: Annotated[str, typer.Argument(metavar="PERSONA", help="An id of `afterturn personas list`, or a file.")],
    as_json: _Json = False,
) -> None:
    """Shows personas as YAML, ready to be changed and given to --personas; the goal is shown, too."""
    import yaml

    from afterturn.evals.simulate import load_personas

    found = [one.to_json() for one in load_personas(persona)]
    with keeping_exit_code():
        if as_json:
            typer.echo(json_line(found))
        else:
            typer.echo(cast(Any, yaml).safe_dump(found, allow_unicode=True, sort_keys=False, width=110).rstrip())


@personas_app.command("check")
def check_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file of personas.")], as_json: _Json = False
) -> None:
    """Reads a file of personas; a mistake is told with its place (exit code 2)."""
    from afterturn.evals.simulate import load_personas

    found = load_personas(file)
    unscripted = [one.id for one in found if not (one.opening or one.moves)]
    unplayable = [one.id for one in found if not (one.goal or one.situation)]
    if as_json or not sys.stdout.isatty():
        with keeping_exit_code():
            typer.echo(json_line({"personas": len(found), "without_script": unscripted, "without_goal": unplayable}))
    note(f"{len(found)} personas can be read")
    if unscripted:
        note(f"only a model can play (--simulator), for want of `opening` and `moves`: {', '.join(unscripted)}")
    if unplayable:
        note(f"only the script can play, for want of `goal` and `situation`: {', '.join(unplayable)}")
