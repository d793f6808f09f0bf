"""Conversations are turns for whatever reads turns, and their figures keep errors apart."""

from __future__ import annotations

import asyncio
from pathlib import Path

from simulation_parts import ANN, cast_of, goes_on, simulated

from afterturn.calls import Call
from afterturn.config import Config
from afterturn.embedded import Afterturn
from afterturn.errors import InvalidJsonError
from afterturn.evals import RowResult
from afterturn.evals.simulate import Classified, classify_transcripts, conversation_figures, transcripts
from afterturn.formats import read_turns, write_turns
from afterturn.testing import ScriptedJudge, Step
from afterturn.turns import Turn


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
    again = [turn for turn in read_turns(path) if isinstance(turn, Turn)]
    assert [(turn.id, turn.messages) for turn in again] == [(turn.id, turn.messages) for turn in turns]


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


def test_turns_are_judged_and_added_up_by_conversation(tmp_path: Path) -> None:
    answers = {"sentiment": -0.9, "frustrationTarget": "ai", "wantsHuman": False}

    def judge(call: Call) -> Step:
        asked = {name for question in call.questions for name in question.fields}
        return {name: value for name, value in answers.items() if name in asked}

    turns = list(transcripts(talked(tmp_path)))

    async def judged() -> Classified:
        config = Config.model_validate({"judge": "scripted"})
        async with Afterturn(config=config, open_judge=lambda _: ScriptedJudge(judge)) as at:
            return await classify_transcripts(at, turns)

    found = asyncio.run(judged())
    assert (found.conversations, found.turns) == (2, 4)
    assert (dict(found.frustration), dict(found.advice)) == ({"ai": 4}, {"hand_off": 2})
    assert (found.concluded, found.asked_concluded) == (0, 0)  # only sub-agents are asked
    assert found.statuses["ai_frustration:finding"] == 4
