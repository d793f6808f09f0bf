"""Refuses an output that would take the place of what a command reads, before anything is read or written."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.config import Config

_BESIDE_DATABASE = ("", "-wal", "-shm", "-journal")


def refuse_overwriting(
    outputs: Mapping[str, Path | None], inputs: Iterable[Path | str | None] = (), config: Config | None = None
) -> None:
    """Refuses an output that names an input, the database, a file of the configuration, or another output.

    Every spelling of a path counts, a link too; `-`, a pipe and a device overwrite nothing.

    Args:
        outputs: The files to be written, by the option that names them.
        inputs: The files to be read; what is no path is passed over.
        config: The configuration, whose database and policies count as inputs.

    Raises:
        UsageError: One would be overwritten; says which, and by what.
    """
    given = {option: path for option, path in outputs.items() if path is not None and _is_file_to_be(path)}
    kept = {Path(path): "an input of this command" for path in inputs if path is not None}
    if config is not None:
        kept |= dict(_configured(config))
    for option, path in given.items():
        for other, what in kept.items():
            if _same(path, other):
                raise UsageError(f"{option} {path} would overwrite {what}; name another file")
    for (option, path), (second, other) in combinations(given.items(), 2):
        if _same(path, other):
            raise UsageError(f"{option} and {second} would be written to one file; name another file for one of them")


def _configured(config: Config) -> Iterator[tuple[Path, str]]:
    """Gives the files that a configuration names, and the file that it comes from."""
    database = config.db.removeprefix("sqlite:///")
    for ending in _BESIDE_DATABASE:
        yield (
            Path(database + ending),
            f"the database {database}" if not ending else f"a part of the database {database}",
        )
    yield Path(os.environ.get("AFTERTURN_CONFIG") or "afterturn.yaml"), "the configuration"
    own = config.tenants.values()
    for policy in (config.guard_policy, *(one.guard_policy for one in own)):
        if policy is not None:
            yield Path(policy), "a policy of the configuration"
    for judge in (config.judge, *(one.judge for one in own)):
        kind, _, model = (judge or "").removeprefix("cascade:").partition(":")
        if kind == "llama":
            yield Path(model), "the judge's model"


def _is_file_to_be(path: Path) -> bool:
    return str(path) != "-" and (path.is_file() or not path.exists())


def _same(path: Path, other: Path) -> bool:
    if str(other) == "-":
        return path.exists() and _is_stdin(path)
    try:
        return path.resolve() == other.resolve() or path.samefile(other)
    except (OSError, RuntimeError):  # one is not there, or is a link to itself
        return False


def _is_stdin(path: Path) -> bool:
    """Says whether standard input comes from this file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))
    except (OSError, ValueError, AttributeError):  # there is none, or it is no file
        return False
