from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from afterturn.store import Filter, Funnel, Store, open_store

_CHILD = Path(__file__).with_name("judge_turns.py")


def _run(database: Path, heard: Path, kill_after: tuple[str, int] | None) -> list[str]:
    """Runs the process, kills it without warning after so many lines of a kind, and gives the lines it got out."""
    lines: list[str] = []
    arguments = [sys.executable, str(_CHILD), str(database), str(heard), "300"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen = 0
        for line in process.stdout:
            lines.append(line.rstrip())
            seen += kill_after is not None and line.startswith(kill_after[0])
            if kill_after is not None and seen == kill_after[1]:
                process.send_signal(signal.SIGKILL)
                kill_after = None
    return lines


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process without warning")
def test_three_kills_in_the_middle_of_300_turns_lose_and_double_nothing(tmp_path: Path) -> None:
    database, heard = tmp_path / "afterturn.db", tmp_path / "heard"
    points = [
        ("stored", random.randrange(10, 120)),
        ("finding", random.randrange(50, 200)),
        ("finding", random.randrange(50, 150)),
    ]
    sys.stdout.write(f"killed after {points}\n")  # pytest shows it where the test fails
    stored: set[str] = set()
    published: list[str] = []
    for point in points:
        lines = _run(database, heard, point)
        assert lines[-1] != "done"
        stored |= {line.split()[1] for line in lines if line.startswith("stored")}
        published += [line for line in lines if not line.startswith("stored")]
        with open_store(database) as store:
            assert stored <= {turn.id for turn in store.turns()}  # what was acknowledged is there
            _check_whole(store)
    lines = _run(database, heard, None)
    published += [line for line in lines if line.startswith(("finding", "skipped", "error"))]
    assert lines[-1] == "done"

    with open_store(database) as store:
        _check_finished(store, 300)
    assert max(Counter(published).values()) == 1  # none is logged twice; a kill may cost the lines of its moment
    told = Counter(heard.read_text().split())
    assert sorted(told) == sorted(_forms(300))
    assert sum(told.values()) <= 30 + len(points)  # a kill between telling and noting tells once more


def test_two_processes_that_send_and_judge_the_same_turns_at_once_do_each_once(tmp_path: Path) -> None:
    database, heard = tmp_path / "afterturn.db", tmp_path / "heard"
    arguments = [sys.executable, str(_CHILD), str(database), str(heard), "100"]
    with (
        subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as one,
        subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as two,
    ):
        outputs = [process.communicate()[0].splitlines() for process in (one, two)]
    assert [lines[-1] for lines in outputs] == ["done", "done"]
    with open_store(database) as store:
        _check_finished(store, 100)
    published = Counter(line for lines in outputs for line in lines if line.startswith(("finding", "skipped")))
    assert len(published) == 300
    assert set(published.values()) == {1}
    assert sorted(heard.read_text().split()) == sorted(_forms(100))


def _check_whole(store: Store) -> None:
    """No turn is half there: each has its three questions, and an outcome only beside its verdict."""
    funnel = store.funnel()
    assert funnel.planned == 3 * funnel.stored
    assert funnel.skipped == funnel.stored
    titled = _events(store)
    for turn in store.turns():
        judged = store.judged(turn.tenant, turn.id)
        assert judged is not None
        assert len(judged.judgements) + judged.open == 3
        answered = [one for one in judged.judgements if one.verdict.status == "finding"]
        assert len(answered) in (0, 2)  # one transaction stores both answers
        assert all(one.outcome is not None for one in answered)
        assert titled[turn.id, "session.title"] == len(answered) // 2


def _events(store: Store) -> Counter[tuple[str | None, str]]:
    sessions = {turn.session for turn in store.turns()}
    return Counter((event.turn, event.name) for session in sessions for event in store.timeline("acme", session))


def _forms(turns: int) -> list[str]:
    return [f"form-{number}" for number in range(0, turns, 10)]


def _check_finished(store: Store, turns: int) -> None:
    assert sorted(turn.id for turn in store.turns()) == sorted(f"t-{number}" for number in range(turns))
    assert store.funnel() == Funnel(
        stored=turns,
        planned=3 * turns,
        open=0,
        judged=2 * turns,
        finding=2 * turns,
        skipped=turns,
        failed=0,
        dead=0,
        findings={"": 2 * turns},
        skips={"no_passages": turns},
    )
    counted = Counter[tuple[str, str]]()
    for one in store.histograms():
        counted[one.series.classifier, one.series.status] += one.histogram.total
    assert counted == Counter((one.classifier, one.status) for one in store.verdicts())
    questions = Counter((one.turn, one.classifier) for one in store.verdicts(Filter(tenant="acme")))
    assert len(questions) == 3 * turns
    assert set(questions.values()) == {1}
    events = _events(store)
    assert set(events.values()) == {1}
    names = Counter(name for _, name in events.elements())
    expected = dict.fromkeys(("turn.received", "session.title", "session.categories"), turns)
    assert names == expected | {"session.concluded": len(_forms(turns))}
    for number in range(7):
        last = max(int(turn.id[2:]) for turn in store.turns(Filter(session=f"s-{number}")))
        state = store.session("acme", f"s-{number}")
        assert state is not None
        assert (state.title, state.categories) == (f"Title of t-{last}", (f"t-{last}",))
    for session in _forms(turns):
        state = store.session("acme", session)
        assert state is not None
        assert state.concluded == "classifier"
