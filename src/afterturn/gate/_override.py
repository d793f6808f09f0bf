"""Records that a person promoted an agent in spite of the gate: a line in a file that only grows.

Each line holds the hash of the line before it, so that a line that was changed or taken out is seen. Nothing in the
file can vouch for its end: the hash of the last record stands in the gate's reports, and `check_records` takes it.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from afterturn._unreadable import why_unreadable
from afterturn.errors import OutputError, UnreadableInputError, UsageError
from afterturn.formats import dump_json
from afterturn.gate._report import Override, Report

MOST_CHARS = 2_000
FIRST = "0" * 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Records:
    """Is what a check of a file of overrides found.

    Attributes:
        count: How many records there are.
        head: The hash of the last; whoever keeps it elsewhere can vouch for all of them.
        vouched: How many of them, from the first on, the expected hash vouches for; None where none was expected.
    """

    count: int
    head: str
    vouched: int | None = None


def record(report: Report, path: Path, *, by: str, reason: str, at: datetime) -> Override:
    """Appends an override to the file of overrides, onto the disk.

    Args:
        report: What the gate decided.
        path: The file; it is made where there is none.
        by: Who decides.
        reason: Why.
        at: When.

    Raises:
        UsageError: Name or reason is empty or far too long.
        UnreadableInputError: The file is no such file, or one of its lines was changed.
        OutputError: It cannot be written; then nothing was overridden.
    """
    for what, text in (("--by", by), ("--reason", reason)):
        if not text.strip() or len(text) > MOST_CHARS:
            raise UsageError(f"an override needs {what}, 1 to {MOST_CHARS:,} characters; say who decides, and why")
    try:
        with path.open("a+b") as stream:
            _lock(stream)
            stream.seek(0)
            before = _checked(stream, path).head
            line = dump_json(_wire(report, before, by=by.strip(), reason=reason.strip(), at=at))
            stream.write(f"{line}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        told = error.strerror or type(error).__name__
        raise OutputError(f"{path} cannot be written: {told}; without a record nothing is overridden") from None
    return Override(by=by.strip(), reason=reason.strip(), record=hashlib.sha256(line.encode()).hexdigest(), at=at)


def check_records(path: Path, *, expect: str | None = None) -> Records:
    """Checks a file of overrides.

    Args:
        path: The file.
        expect: The hash of a record that must stand in it, as a gate's report says it (`override.record`).

    Raises:
        UnreadableInputError: It cannot be read, a line was changed or taken out, or the expected one is not there.
    """
    try:
        with path.open("rb") as stream:
            found = _checked(stream, path, expect)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read: {why_unreadable(error)}") from None
    if expect is not None and found.vouched is None:
        raise UnreadableInputError(
            f"{path}: none of its {found.count} records has the hash {expect[:64]}; it was changed or taken out, "
            "or the hash is another file's"
        )
    return found


def _checked(stream: IO[bytes], path: Path, expect: str | None = None) -> Records:
    """Checks the chain of a file's lines."""
    before, count, vouched = FIRST, 0, None
    for number, raw in enumerate(stream, start=1):
        line = raw.removesuffix(b"\n")
        try:
            value: Any = json.loads(line)
            sound = raw.endswith(b"\n") and value["before"] == before
        except (ValueError, RecursionError, TypeError, KeyError):
            sound = False
        if not sound:
            raise UnreadableInputError(
                f"{path}:{number}: this line, or the one before it, is not as it was written; find out who changed it, "
                "and begin a new file with --override-file"
            )
        before, count = hashlib.sha256(line).hexdigest(), number
        vouched = number if before == expect else vouched
    return Records(count=count, head=before, vouched=vouched)


def _wire(report: Report, before: str, *, by: str, reason: str, at: datetime) -> dict[str, Any]:
    unmet = [finding for finding in report.findings if finding.status != "met"]
    return {
        "at": at.isoformat(),
        "gate": report.name,
        "config": report.config,
        "by": by,
        "reason": reason,
        "verdict": report.verdict,
        "fault": report.fault,
        "not_met": [{"name": one.name, "status": one.status, "reason": one.reason, "told": one.told} for one in unmet],
        "before": before,
    }


def _lock(stream: IO[bytes]) -> None:
    """Waits until no other process appends; systems without such locks go without."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(stream, fcntl.LOCK_EX)
