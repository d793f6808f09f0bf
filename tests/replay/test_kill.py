"""A replay that is killed without warning is resumed by running it again: nothing double, nothing lost."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from afterturn.store import Filter, Store

_CHILD = Path(__file__).with_name("replay_turns.py")
_TURNS = 60


def _run(database: Path, *, kill_after: int | None = None) -> list[str]:
    """Runs the process, kills it after so many turns, and gives the lines that it got out."""
    lines: list[str] = []
    with subprocess.Popen([sys.executable, str(_CHILD), str(database)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            if len(lines) == kill_after:
                process.send_signal(signal.SIGKILL)
                kill_after = None
    return lines


def _check(store: Store) -> None:
    """Each turn has one new verdict, and the counts are those of the rows."""
    new = Counter(one.turn for one in store.verdicts(Filter(replayed=True)))
    assert new == Counter(f"t-{number}" for number in range(_TURNS))
    assert sum(one.histogram.total for one in store.histograms(Filter(replayed=True))) == _TURNS


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process without warning")
async def test_two_kills_in_the_middle_of_a_replay_lose_and_double_nothing(
    live: Callable[..., Awaitable[None]], store: Store, path: Path
) -> None:
    await live(_TURNS)
    before = list(store.verdicts())
    for point in (random.randrange(5, 20), random.randrange(5, 20)):
        sys.stdout.write(f"killed after {point} turns\n")  # pytest shows it where the test fails
        lines = _run(path, kill_after=point)
        assert not lines[-1].startswith("done")
        rows = len(list(store.verdicts(Filter(replayed=True))))
        assert 0 < rows < _TURNS
        assert sum(one.histogram.total for one in store.histograms(Filter(replayed=True))) == rows
    done = _run(path)[-1].split()
    assert done[0] == "done"
    assert int(done[1]) + int(done[2]) == _TURNS
    _check(store)
    assert list(store.verdicts()) == before


async def test_two_processes_at_once_judge_each_turn_once(
    live: Callable[..., Awaitable[None]], store: Store, path: Path
) -> None:
    await live(_TURNS)
    ends = [lines[-1].split() for lines in await asyncio.gather(*(asyncio.to_thread(_run, path) for _ in range(2)))]
    assert sum(int(end[1]) for end in ends) == _TURNS
    _check(store)
