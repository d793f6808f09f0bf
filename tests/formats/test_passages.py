"""Claims about the memory of handed-out aliases."""

from __future__ import annotations

from afterturn.formats._passages import AliasBook
from afterturn.turns import Message, Passage, Turn


def turn(session: str, *aliases: str) -> Turn:
    passages = tuple(Passage(alias=alias, text="") for alias in aliases)
    return Turn(messages=(Message(role="user"),), session=session, passages=passages)


def test_the_session_that_was_silent_longest_is_forgotten_first() -> None:
    book = AliasBook(max_sessions=2)
    for session in ("a", "b", "a", "c"):
        book.add(turn(session, "c1"))
    assert [book.known("default", session) for session in "abc"] == [("c1",), (), ("c1",)]


def test_the_oldest_aliases_of_a_long_session_are_forgotten() -> None:
    book = AliasBook(max_aliases=2)
    book.add(turn("a", "c1", "c2", "c3"))
    assert book.known("default", "a") == ("c2", "c3")


def test_a_turn_without_passages_is_not_remembered() -> None:
    book = AliasBook()
    book.add(turn("a"))
    assert book.known("default", "a") == ()
