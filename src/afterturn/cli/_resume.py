"""Goes on with a run by the command that began it: `eval resume` for runs of other commands than `eval run`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, cast

import typer

from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.evals import RunFile

_NOT_KEPT = frozenset({"out", "resume", "retry_errors", "as_json", "turns", "classify"})
"""Options that say where the run goes and what is told of it, and nothing of what it is."""

_COMMANDS = ("simulate", "redteam", "eval check-judge")
_MARKS = {"simulation": "simulate", "redteam": "redteam", "check_judge": "eval check-judge"}
"""What the header of a run says of itself, and the command that makes such runs."""


def begun_by(context: typer.Context) -> tuple[str, ...]:
    """Writes the command line of a command anew, without what `_NOT_KEPT` names: the run's file keeps it."""
    return (*context.command_path.split()[1:], *_said(context, _NOT_KEPT))


def _said(context: typer.Context, left_out: Collection[str]) -> Iterator[str]:
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name not in left_out and source is not None and source.name == "COMMANDLINE":
            option = parameter.param_type_name == "option"
            yield from _spoken(context.params[name], parameter.opts if option else (), parameter.secondary_opts)


def _spoken(value: object, names: Sequence[str], opposites: Sequence[str]) -> Iterator[str]:
    """Writes one parameter; an argument has no names."""
    if isinstance(value, bool):
        yield names[0] if value else opposites[0]
        return
    for one in cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,):
        yield from (*names[:1], str(one))


def whole_target(run: RunFile, given: str | None) -> str:
    """Gives the agent of a run as it was written when the run began.

    Args:
        run: The run.
        given: What `--target` says, or None.

    Raises:
        UsageError: It held a secret, and nothing was given.
    """
    if given is None:
        _refuse_redacted(run, [run.header.target])
    return run.header.target if given is None else given


def _refuse_redacted(run: RunFile, words: Sequence[str]) -> None:
    from afterturn.evals._redact import SECRET

    if any(SECRET in word for word in words):
        raise UsageError(
            f"{run.path}: the run's target held a secret, which the file does not keep; give it once more, as it "
            "was: --target TARGET"
        )


def go_on(context: typer.Context, run: RunFile) -> int | None:
    """Goes on with a run of another command than `eval run`.

    Args:
        context: That of `eval resume`; its options come before those that the run was begun with.
        run: The run.

    Returns:
        The exit code; None where the run is one of `eval run`.

    Raises:
        UsageError: It was begun from Python.
    """
    header = run.header
    kind = next((command for mark, command in _MARKS.items() if mark in header.options), None)
    if kind is None and not header.command:
        return None
    if not " ".join(header.command[:2]).startswith(_COMMANDS):
        raise UsageError(
            f"{run.path} is a run of `afterturn {kind}` that was begun from Python; go on there, by "
            "afterturn.evals.resume_run with the same parts"
        )
    from afterturn.cli._app import app

    given = [*_said(context, {"run"})]
    _refuse_redacted(run, [word for word in header.command if word != header.target or "--target" not in given])
    arguments = [*header.command, "--out", str(run.path), "--resume", *given]
    if header.judge is not None and "--judge" not in arguments:
        arguments += ["--judge", header.judge]  # it came from the environment
    ended: object = app(arguments, prog_name="afterturn", standalone_mode=False)
    return ended if isinstance(ended, int) else 0
