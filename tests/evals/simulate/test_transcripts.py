"""Conversations are turns for whatever reads turns, and their figures keep errors apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simulation_parts import ANN, cast_of, goes_on, simulated

from afterturn.calls import Call
from afterturn.config import load_config
from afterturn.embedded import Afterturn
from afterturn.errors import InvalidJsonError
from afterturn.evals import RowResult
from afterturn.evals.simulate import classify_transcripts, conversation_figures, load_personas, transcripts
from afterturn.formats import read_turns, write_turns
from afterturn.testing import ScriptedJudge
from afterturn.testing._judges import Step


def talked(folder: Path) -> list[RowResult]:
    cast = cast_of(
        folder, {"id": "a", "input": "1", "moves": ["2", "3"], "assert": ["contains:Yes"]}, {"id": "b", "input": "4"}
    )
    return simulated(cast, lambda row: f"Yes, {row.text}.")


def test_each_reply_is_a_turn_with_what_was_said_before_it(tmp_path: Path) -> None:
    turns = list(transcripts(talked(tmp_path)))
    assert [turn.id for turn in turns] == ["a#1/1", "a#1/2", "a#1/3", "b#1/1"]
    assert [message.text for message in turns[1].messages] == ["1", "Yes, 1.", "2", "Yes, 2."]
    assert turns[1].extra == {"persona": "script", "stop": "script_over", "state": "pass"}


def test_turns_are_written_and_read_like_any_others(tmp_path: Path) -> None:
    turns = list(transcripts(talked(tmp_path)))
    path = tmp_path / "turns.jsonl"
    assert write_turns(turns, path) == 4
    assert [(turn.id, turn.messages) for turn in read_turns(path)] == [(turn.id, turn.messages) for turn in turns]  # pyright: ignore[reportAttributeAccessIssue]


def test_figures_are_by_persona_and_errors_only_lower_the_coverage(tmp_path: Path) -> None:
    cast = cast_of(tmp_path, {"id": "a"}, {"id": "b"}, personas=[ANN], simulated=True)
    leaves = {"status": "gave_up", "message": ""}
    script = [goes_on("Hello?"), leaves, InvalidJsonError("prose")]
    results = simulated(cast, lambda _: "Yes.", simulator=script, judge={"reasoning": "x", "score": 80})
    figures = conversation_figures(results)["ann"].to_json()
    assert figures == {
        "conversations": 2,
        "states": {"pass": 1, "judge_error": 1},
        "stops": {"gave_up": 1, "customer_failed": 1},
        "pass_rate": 1.0,
        "mean_score": 80.0,
        "coverage": 0.5,
        "mean_turns": 0.5,
        "simulator_leaks": 0,
    }
    assert conversation_figures([])["all"].to_json()["pass_rate"] is None


async def test_turns_are_judged_and_added_up_by_conversation() -> None:
    def judge(call: Call) -> Step:
        fields: Sequence[str] = [name for question in call.questions for name in question.fields]
        return {name: None for name in fields}

    config = load_config(flags={"judge": "scripted"})
    async with Afterturn(config=config, open_judge=lambda _: ScriptedJudge(judge)) as at:
        found = await classify_transcripts(at, [])
    assert (found.conversations, found.turns, load_personas("angry_fr")[0].id) == (0, 0, "angry_fr")
