"""`afterturn policy`: the policies that come with Afterturn, and what a policy says of a text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import json_line, note

if TYPE_CHECKING:
    from afterturn.cli._texts import Line
    from afterturn.guard import GuardResult, Policy

policy_app = typer.Typer(
    help="Policies of the guard: what is forbidden, what passes, what is enforced.", no_args_is_help=True
)

_Json = Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")]


@policy_app.command("list")
def list_command(as_json: _Json = False) -> None:
    """Lists the policies that come with Afterturn."""
    from afterturn.guard import Policy

    for name in Policy.library():
        policy = Policy.load(name)
        if as_json or not sys.stdout.isatty():
            entries = {"denylists": _ids(policy.denylists), "topics": _ids(policy.topics)}
            typer.echo(json_line({"name": name, "description": policy.description, **entries}))
        else:
            typer.echo(f"{name:10} {policy.description}")


@policy_app.command("show")
def show_command(
    policy: Annotated[str, typer.Argument(metavar="NAME", help="A name of `afterturn policy list`, or a file.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON line: the policy laid over the built-in one, as it is applied.")
    ] = False,
) -> None:
    """Shows a policy as it is written, comments included; redirect it to a file and make it yours."""
    from afterturn.guard import Policy
    from afterturn.guard._policy_file import source_text

    loaded = Policy.load(policy)
    if as_json:
        typer.echo(json_line(asdict(loaded.over(Policy.built_in()))))
    else:
        typer.echo(source_text(policy), nl=False)


@policy_app.command("test")
def try_command(
    policy: Annotated[str, typer.Argument(metavar="NAME", help="A name of `afterturn policy list`, or a file.")],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help='Texts: {"id", "text"} lines or plain lines, - for stdin.')
    ] = None,
    text: Annotated[list[str] | None, typer.Option("--text", help="A text; may be given again.")] = None,
    as_json: _Json = False,
) -> None:
    """Says whether a policy is sound, and what it makes of texts: every finding with its mode, and what blocks.

    Texts given with --text are shown by their number, never printed.
    """
    from afterturn.cli._texts import Line
    from afterturn.cli.guard import configured_guard
    from afterturn.guard import Policy

    _tell_of(Policy.load(policy))
    guard = configured_guard(policy)
    as_json = as_json or not sys.stdout.isatty()
    tested = blocked = skipped = 0
    for line in _lines(text or (), file):
        if not isinstance(line, Line):
            note(line)
            skipped += 1
            continue
        result = guard.check(line.text)
        typer.echo(json_line({"id": line.id, **_details(result)}) if as_json else _words(line.id, result))
        tested += 1
        blocked += result.blocked
    note(f"{tested} texts tested, {blocked} blocked" + (f", {skipped} bad lines skipped" if skipped else ""))


def _ids(entries: Iterable[object]) -> list[str]:
    return [str(getattr(entry, "id", "")) for entry in entries]


def _lines(given: Iterable[str], file: Path | None) -> Iterator[Line | str]:
    from afterturn.cli._texts import Line, texts

    for number, text in enumerate(given, start=1):
        yield Line(id=number, text=text)
    if file is not None:
        yield from texts(file)


def _tell_of(policy: Policy) -> None:
    """Says on stderr what is not wrong but will surprise: allowances that are over, modes of rules that are unknown."""
    from afterturn.guard._rules import builtin_rules

    now = datetime.now(UTC)
    for allowance in policy.allow:
        if allowance.ends <= now:
            note(f"policy {policy.name}: allow {allowance.id} ended on {allowance.until} and allows nothing any more")
    known = {*(rule.id for rule in builtin_rules()), *(entry.rule for entry in (*policy.denylists, *policy.topics))}
    for rule in policy.modes.rules:
        if rule not in known:
            note(f"policy {policy.name}: modes.rules names a rule that is not there: {rule}")


def _details(result: GuardResult) -> dict[str, object]:
    from afterturn.cli.guard import summary

    findings = [asdict(finding) for finding in result.findings]
    return {**summary(result), "message": result.message, "findings": findings}


def _words(number: object, result: GuardResult) -> str:
    state = "blocked" if result.blocked else "flagged" if result.flagged else "passes"
    lines = [f"{number}: {state}"]
    lines += [
        f"   {finding.mode}: {finding.rule} ({finding.category}, {finding.severity}) at {finding.start}-{finding.end}"
        for finding in result.findings
    ]
    lines += [f"   allowed by {name}" for name in result.allowed]
    lines += [f"   allow {name} is over" for name in result.expired]
    if result.message:
        lines.append(f"   message: {result.message}")
    return "\n".join(lines)
