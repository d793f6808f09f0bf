"""`afterturn review` shows turns to a person and stores what they say; text stays there."""

from __future__ import annotations

from pathlib import Path

import pytest
from review_turns import ANNA, CANARY, NARROW, TURNS, Run, labels_in, last

from afterturn.store import open_store


def test_answers_are_stored_at_once_and_not_asked_for_again(run: Run, database: Path) -> None:
    first = run(*ANNA, typed="y\nno\nwhat\nu\ns\nq\n")
    told = last(first)
    assert (first.exit_code, told["drawn"], told["answered"], told["left"], told["turns"]) == (0, 30, 3, 27, 120)
    assert [answer for *_, answer in sorted(labels_in(database))].count("unsure") == 1
    assert "type y, n, u, s or q" in first.stderr
    second = last(run(*ANNA, typed="y\n" * 27))
    assert (second["sample"], second["answered"], second["left"]) == (told["sample"], 27, 0)
    assert len(labels_in(database)) == 30
    assert last(run(*ANNA))["left"] == 0
    other = last(run("--classifier", "safety", "--reviewer", "ben", "--size", "30", typed="y\n"))
    assert (other["sample"], other["left"]) == (told["sample"], 29)


def test_an_interruption_loses_nothing(run: Run, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["y", "n"])

    def types() -> str:
        for text in typed:
            return text
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", types)
    result = run(*ANNA)
    assert (result.exit_code, last(result)["answered"]) == (0, 2)
    assert len(labels_in(database)) == 2


def test_a_person_sees_the_turn_and_the_question_but_not_the_judges_answer(run: Run) -> None:
    text = run(*ANNA, typed="q\n").stderr
    for part in (f"{CANARY} before", "second line", f"{CANARY} reply", "turn 1 of 30", "Is there self-harm"):
        assert part in text
    assert "[b]" in text  # text of a conversation is no markup
    assert "\x1b" not in text  # and gives the terminal no orders
    assert "finding" not in text
    assert f"{CANARY} scope" not in text  # this question does not need it


def test_the_same_seed_draws_the_same_turns_and_a_larger_sample_keeps_the_answers(run: Run, database: Path) -> None:
    run(*ANNA, typed="y\n" * 30)
    more = last(run("--classifier", "safety", "--reviewer", "anna", "--size", "50", typed="q\n"))
    assert (more["sample"], more["drawn"], more["left"]) == (2, 50, 20)
    again = last(run(*ANNA, "--again", typed="q\n"))
    assert (again["sample"], again["left"]) == (3, 0)
    with open_store(database) as store:
        third, _, first = (store.reviews.turns(one) for one in store.reviews.samples(NARROW))
    assert third == first
    assert last(run(*ANNA, "--seed", "9", typed="q\n"))["sample"] == 4


def test_a_turn_whose_text_has_gone_is_not_shown_and_is_counted(run: Run, database: Path) -> None:
    last(run(*ANNA, typed="q\n"))
    with open_store(database) as store:
        (drawn,) = store.reviews.samples(NARROW)
        gone = store.reviews.turns(drawn)[0]
        store.forget("acme", gone.turn.replace("t-", "s-"))
    told = last(run(*ANNA, typed="q\n"))
    assert (told["left"], told["unreadable"], told["expired"]) == (29, 1, 0)
    assert last(run(*ANNA, "--again", typed="q\n"))["expired"] == 1
    with open_store(database) as store:
        for number in range(TURNS):
            store.forget("acme", f"s-{number}")
    nothing = run(*ANNA, "--again")
    assert (nothing.exit_code, last(nothing)["expired"]) == (3, TURNS)
    assert "the text of all of them is gone" in nothing.stderr


def test_no_text_is_told_anywhere_but_where_turns_are_shown(run: Run, tmp_path: Path) -> None:
    shown = run(*ANNA, "--json", typed="y\nn\n")
    assert CANARY in shown.stderr
    assert CANARY not in shown.stdout  # which is one JSON object, for whoever parses it
    for arguments in (("--classifier", "safety", "--report"), ("--export", tmp_path / "out.jsonl")):
        assert CANARY not in run(*arguments).output
    assert CANARY not in (tmp_path / "out.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--classifier", "safety"), "give --reviewer"),
        (("--reviewer", "anna"), "give --classifier"),
        (("--reviewer", " ", "--classifier", "safety"), "--reviewer is no name"),
        (("--reviewer", "a\x1b[31m", "--classifier", "safety"), "--reviewer is no name"),
        (("--reviewer", "anna", "--classifier", "scope_drift"), "no answered verdict"),
        (("--report", "--export", "-"), "give one of"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: tuple[str, ...], told: str) -> None:
    result = run(*arguments)
    assert told in f"{result.output} {result.exception}"


def test_without_a_size_the_last_sample_goes_on_and_a_new_draw_is_asked_for(run: Run) -> None:
    plain = ("--classifier", "safety", "--reviewer", "anna")
    first = last(run(*plain, "--size", "9", "--seed", "4", typed="y\nq\n"))
    on = last(run(*plain, typed="q\n"))
    assert (on["sample"], on["seed"], on["left"]) == (first["sample"], 4, first["left"])
    drawn = last(run(*plain, "--again", typed="q\n"))
    assert (drawn["sample"], drawn["seed"], drawn["drawn"]) == (2, 4, first["drawn"])
    dated = last(run(*plain, "--until", "2026-12-31", typed="q\n"))
    assert dated["sample"] == 3  # of another period, so it is another sample
    assert last(run(*plain, typed="q\n"))["sample"] == 3


def test_turns_that_two_reviewers_disagree_on_come_first_to_a_third(run: Run, database: Path) -> None:
    run(*ANNA, typed="n\n" * 30)
    with open_store(database) as store:
        (sample,) = store.reviews.samples(NARROW)
        torn = {turn.key for turn in store.reviews.turns(sample)[-3:]}
        store.reviews.label(dict.fromkeys(torn, "yes"), "safety", reviewer="ben")
    assert last(run(*ANNA))["contradictory"] == 0  # she has answered them
    carl = ("--classifier", "safety", "--reviewer", "carl")
    assert last(run(*carl, typed="y\ny\ny\nq\n"))["contradictory"] == 3
    with open_store(database) as store:
        assert {label.key for label in store.reviews.labels() if label.reviewer == "carl"} == torn
        assert store.reviews.reviewed(sample).contradictory == 0
