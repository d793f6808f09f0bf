"""`afterturn gate promote`: decides whether an agent ships, and blocks where it cannot tell."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import json_line, note, printable
from afterturn.cli._exit import keeping_exit_code
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.gate import Report

gate_app = typer.Typer(help="Decides whether an agent is promoted. It fails closed.", no_args_is_help=True)

_SIGNS = {"met": "met         ", "missed": "MISSED      ", "inconclusive": "INCONCLUSIVE"}


@gate_app.command("promote")
def promote_command(
    config: Annotated[Path, typer.Option(help="The gate: runs and criteria (YAML).")] = Path("gate.yaml"),
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a Markdown summary to this file.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write JSON to this file.")] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds that the gate may take, in place of the configuration's.", min=0.001)
    ] = None,
    override: Annotated[
        bool, typer.Option("--override", help="Promote whatever the gate says; needs --by and --reason.")
    ] = False,
    by: Annotated[str | None, typer.Option(help="Who overrides the gate.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why the gate is overridden.")] = None,
    override_file: Annotated[
        Path | None,
        typer.Option(help="Where overrides are recorded; by default gate-overrides.jsonl beside the configuration."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the decision as one JSON line.")] = False,
) -> None:
    """Decides by all criteria of a gate: 0 promoted, 1 refused, 2 unusable, 3 inconclusive.

    Only a decision that was really reached promotes: a crash, a timeout, an empty or unfinished run, a missing metric,
    too little coverage or a reached cost cap block. An override is recorded and said in every output.
    """
    from afterturn.gate import decide, record, write

    _check_override(override, by, reason)
    paths = {name: path for name, path in (("json", output), ("junit", junit), ("markdown", markdown)) if path}
    file = override_file or config.parent / "gate-overrides.jsonl"
    _clear(config, file, paths)
    report = decide(config, timeout_s=timeout)
    if override and report.verdict == "promoted":
        note("the gate promotes by itself; there is nothing to override, and nothing was recorded")
    elif override and by is not None and reason is not None:
        written = record(report, file, by=by, reason=reason, at=datetime.now(UTC))
        report = replace(report, override=written)
    write(report, paths)
    with keeping_exit_code():
        _show(report, as_json or not sys.stdout.isatty())
    if report.exit_code:
        raise typer.Exit(report.exit_code)


@gate_app.command("schema")
def schema_command() -> None:
    """Prints the JSON Schema of a gate's configuration."""
    from afterturn.gate import gate_schema

    with keeping_exit_code():
        typer.echo(json.dumps(gate_schema(), indent=1, ensure_ascii=False))


@gate_app.command("overrides")
def overrides_command(
    file: Annotated[Path, typer.Argument(help="The file of overrides.")] = Path("gate-overrides.jsonl"),
    expect_head: Annotated[
        str | None,
        typer.Option(
            metavar="HASH",
            help="A record that must stand in the file, as this command or a gate's report (override.record) said it.",
        ),
    ] = None,
) -> None:
    """Checks that no record of an override was changed or taken out, and says how many there are.

    Each record vouches for the one before it; for the last only `--expect-head` can.
    """
    from afterturn.gate import check_records

    found = check_records(file, expect=expect_head)
    vouched = max(found.vouched or 0, found.count - 1, 0)
    note(f"{found.count} overrides recorded, of which {vouched} are vouched for; the last is {found.head}")
    if vouched < found.count:
        note("nothing vouches for the last: give the hash that you kept of it, --expect-head HASH")


def _clear(config: Path, overrides: Path, paths: Mapping[str, Path]) -> None:
    """Takes away what an earlier gate said: it must not stand there if this one is killed, or never begins."""
    from afterturn.gate import Report, write

    _refuse_overwriting(config, overrides, paths)
    told = "the gate has not come to its end, so it blocks"
    blank = Report(name=config.name, config="", at=datetime.now(UTC), demands=0, fault="unfinished", told=told)
    write(blank, paths)


def _refuse_overwriting(config: Path, overrides: Path, paths: Mapping[str, Path]) -> None:
    """Refuses a report that would take the place of another report, or of what the gate decides by."""
    from afterturn.gate import named_files

    given = list(paths.values())
    if len({path.resolve() for path in given}) < len(given):
        raise UsageError("two reports would be written to one file; name another file for each")
    kept = {config: "the gate's configuration", overrides: "the record of overrides"}
    kept |= dict.fromkeys(named_files(config), "a file that the gate decides by")
    for path, what in kept.items():
        if any(one.exists() and path.exists() and one.samefile(path) for one in given):
            raise UsageError(f"a report would overwrite {what}; name another file")


def _check_override(override: bool, by: str | None, reason: str | None) -> None:
    if override and not (by and by.strip() and reason and reason.strip()):
        raise UsageError("an override says who and why: --override --by NAME --reason TEXT")
    if not override and (by is not None or reason is not None):
        raise UsageError("--by and --reason belong to an override; add --override, or leave them out")


def _show(report: Report, as_json: bool) -> None:
    from afterturn.gate import headline

    if as_json:
        typer.echo(json_line(report.to_json()))
    else:
        for finding in report.findings:
            told = f"{finding.told} (demanded: {finding.demanded})" if finding.demanded else finding.told
            typer.echo(printable(f"{_SIGNS[finding.status]} {finding.name}: {told}"))
    note(printable(headline(report)))
