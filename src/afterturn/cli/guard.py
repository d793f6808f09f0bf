"""`afterturn guard`: checks texts for attacks and for what a policy forbids, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from afterturn.cli._common import configured, json_line, log_to_stderr, note
from afterturn.cli._second import Checked, scored
from afterturn.errors import UsageError

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
    second_pass: Annotated[
        bool,
        typer.Option(
            "--second-pass", help="Ask a judge about what the static guard let through and about long texts; scores."
        ),
    ] = False,
    judge: Annotated[
        str | None, typer.Option(help="Who answers the second pass: encoder, llama:PATH or provider:model.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines; it prints nothing else anyway.")] = False,
) -> None:
    """Checks texts: flagged, blocked, category, confidence and rules, a JSON line each.

    No model is asked unless you say `--second-pass`: then each line has `score` (0 to 100, how likely it is an attack)
    and `layer`, who gave it. Where the judge fails, the static answer stands.
    """
    if judge is not None and not second_pass:
        raise UsageError("--judge answers the second pass alone; give --second-pass as well")
    guard = configured_guard(policy, tenant)
    rows = _checked(file, guard)
    if second_pass:
        config = configured(judge=judge)
        rows = scored(rows, config, guard, tenant, at_once=1 if str(file) == "-" else config.concurrency)
    counts: Counter[str] = Counter()
    out: BinaryIO = typer.get_binary_stream("stdout")
    for row in rows:
        if isinstance(row, str):
            note(row)
            counts["bad"] += 1
            continue
        out.write(json_line(_line(row)).encode() + b"\n")
        if str(file) == "-":
            out.flush()  # who pipes texts in one by one waits for each answer
        counts.update(texts=1, flagged=row.result.flagged, blocked=row.result.blocked, failed=row.failed is not None)
    out.flush()
    _tell(counts)


def _checked(file: Path, guard: Guard) -> Iterator[Checked | str]:
    """Checks the texts of a file, one at a time; what is wrong with a line comes in its place."""
    from afterturn.cli._texts import Line, texts

    for line in texts(file):
        if isinstance(line, Line):
            yield Checked(id=line.id, text=line.text, result=guard.check(line.text))
        else:
            yield line


def _line(row: Checked) -> dict[str, object]:
    score = {} if row.score is None else {"score": row.score, "layer": row.layer}
    return {"id": row.id, **summary(row.result), **score}


def _tell(counts: Counter[str]) -> None:
    parts = [f"{counts['texts']} texts checked, {counts['flagged']} flagged, {counts['blocked']} blocked"]
    if counts["failed"]:
        parts.append(f"the second pass failed on {counts['failed']}: their scores are the static ones")
    if counts["bad"]:
        parts.append(f"{counts['bad']} bad lines skipped")
    note(", ".join(parts))


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
