"""How the filter behaves as a whole: its interface, what it holds back, how it fails open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module

import pytest
from structlog.testing import capture_logs

from afterturn import failopen
from afterturn.errors import UsageError
from afterturn.stream import Cleaned, Mark, StreamFilter, clean


def test_close_is_idempotent_and_feeding_after_it_is_a_usage_error() -> None:
    chain = StreamFilter(aliases=["c1"])
    assert (chain.feed("a [c1"), chain.close(), chain.close()) == ("a", " [c1", "")
    with pytest.raises(UsageError, match="make a new one"):
        chain.feed("b")
    idle = StreamFilter()
    assert (idle.feed("a "), idle.close()) == ("a ", "")
    with pytest.raises(UsageError, match="make a new one"):
        idle.feed("b")


def test_one_name_instead_of_a_list_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="wrap the one name"):
        StreamFilter(aliases="c1")
    with pytest.raises(UsageError, match="wrap the one name"):
        StreamFilter(tools="search")


def test_aliases_handed_out_while_the_reply_streams_count_from_then_on() -> None:
    chain = StreamFilter(aliases=[])
    chain.feed("a [c1]. ")
    chain.add_aliases(["c1", "c2"])
    chain.feed("b [c1, c2].")
    assert (chain.close(), chain.cited, chain.unknown) == ("", ["c1", "c2"], ["c1"])


def test_a_collection_of_aliases_is_read_at_match_time() -> None:
    aliases: list[str] = []
    chain = StreamFilter(aliases=aliases)
    chain.feed("a [c1")
    aliases.append("c1")
    chain.feed("].")
    assert (chain.close(), chain.cited) == ("", ["c1"])


def test_aliases_cannot_be_handed_out_where_citations_are_off() -> None:
    with pytest.raises(UsageError, match="aliases=\\[\\]"):
        StreamFilter().add_aliases(["c1"])


def test_aliases_and_tools_may_be_any_iterable() -> None:
    chain = StreamFilter(aliases=(f"c{n}" for n in (1, 2)), tools=iter(["search"]))
    assert chain.feed("search{q:1} a [c2][c1].") == "a."
    assert chain.cited == ["c2", "c1"]


def test_tool_names_may_hold_blanks_and_pattern_characters() -> None:
    for name in ("my tool", "a.b+c(d", "x|y"):
        for split in (1, 3, 50):
            chain = StreamFilter(tools=[name])
            text = f"I use {name}{{q:1}} now"
            out = "".join(chain.feed(text[at : at + split]) for at in range(0, len(text), split))
            assert (out + chain.close(), chain.leaks) == ("I use now", [name])


def test_the_raw_reply_keeps_what_was_taken_out_and_can_be_encoded() -> None:
    chain = StreamFilter(aliases=["c1"], tools=["search"])
    for delta in ("<think>x</think>a \ud83d", "\ude00 [c1] ", "search{q:1}", "\ud83d"):
        chain.feed(delta)
    assert chain.close() == " \ufffd"
    assert chain.raw == "<think>x</think>a 😀 [c1] search{q:1}\ufffd"
    assert clean(chain.raw, aliases=["c1"], tools=["search"]).text == "a 😀 \ufffd"


def test_cleaning_in_one_call_gives_what_the_filter_gives() -> None:
    assert clean("<think>x</think>a [c1] search{q:1}.", aliases=["c1"], tools=["search"]) == Cleaned(
        text="a.",
        raw="<think>x</think>a [c1] search{q:1}.",
        cited=("c1",),
        unknown=(),
        marks=(Mark("c1", 1, 1),),
        leaks=("search",),
        reasoning="x",
    )


# deltas, each with what is given out at once; then what close() gives
HELD = [
    ("what can no longer become a marker goes at once", [("a [the", "a [the"), ("[c", ""), ("x", "[cx")], ""),
    ("blanks wait", [("a ", "a"), (" ", ""), ("b", "  b")], ""),
    ("a line break does not", [("a\n", "a\n"), ("b. ", "b."), ("\n", " \n")], ""),
    ("a wrapper opener waits", [("a (", "a"), ("b", " (b"), (" *", ""), ("*", ""), ("b", " **b")], ""),
    ("a bracket waits", [("a [", "a"), ("c", ""), ("1", ""), (",", ""), (" a", ""), ("n", ""), ("y", " [c1, any")], ""),
    ("a marker waits for a link", [("a [c1]", "a"), ("(", " [c1]"), ("u)", "(u)")], ""),
    ("a group waits for its end", [("a [c1]", "a"), (",", ""), (" ", ""), ("[c2]", ""), (".", ".")], ""),
    ("a group that ends lets go", [("a [c1]", "a"), (" ", ""), ("an", ""), ("d", ""), ("y", " andy")], ""),
    ("a marker after a lone backtick waits", [("` [c1] b", "`"), (" c\n", " b c\n")], ""),
    ("code does not wait", [("```py\n[c1", "```py\n[c1"), ("]", "]"), ("\n", "\n")], ""),
    ("nor does what could wrap a marker there", [("```py\nf(", "```py\nf("), ("*", "*"), ("*", "*")], ""),
    ("a surrogate waits", [("a\ud83d", "a"), ("\ude00", "😀")], ""),
    ("the rest goes at the end", [("a ([c1", "a")], " ([c1"),
    ("a tool's name waits", [("a s", "a"), ("ea", ""), ("rch", ""), (" it", " search it")], ""),
    ("letters inside a word do not", [("bu", "bu"), ("s", "s"), (" as", " as"), ("search", "search")], ""),
    ("other words do not", [("a b", "a b"), ("ig", "ig"), (" house", " house"), (", and", ", and")], ""),
    ("a tag waits", [("a <tool", "a"), ("_", ""), ("box>", " <tool_box>")], ""),
    ("less-than does not", [("2 <", "2"), (" 3", " < 3"), (" a<b", " a<b")], ""),
    ("a list tag waits", [("a [TOO", "a"), ("L]", " [TOOL]")], ""),
]


@pytest.mark.parametrize(("deltas", "rest"), [case[1:] for case in HELD], ids=[case[0] for case in HELD])
def test_only_what_can_still_become_something_is_held(deltas: list[tuple[str, str]], rest: str) -> None:
    chain = StreamFilter(aliases=["c1"], tools=["search"])
    assert [(delta, chain.feed(delta)) for delta, _ in deltas] == deltas
    assert chain.close() == rest


def test_the_quick_look_at_plain_text_knows_every_ascii_character_that_a_stage_could_want() -> None:
    stages = ("_reasoning", "Reasoning"), ("_leaks", "Leaks"), ("_citations", "Citations")
    wanted = "".join(getattr(import_module(f"afterturn.stream.{room}"), name).specials for room, name in stages)
    assert {character for character in wanted if character.isascii()} == set("[(<{*`~")


def test_nothing_waits_for_a_stage_that_is_off() -> None:
    chain = StreamFilter()
    text = "a ( [c1 search{ ** `"
    assert "".join(map(chain.feed, text)) == text


def broken(error: BaseException) -> Callable[..., str]:
    def fail(*_arguments: object, **_more: object) -> str:
        raise error

    return fail


class Panic(BaseException):
    """Stands for what a dependency raises that derives from BaseException alone."""


@pytest.mark.parametrize("error", [RuntimeError("secret"), Panic("secret")], ids=["an error", "a panic"])
@pytest.mark.parametrize(
    ("place", "stage"),
    [
        ("afterturn.stream._citations.read_marker", "citations"),
        ("afterturn.stream._groups.Groups.marker", "citations"),
        ("afterturn.stream._leaks.reader", "leaks"),
        ("afterturn.stream._reasoning.Reasoning._speak", "reasoning"),
    ],
)
def test_a_bug_in_a_stage_lets_the_text_pass_from_there_on_and_logs_one_error_without_text(
    place: str, stage: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, broken(error))
    deltas = ["Hi <|x|> there", " ([c1", "], [c2]) x [c1] search{q:", '"secret"} [c2]', " <|x|>. bye "]
    chain = StreamFilter(aliases=["c1", "c2"], tools=["search"])
    before = failopen.counts[f"stream.{stage}"]
    with capture_logs() as logs:
        text = "".join(chain.feed(delta) for delta in deltas) + chain.close()
    passed = {
        "reasoning": "Hi <|x|> there x <|x|>. bye ",
        "leaks": 'Hi  there x search{q:"secret"} . bye ',
        "citations": "Hi  there ([c1], [c2]) x [c1] [c2] . bye ",
    }
    assert text == passed[stage]
    assert failopen.counts[f"stream.{stage}"] == before + 1
    assert [(log["log_level"], log["place"], log["error"]) for log in logs] == [
        ("error", f"stream.{stage}", type(error).__name__)
    ]
    assert "secret" not in str(logs)


@pytest.mark.parametrize("error", [asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_cancellation_and_exit_go_through(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterturn.stream._citations.read_marker", broken(error()))
    with pytest.raises(error):
        StreamFilter(aliases=["c1"]).feed("[c1] ")
