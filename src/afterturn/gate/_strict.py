"""Reads a run as strictly as a gate must: whatever is damaged, doubled, missing, old or of something else is told.

`evals.RunFile` passes over what it cannot read, since a report of the rest is worth having. A gate may not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn, cast

from afterturn.errors import InputError, UnreadableInputError, UsageError
from afterturn.evals import Dataset, RowResult, RunFile, RunHeader, open_dataset
from afterturn.evals._codec import result_from_json
from afterturn.evals._keys import Hashes, hash_of
from afterturn.evals.simulate import load_personas, open_cast
from afterturn.evals.simulate._played import KEY as SIMULATION
from afterturn.gate._config import RunFileConfig
from afterturn.gate.redteam import DATASET, load_pack
from afterturn.gate.redteam._figures import left_out_of, planned_of
from afterturn.gate.redteam._records import trial_of

AHEAD = timedelta(hours=1)
"""So far may the clock of the machine that made a run be ahead."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Is a reason why a file cannot be decided on.

    Attributes:
        code: The reason as a code.
        told: What it is and what to do.
        unreadable: Whether the file cannot be used at all (exit code 2).
    """

    code: str
    told: str
    unreadable: bool = False


class StrictRun:
    """Is a run's file, every line of which must be sound.

    Args:
        path: The file.

    Raises:
        UnreadableInputError: It cannot be read, or is no run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        run = RunFile(path)
        self.header: RunHeader = run.header
        self.stop = run.stop
        self.damaged = 0

    def results(self) -> Iterator[RowResult]:
        """The results, one at a time; `damaged` counts the lines that are none.

        Raises:
            UnreadableInputError: The file cannot be read any more.
        """
        self.damaged = 0
        for raw in self._raw():
            wire = _parsed(raw)
            if wire is None:
                self.damaged += 1
            elif wire.get("type") == "result":
                try:
                    result = result_from_json(wire)
                except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                    self.damaged += 1
                    continue
                if _sound(result):
                    yield result
                else:
                    self.damaged += 1
            elif wire.get("type") not in ("run", "resumed", "summary"):
                self.damaged += 1

    def _raw(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as stream:
                yield from (line for line in stream if line.strip())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UnreadableInputError(f"{self.path} cannot be read: {reason}; check the path and its rights") from None


def problems(
    run: StrictRun, config: RunFileConfig, folder: Path, *, now: datetime, max_age: timedelta | None
) -> list[Problem]:
    """Finds all reasons why a run cannot be decided on.

    Args:
        run: The run.
        config: What it must be.
        folder: Where the paths of the configuration start.
        now: The time.
        max_age: How old it may be; None for a baseline.

    Raises:
        UnreadableInputError: The run or the dataset cannot be read.
    """
    found = list(_of_header(run.header, config, now, max_age))
    keys, contents, strangers = _keys(run)
    found += _of_lines(run, keys)
    found += _of_dataset(run.header, config, folder, contents, strangers)
    return found


def _of_header(header: RunHeader, config: RunFileConfig, now: datetime, max_age: timedelta | None) -> Iterator[Problem]:
    if header.target != config.target:
        yield Problem(code="other_target", told=f"it is a run of {header.target}, not of {config.target}; run that one")
    if config.judge is not None and header.judge != config.judge:
        yield Problem(code="other_judge", told=f"{header.judge or 'nobody'} graded it, not {config.judge}")
    if header.bad_lines:
        yield Problem(code="bad_rows", told=f"{header.bad_lines} lines of its dataset were no rows; mend them")
    if header.started_at.tzinfo is None:
        yield Problem(code="no_time_zone", told="its start has no time zone, so its age is unknown; run it again")
    elif header.started_at > now + AHEAD:
        yield Problem(code="future", told="it began in the future; set the clocks and run it again")
    elif max_age is not None and now - header.started_at > max_age:
        hours = (now - header.started_at).total_seconds() / 3600
        yield Problem(code="stale", told=f"it is {hours:.0f} hours old, more than the {_hours(max_age)} allowed; rerun")


def _of_lines(run: StrictRun, keys: Hashes) -> Iterator[Problem]:
    planned, done = run.header.planned, len(keys)
    doubled = sum(1 for _ in keys.repeated())
    if run.damaged:
        yield Problem(code="damaged", told=f"{run.damaged} of its lines are damaged; resume the run or run it again")
    if doubled:
        yield Problem(code="duplicates", told=f"{doubled} results stand in it twice; run it again")
    if planned == 0:
        yield Problem(code="empty", told="its dataset has no row, so nothing was measured")
    elif run.stop in ("cost_cap", "unknown_price"):
        yield Problem(
            code=run.stop, told=f"it stopped at {done} of {planned} results ({run.stop}); raise the cap and resume"
        )
    elif run.stop is not None or done < planned:
        told = f"it is not finished: {done} of {planned} results; go on with `afterturn eval resume {run.path}`"
        yield Problem(code="unfinished", told=told)
    elif done > planned:
        yield Problem(code="too_many", told=f"it has {done} results and planned {planned}; run it again")


def _keys(run: StrictRun) -> tuple[Hashes, Hashes, int]:
    """Gives the keys of the results, the contents of their rows, and how many rows are not of the pack."""
    strangers = 0
    contents: list[int] = []

    def keys() -> Iterator[int]:
        nonlocal strangers
        for result in run.results():
            strangers += trial_of(result.row) is None
            if result.repeat == 1:
                contents.append(_content(result.row.content))
            yield hash_of(result.row.content, result.repeat)

    return Hashes(keys()), Hashes(contents), strangers


def _of_dataset(
    header: RunHeader, config: RunFileConfig, folder: Path, contents: Hashes, strangers: int
) -> Iterator[Problem]:
    if config.dataset == DATASET:
        if header.dataset != DATASET or strangers:
            yield Problem(code="other_dataset", told="it is no run of `afterturn redteam`; run that")
        elif lacking := _lacking(header, config):
            told = (
                f"it has only a part of the pack; {', '.join(lacking)} lack seeds: run them too, or say so in the gate"
            )
            yield Problem(code="part_of_pack", told=told)
        return
    try:
        dataset = _dataset(header, config, folder)
    except UnreadableInputError:
        raise
    except (UsageError, InputError) as error:
        yield Problem(code="other_dataset", told=f"its dataset cannot be used: {error}")
        return
    if dataset.bad_lines:
        told = f"{dataset.bad_lines} lines of {config.dataset} are no rows; mend them"
        yield Problem(code="bad_rows", told=told)
    wanted = Hashes(_content(row.content) for row in dataset.all_rows())
    missing = sum(_content(row.content) not in contents for row in dataset.all_rows())
    if missing or len(wanted) != len(contents):
        told = f"its rows are not those of {config.dataset}: {missing} of {len(wanted)} are not in it; run it again"
        yield Problem(code="other_dataset", told=told)


def _dataset(header: RunHeader, config: RunFileConfig, folder: Path) -> Dataset:
    """Opens what the run must be a run of: rows, or scenarios with who plays in them."""
    path, played = folder / config.dataset, header.options.get(SIMULATION)
    if not isinstance(played, Mapping):
        if config.personas is not None:
            raise UsageError("it is no run of `afterturn simulate`, so it has no personas; take them out of the gate")
        return open_dataset(path)
    spec = config.personas or ""
    personas = load_personas(str(folder / spec) if (folder / spec).is_file() else spec) if spec else ()
    return open_cast(path, personas, simulated=played.get("simulator") is not None)


def _lacking(header: RunHeader, config: RunFileConfig) -> list[str]:
    """Names the families of which the run did not plan all seeds that the gate wants."""
    own = "x" if left_out_of(header) else None  # with the agent's own instructions some seeds have no meaning
    wanted = load_pack(config.families or (), limit=config.limit, instructions=own).planned
    planned = planned_of(header)
    return [
        family
        for family, least in wanted.items()
        if any(got < most * header.repeat for got, most in zip(planned.get(family, (0, 0)), least, strict=True))
    ]


def _content(content: str) -> int:
    return hash_of(content)


def _sound(result: RowResult) -> bool:
    """Whether the figures of a result can be true; the records check most of it when they are made."""
    score = result.score
    return (
        type(result.repeat) is int
        and result.repeat >= 1
        and (score is None or (type(score) is int and 0 <= score <= 100))
        and (score is None) == (not result.scores)
        and (score is None or score == min(one.score for one in result.scores))
        and all(type(one.passed) is bool for one in result.assertions)
        and not (result.state == "pass" and any(not one.passed for one in result.assertions))
        and all(_money(cost) for cost in (result.agent_cost_usd, result.judge_cost_usd))
    )


def _money(cost: object) -> bool:
    return cost is None or (isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < float("inf"))


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """Reads a line; a half-written one, one with NaN, and one with a key twice are none."""
    if not raw.endswith(b"\n"):
        return None
    try:
        value: Any = json.loads(raw, parse_constant=_refuse, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _hours(age: timedelta) -> str:
    return f"{age.total_seconds() / 3600:g}"
