"""No word of a conversation gets where only ids, enums and numbers belong."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from structlog.testing import capture_logs

from afterturn.calls import Planned
from afterturn.outcomes import Outcome
from afterturn.store import Finished, Store
from afterturn.turns import Agent, Message, Passage, Reply, Tool, ToolCall, Turn

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]
Finish = Callable[..., Finished]

_CANARY = "CANARY-4711"


def test_text_stays_in_turns_outcomes_sessions_and_timelines(
    store: Store, path: Path, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    call = ToolCall(name=_CANARY, raw_arguments=_CANARY, extra={"k": _CANARY})
    turn = new_turn(
        1,
        messages=(
            Message(role="user", text=_CANARY, name=_CANARY, extra={"k": _CANARY}),
            Message(role="assistant", text=_CANARY, refusal=_CANARY, reasoning=_CANARY, tool_calls=(call,)),
        ),
        agent=Agent("support", instructions=_CANARY, categories=(_CANARY,), tools=(Tool(name=_CANARY),)),
        passages=(Passage(alias="c1", text=_CANARY, title=_CANARY, uri=_CANARY),),
        reply=Reply(text=_CANARY, raw=_CANARY, leaks=(_CANARY,)),
        extra={"k": _CANARY},
    )
    outcome = Outcome(
        title=_CANARY,
        categories=(_CANARY,),
        task_concluded=True,
        handoff_summary=_CANARY,
        rationale=_CANARY,
        extra={"k": _CANARY},
    )
    store.add_turn(turn, [question(), question("safety"), question("sources", skip="no_passages")])
    finish(store.claim("w", lease_s=60).claims[0], outcome)
    with sqlite3.connect(path) as raw:
        tables = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name for name in tables if _CANARY in repr(raw.execute(f"SELECT * FROM {name}").fetchall())}
    raw.close()
    assert found == {"turns", "outcomes", "sessions", "conclusions", "events"}
    assert _CANARY not in repr(list(store.verdicts()))


def test_a_failure_of_a_damaged_turn_names_ids_only(
    store: Store, path: Path, new_turn: NewTurn, question: Question
) -> None:
    store.add_turn(new_turn(1), [question()])
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE turns SET body = ?", (f'{{"messages": "{_CANARY}"}}',))
    raw.close()
    with capture_logs() as lines:
        claims = store.claim("w", lease_s=60)
    assert _CANARY not in repr(claims)
    assert "store.read_turn" in [line.get("place") for line in lines]
    assert _CANARY not in repr(lines)
