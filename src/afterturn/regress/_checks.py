"""Says of each check whether it holds for what was seen of a turn. Pure: facts in, state out.

A further check is one function and one line in `CHECKS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from afterturn.regress._records import Check, Seen
from afterturn.store import events
from afterturn.turns import JsonValue

CONVERSATION, SOURCES = "conversation", "sources"

_MARKER = re.compile(r"\[\s*c\d+\b[^\]\n]{0,40}\]?", re.IGNORECASE)

Found = tuple[bool, str, str]
"""Whether it holds, the reason's code where it does not, and what was found."""

CheckFunction = Callable[[Seen, JsonValue, Sequence[str]], Found]


class _NotKnownError(Exception):
    """Says that the facts of a check are missing; its argument is the code."""


def checked(suite: str, turn: int, name: str, argument: JsonValue, seen: Seen, categories: Sequence[str]) -> Check:
    """Makes one check.

    Args:
        suite: Name of the suite.
        turn: Which turn of it, from 1.
        name: Name of the check.
        argument: What the suite says beside the name.
        seen: What was seen of the turn.
        categories: The agent's closed list.
    """
    check = Check(suite=suite, turn=turn, name=name, state="error")
    if seen.error is not None:
        return replace(check, reason=seen.error, told="the turn was not answered")
    try:
        holds, reason, told = CHECKS[name](seen, argument, categories)
    except _NotKnownError as unknown:
        return replace(check, reason=str(unknown), told="nobody could say")
    return replace(check, state="pass" if holds else "fail", reason=None if holds else reason, told=told)


def _grounded(seen: Seen, argument: JsonValue, _: Sequence[str]) -> Found:
    missing = [said for said in _texts(argument) if not re.search(rf"(?<!\w){re.escape(said)}(?!\w)", seen.shown)]
    return not missing, "not_in_answer", f"without {', '.join(missing)}" if missing else "says what the passages say"


def _no_marker(seen: Seen, _: JsonValue, __: Sequence[str]) -> Found:
    """What streamed and what is stored must be one text, and free of anything like a citation."""
    left = len(_MARKER.findall(seen.shown)) + len(_MARKER.findall(seen.stored))
    if seen.shown != seen.stored:
        return False, "stored_differs", "what streamed is not what is stored"
    return not left, "marker_left", f"{left} left" if left else "none"


def _relevant_source(seen: Seen, argument: JsonValue, _: Sequence[str]) -> Found:
    _know_sources(seen)
    found = sorted({alias for alias, _how in seen.sources}.intersection(_texts(argument)))
    hows = sorted({how for _alias, how in seen.sources})
    told = f"{', '.join(alias for alias, _how in seen.sources) or 'none'} ({', '.join(hows) or '-'})"
    return bool(found), "no_relevant_source", told


def _sources_once(seen: Seen, _: JsonValue, __: Sequence[str]) -> Found:
    _know_sources(seen)
    count = seen.events.get(events.SOURCES_CITED, 0) + seen.events.get(events.SOURCES_ATTRIBUTED, 0)
    return count == 1, "not_once", f"logged {count} times"


def _metadata_once(seen: Seen, _: JsonValue, __: Sequence[str]) -> Found:
    _know_conversation(seen)
    titles, categories = seen.events.get(events.SESSION_TITLE, 0), seen.events.get(events.SESSION_CATEGORIES, 0)
    holds = titles == categories == 1 and bool(seen.title) and bool(seen.categories)
    return holds, "not_once", f"title {titles} times, categories {categories} times: {_named(seen)}"


def _one_classification(seen: Seen, _: JsonValue, __: Sequence[str]) -> Found:
    _know_conversation(seen)
    count = len(seen.verdicts.get(CONVERSATION, ()))
    holds = count == 1 and seen.judge_calls <= 1
    return holds, "not_one", f"{count} verdicts, judge asked {seen.judge_calls} times"


def _categories_in_list(seen: Seen, _: JsonValue, categories: Sequence[str]) -> Found:
    _know_conversation(seen)
    outside = sum(name not in categories for name in seen.categories or ())
    return not outside, "outside_list", f"{outside} outside" if outside else _named(seen)


def _expected_category(seen: Seen, argument: JsonValue, categories: Sequence[str]) -> Found:
    """The expected one must be among those named; a model that names the whole list has named none."""
    _know_conversation(seen)
    if len(categories) > 1 and set(categories) <= set(seen.categories or ()):
        return False, "whole_list", "names the whole list"
    return bool(set(_texts(argument)).intersection(seen.categories or ())), "other_category", _named(seen)


def _title(seen: Seen, _: JsonValue, __: Sequence[str]) -> Found:
    _know_conversation(seen)
    return bool(seen.title), "no_title", "there is one" if seen.title else "none"


def _no_title(seen: Seen, _: JsonValue, __: Sequence[str]) -> Found:
    _know_conversation(seen)
    return not seen.title, "title", "there is one" if seen.title else "none"


CHECKS: dict[str, CheckFunction] = {
    "grounded": _grounded,
    "no_marker": _no_marker,
    "relevant_source": _relevant_source,
    "sources_once": _sources_once,
    "metadata_once": _metadata_once,
    "one_classification": _one_classification,
    "categories_in_list": _categories_in_list,
    "expected_category": _expected_category,
    "title": _title,
    "no_title": _no_title,
}


def _know_conversation(seen: Seen) -> None:
    """Refuses to say anything of a classification that gave no answer: no title is no pass then."""
    for status, reason in seen.verdicts.get(CONVERSATION, ()):
        if status in ("error", "skipped"):
            raise _NotKnownError(reason or status)
    if not seen.verdicts.get(CONVERSATION):
        raise _NotKnownError("no_verdict")


def _know_sources(seen: Seen) -> None:
    """Inline citations are known without a judge; only where there is none, the attribution must have answered."""
    if any(how == "cited" for _alias, how in seen.sources):
        return
    for status, reason in seen.verdicts.get(SOURCES, ()):
        if status == "error":
            raise _NotKnownError(reason or status)
    if not seen.verdicts.get(SOURCES):
        raise _NotKnownError("no_verdict")


def _named(seen: Seen) -> str:
    return ", ".join(seen.categories or ()) or "no category"


def _texts(argument: JsonValue) -> Sequence[str]:
    return cast(Sequence[str], argument)
