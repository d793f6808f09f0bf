"""Personas and scenarios are data: mistakes are told with their place, and each pair is a row of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from eval_parts import FunctionTarget
from simulation_parts import ANN, cast_of

from afterturn.errors import InputError, UnreadableInputError, UsageError
from afterturn.evals import RunFile, new_header, resume_run, start_run
from afterturn.evals.simulate import library, load_personas, open_cast, open_parts, persona_of, read_persona


def test_the_library_has_eight_personas_in_as_many_languages_each_with_a_script_and_a_goal() -> None:
    found = library()
    assert sorted(persona.language for persona in found.values()) == ["ar", "de", "en", "es", "fr", "it", "ja", "pt"]
    for persona in found.values():
        assert persona.goal
        assert persona.opening
        assert persona.facts
        assert {move.end for move in persona.moves} >= {"goal_reached", "gave_up"}


def test_a_persona_is_written_and_read_again_as_it_was() -> None:
    for persona in (*library().values(), ANN):
        assert read_persona(json.loads(json.dumps(persona.to_json()))) == persona


@pytest.mark.parametrize(
    ("persona", "told"),
    [
        ("goal: x", "has no id"),
        ("id: a~b", "has no id, or one with ~"),
        ("id: script", "the id 'script' is taken"),
        ("- {id: a}\n- {id: a}", "the id 'a' is taken"),
        ("{id: a, mod: angry}", "has the key mod"),
        ("{id: a, patience: 0}", "patience is no number of turns"),
        ("{id: a, patience: soon}", "patience is no number of turns"),
        ("{id: a, goal: [1]}", "goal is a list"),
        ("{id: a, facts: {order: {a: 1}}}", "facts.order is an object"),
        ("{id: a, moves: [{say: x, when: y}]}", r"moves\[0\] has the key when"),
        ("{id: a, moves: [{when_reply_matches: '('}]}", r"moves\[0\] neither says anything nor ends"),
        ("{id: a, moves: [hi, {say: x, when_reply_matches: '('}]}", r"moves\[1\].when_reply_matches is no regular"),
        ("{id: a, moves: [{end: maybe}]}", r"moves\[0\].end is none of goal_reached, gave_up"),
        ("", "holds no persona"),
        ("{", "is no valid YAML"),
    ],
)
def test_a_mistake_in_a_file_of_personas_is_told_with_its_place(tmp_path: Path, persona: str, told: str) -> None:
    path = tmp_path / "personas.yaml"
    path.write_text(persona)
    with pytest.raises(UnreadableInputError, match=told):
        load_personas(str(path))


def test_personas_are_found_by_id_and_all_at_once() -> None:
    assert [persona.id for persona in load_personas("brief_ar, unsure_de")] == ["brief_ar", "unsure_de"]
    assert len(load_personas("all")) == 8
    with pytest.raises(UsageError, match="no persona is called 'bob'"):
        load_personas("bob")
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        load_personas("nowhere.yaml")


def test_each_scenario_is_played_by_each_persona_as_a_row_of_its_own(tmp_path: Path) -> None:
    personas = load_personas("brief_ar,unsure_de")
    cast = cast_of(
        tmp_path, {"id": "a"}, {"id": "b", "persona": "angry_fr"}, {"id": "c", "input": "Hi"}, personas=personas
    )
    rows = list(cast.rows())
    assert [row.id for row in rows] == ["a~brief_ar", "a~unsure_de", "b~angry_fr", "c~brief_ar", "c~unsure_de"]
    assert (cast.count, len({row.content for row in rows})) == (5, 5)
    assert persona_of(rows[2]) == library()["angry_fr"]


def test_what_a_scenario_says_of_its_customer_wins_and_its_facts_come_beside(tmp_path: Path) -> None:
    scenario = {"id": "a", "goal": "Other", "patience": 2, "facts": {"plan": "Basic"}}
    (row,) = cast_of(tmp_path, scenario, personas=[ANN], simulated=True).rows()
    found = persona_of(row)
    assert (found.goal, found.patience, found.facts) == ("Other", 2, {"order": "4711", "plan": "Basic"})


def test_moves_of_a_scenario_are_its_script_whoever_could_play(tmp_path: Path) -> None:
    (row,) = cast_of(tmp_path, {"id": "a", "input": "Hi", "moves": ["More"]}, personas=[ANN], simulated=True).rows()
    assert (row.id, persona_of(row).id) == ("a", "script")


def test_scenarios_may_be_yaml(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.yaml"
    path.write_text("- id: late\n  persona: hurried_en\n- id: hello\n  input: Hello\n")
    assert [row.id for row in open_cast(path).rows()] == ["late~hurried_en", "hello"]


@pytest.mark.parametrize(
    ("scenario", "told"),
    [
        ({"id": "a"}, "nobody begins"),
        ({"id": "a", "persona": "bob"}, "no persona is called 'bob'"),
        ({"id": "a", "persona": 7}, "`persona` is neither an id nor a list"),
        ({"id": "a", "input": "Hi", "moves": [{"end": "x"}]}, r"moves\[0\].end is none of"),
        ({"id": "a", "input": "Hi", "patience": -1}, "patience is no number of turns"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_told_before_anything_is_asked(
    tmp_path: Path, scenario: Any, told: str
) -> None:
    with pytest.raises(InputError, match=rf"scenarios.jsonl:1.*{told}"):
        cast_of(tmp_path, scenario)


def test_a_model_needs_somebody_to_be(tmp_path: Path) -> None:
    nobody = read_persona({"id": "p", "opening": "Hi"})
    with pytest.raises(InputError, match="neither goal nor situation"):
        cast_of(tmp_path, {"id": "a"}, personas=[nobody], simulated=True)


async def test_a_killed_simulation_is_gone_on_with_conversation_by_conversation(tmp_path: Path) -> None:
    cast = cast_of(tmp_path, {"id": "a", "assert": ["contains:Yes"]}, personas=load_personas("all"))
    path = tmp_path / "run.jsonl"
    first = open_parts(FunctionTarget(lambda _: "Yes."))
    await start_run(new_header(first, cast, concurrency=1), first, cast, path)
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:6]) + whole[6][:50])
    target = FunctionTarget(lambda _: "Yes.")
    summary = await resume_run(RunFile(path), open_parts(target), cast)
    assert (summary.done, summary.states["pass"], len(set(target.asked))) == (8, 8, 3)
    longer = open_parts(target, max_turns=3)
    with pytest.raises(UsageError, match="have changed since the run began"):
        await resume_run(RunFile(path), longer, cast)
