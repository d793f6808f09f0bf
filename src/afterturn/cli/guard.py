"""`afterturn guard`: checks texts for attacks and for what a policy forbids, a line each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from afterturn.cli._common import json_line, log_to_stderr, note

if TYPE_CHECKING:
    from afterturn.guard import Guard, GuardResult


def guard_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="[FILE]", help='{"id", "text"} lines or plain lines; standard input by default.'),
    ] = Path("-"),
    policy: Annotated[str | None, typer.Option(help="A policy: a file, or a name of `afterturn policy list`.")] = None,
    tenant: Annotated[str, typer.Option(help="Check with the policy that the configuration gives this tenant.")] = (
        "default"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines; it prints nothing else anyway.")] = False,
) -> None:
    """Checks texts: flagged, blocked, category, confidence and rules, a JSON line each. No model is asked."""
    from afterturn.cli._texts import Line, texts

    guard = configured_guard(policy, tenant)
    flagged = blocked = checked = skipped = 0
    out: BinaryIO = typer.get_binary_stream("stdout")
    for line in texts(file):
        if not isinstance(line, Line):
            note(line)
            skipped += 1
            continue
        result = guard.check(line.text)
        out.write(json_line({"id": line.id, **summary(result)}).encode() + b"\n")
        if str(file) == "-":
            out.flush()  # who pipes texts in one by one waits for each answer
        checked += 1
        flagged += result.flagged
        blocked += result.blocked
    out.flush()
    note(
        f"{checked} texts checked, {flagged} flagged, {blocked} blocked"
        + (f", {skipped} bad lines skipped" if skipped else "")
    )


def configured_guard(policy: str | None, tenant: str = "default") -> Guard:
    """Makes the guard that the configuration gives a tenant, a policy of the command in place of the configured ones.

    Raises:
        ConfigError: The configuration or the policy is wrong.
    """
    from afterturn.config import load_config
    from afterturn.guard import Guard, Policy
    from afterturn.guarding import Guards

    config = load_config()
    log_to_stderr(config.log_level)
    if policy is None:
        return Guards(config).of(tenant)
    return Guard(policy=Policy.load(policy), on_failure=config.on_guard_failure_for(tenant))


def summary(result: GuardResult) -> dict[str, object]:
    """Gives what a line of the command says of a result; what is rare stands there only where it is."""
    rare = {"allowed": result.allowed, "expired": result.expired, "failed": result.failed}
    return {
        "flagged": result.flagged,
        "category": result.category,
        "confidence": result.confidence,
        "rules": result.rules,
        "blocked": result.blocked,
        **{name: value for name, value in rare.items() if value},
    }
