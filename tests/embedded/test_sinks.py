"""Where verdicts go never holds up a turn."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from afterturn import Verdict
from afterturn.testing import HANG, ScriptedJudge


class _Stuck:
    """Takes nothing before the test says so."""

    name = "stuck"

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.verdicts: list[Verdict] = []

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        self.gate.wait()
        self.verdicts += verdicts


async def test_a_turn_has_its_verdicts_while_a_sink_of_the_host_stands_still(make_afterturn: Any, agent: Any) -> None:
    stuck = _Stuck()
    at = make_afterturn(ScriptedJudge({}), sinks=[stuck])
    async with at.turn(agent=agent, session="s-1", message="Where is my parcel?") as turn:
        async for _ in turn.stream(["On its ", "way."]):
            pass
    verdicts = await turn.verdicts()
    assert stuck.verdicts == []
    stuck.gate.set()
    await at.aclose()
    assert sorted(one.classifier for one in stuck.verdicts) == sorted(one.classifier for one in verdicts)


async def test_the_sinks_are_those_of_the_configuration(make_afterturn: Any) -> None:
    at = make_afterturn(config={"sinks": ["prometheus", "otel"]})
    assert [sink.name for sink in at._sinks] == ["prometheus", "otel"]


async def test_forgetting_a_session_removes_its_text_and_publishes_what_that_closes(
    make_afterturn: Any, agent: Any
) -> None:
    kept = _Stuck()
    kept.gate.set()
    at = make_afterturn(ScriptedJudge(HANG), sinks=[kept])
    async with at.turn(agent=agent, session="s-1", message="Where is my zebraquartz?") as turn:
        async for _ in turn.stream(["On its ", "way to you."]):
            pass
    proof = at.forget("s-1")
    assert (proof.gone, proof.own, at.forget("gone")) == (True, (), None)
    assert at.store.open_questions() == 0
    await at.aclose()
    assert "forgotten" in [one.reason for one in kept.verdicts]
