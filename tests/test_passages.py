from __future__ import annotations

from typing import Any

import pytest

from afterturn import Passage
from afterturn.errors import UsageError
from afterturn.passages import hand_out


def test_aliases_are_numbered_on_from_what_the_session_has_handed_out() -> None:
    assert hand_out(["a", "b"]).aliases == ("c1", "c2")
    assert hand_out(["c"], taken=("c1", "c2", "c9")).aliases == ("c10",)
    assert hand_out(["c"], taken=("C7", "c9999", "c10000", "source")).aliases == ("c10001",)


def test_a_result_keeps_its_title_uri_and_unknown_keys() -> None:
    (passage,) = hand_out([{"text": "t", "title": "T", "uri": "u", "score": 0.5}])
    assert passage == Passage(alias="c1", text="t", title="T", uri="u", extra={"score": 0.5})


def test_a_passage_gets_the_sessions_alias_in_place_of_its_own() -> None:
    (passage,) = hand_out([Passage(alias="c1", text="t")], taken=("c4",))
    assert passage.alias == "c5"


def test_the_prompt_has_every_passage_under_its_alias_and_says_how_to_cite() -> None:
    prompt = hand_out([{"text": "Leave is 27 days.", "title": "Handbook"}, "Second."]).prompt()
    assert "[c1] Handbook\nLeave is 27 days." in prompt
    assert "[c2]\nSecond." in prompt
    assert prompt.index("[c2]\n") < prompt.index("square brackets")


def test_no_results_make_no_prompt() -> None:
    assert hand_out([]).prompt() == ""


@pytest.mark.parametrize("result", [{"title": "no text"}, {"text": None}, {"text": 3}])
def test_a_result_without_text_is_named_by_its_number(result: Any) -> None:
    with pytest.raises(UsageError, match="search result 2"):
        hand_out(["fine", result])
