"""Rubrics are Markdown with a checked head."""

from __future__ import annotations

from pathlib import Path

import pytest
from eval_parts import row, said

from afterturn.errors import UsageError
from afterturn.evals import load_rubric, rubric_names
from afterturn.turns import Agent, Tool

HEAD = "---\nname: mine\nshows: [conversation, reply]\n---\nBands.\n"


def test_the_rubrics_of_the_specification_come_with_afterturn() -> None:
    names = ("conversation", "correctness", "custom", "groundedness", "helpfulness", "safety", "tool_selection")
    assert rubric_names() == names
    assert [load_rubric(name).name for name in names] == list(names)


def test_tool_selection_says_what_the_specification_says() -> None:
    text = " ".join(load_rubric("tool_selection").text.split())
    for said_there in (
        "90-100: every call is warranted, and together they are sufficient.",
        "70-89: broadly right, with a redundant call or a slightly worse one.",
        "40-69: a clearly needed tool was never called, or one was called that does not fit.",
        "0-39: wrong tools, or a destructive action",
        "that nobody asked for.",
        "No call at all is right, and scores high, when the question can be answered directly or no tool fits",
        "a needless lookup is the commonest real failure",
        "Only the choice counts: not what a tool returned",
        "The reasoning names each of them",
    ):
        assert said_there in text


def test_a_custom_rubric_is_loaded_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(HEAD)
    rubric = load_rubric(str(path))
    assert (rubric.name, rubric.text, rubric.shows, rubric.path) == (
        "mine",
        "Bands.",
        ("conversation", "reply"),
        str(path),
    )
    path.write_text(HEAD + "More.")
    assert load_rubric(str(path)).digest != rubric.digest


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("No head.", "begins with front matter"),
        ("---\nname: [\n---\nx", "no valid YAML"),
        (HEAD.replace("mine", "Not A Code"), "name is wrong"),
        (HEAD.replace("reply", "weather"), "shows.1 is wrong"),
        (HEAD.replace("name: mine\n", ""), "the front matter is wrong"),
        (HEAD.replace("shows", "colour: red\nshows"), "the front matter is wrong"),
        (HEAD.replace("shows", "needs: [money]\nshows"), "`needs` knows"),
        (HEAD.replace("shows", "fields: {score: {type: integer}}\nshows"), "cannot be called 'score'"),
        (HEAD.replace("shows", "fields: {x: {type: colour}}\nshows"), "no JSON schema"),
        (HEAD.replace("Bands.", ""), "the text for the judge is empty"),
    ],
)
def test_a_rubric_that_is_wrong_says_what(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "mine.md"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_rubric(str(path))
    assert problem in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_unknown_or_missing_rubric_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are conversation, correctness, custom"):
        load_rubric("corectness")
    with pytest.raises(UsageError, match="there is no such file; check the path"):
        load_rubric(str(tmp_path / "no.md"))


def test_a_rubric_skips_what_it_has_nothing_to_go_by() -> None:
    bare = row(expected=None)
    assert load_rubric("correctness").skips(bare, None) == "no_expected"
    assert load_rubric("correctness").skips(row(expected=None, criteria="Is kind."), None) is None
    assert load_rubric("custom").skips(bare, None) == "no_criteria"
    assert load_rubric("groundedness").skips(bare, None) is None
    assert load_rubric("groundedness").skips(bare, said("x")) == "no_context"
    assert load_rubric("groundedness").skips(row(context=[]), said("x")) is None
    assert load_rubric("tool_selection").skips(bare, said("x")) == "no_tools"
    assert load_rubric("tool_selection").skips(bare, said("x", agent=Agent(tools=(Tool(name="t"),)))) is None
    assert load_rubric("helpfulness").skips(bare, said("x")) is None
