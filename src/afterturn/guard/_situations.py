"""Knows everyday situations whose sentences look like attacks, by who speaks of what to whom.

Somebody takes back an order, tells what a gate does, puts up a notice for people, writes the instructions of a machine
of their own, asks for the steps once more, or has a scene corrected. Each is excused by more than one sign, and by none
where the words are about the machine that reads them: whoever only claims such a situation is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from afterturn.guard import _scene_patterns, _situation_patterns, _talk_patterns
from afterturn.guard._context_patterns import DO_IT, DO_IT_ELSEWHERE, FOREIGN, OWN_MACHINE, TO_YOU
from afterturn.guard._fold import fold
from afterturn.guard._found import found
from afterturn.guard._rules import SHOWN, Cut

_NEAR = 80
_AROUND = 240
_TITLE = 160
_COMMENTS = ("#", "/", "*", "--", ";")
_ASSIST = ("ssist", "asist", "asyst")
_LONG = 4000
_SPEAKERS = 3
_YOURS = re.compile(r"\b(?:your|deine\w*|tes|tus|suas|tue|jouw)\b")
_MYSELF = re.compile(r"\b(?:me|i|my|we|us)\b")
_ASKING = re.compile(r"[?؟]")
_MARKS = re.compile(r"[\"“„«‘「《»]")
_SENTENCE = re.compile(r"[.!?。।\n]")


@dataclass(frozen=True, slots=True)
class _Seen:
    """Is a match and what stands around it."""

    text: str
    start: int
    left: str
    match: str
    right: str

    @property
    def sentence(self) -> str:
        return _SENTENCE.split(self.left)[-1]

    @property
    def around(self) -> str:
        return f"{self.left} {self.match} {self.right}"


def is_everyday(text: str, start: int, end: int, cut: frozenset[Cut]) -> bool:
    """Says whether a match is of such a situation.

    Args:
        text: The normalised text.
        start: Where the match starts.
        end: Where it ends.
        cut: The contexts that count for the rule.
    """
    if cut <= SHOWN or cut.isdisjoint(_KNOWN):
        return False
    seen = _Seen(text, start, text[max(0, start - _AROUND) : start], text[start:end], text[end : end + _AROUND])
    if any(is_it(seen) for name, is_it in _EVEN_WITH_ORDERS.items() if name in cut):
        return True
    others = [is_it for name, is_it in _WITHOUT_ORDERS.items() if name in cut]
    return bool(others) and not _is_ordered(seen.right) and any(is_it(seen) for is_it in others)


@cache
def _compiled(name: str) -> re.Pattern[str]:
    known: dict[str, str] = vars(_situation_patterns) | vars(_scene_patterns) | vars(_talk_patterns)
    return re.compile("".join(char if char.isascii() else fold(char) for char in known[name]))


def _finds(name: str, text: str) -> bool:
    return found(_compiled(name), text)


def _is_ordered(right: str) -> bool:
    """Says whether what follows orders to obey."""
    if found(DO_IT, right):
        return True
    return found(FOREIGN, right) and found(DO_IT_ELSEWHERE, right)


def _takes_back(seen: _Seen) -> bool:
    """An own message or order is taken back, or what the writer said about something."""
    first, *rest = _compiled("BREAK").split(seen.match, maxsplit=1)
    if rest and _finds("MESSAGE", first) and not _finds("GRANTS", seen.match) and not found(TO_YOU, seen.match):
        return True
    after = seen.right[:_NEAR]
    if (
        not seen.sentence.isascii()
        and _finds("I_GAVE", seen.sentence)
        and _finds("GIVEN", seen.match)
        and _finds("CAKES", after)
    ):
        return True
    whole = seen.match + after
    if not _finds("I_SAID", whole) or _finds("AI_NAMED", whole) or _YOURS.search(after) is not None:
        return False
    return not _finds("ALL_OF_IT", seen.match) or _finds("TOPIC", whole)


def _is_of_a_matter(seen: _Seen) -> bool:
    """The instructions are about a thing of the customer's world."""
    if _finds("MACHINERY", seen.match[-40:] + seen.right[:_NEAR]):
        return False
    first = seen.left[-16:] + seen.match[:40]
    return _compiled("MATTER_AFTER").match(seen.right) is not None or _finds("MATTER_FIRST", first)


def _is_notice(seen: _Seen) -> bool:
    """Rules for people: a notice, a handbook, a circular."""
    if not _finds("AUDIENCE", seen.around) and not _finds("TITLE", seen.text[: min(_TITLE, seen.start)]):
        return False
    if found(TO_YOU, seen.match) or _finds("AI_NAMED", seen.around):
        return False
    return not _finds("GRANTS", seen.match + seen.right[:_NEAR])


def _tells_what_happens(seen: _Seen) -> bool:
    """A thing does it, and is told of; nobody is ordered to."""
    sentence, match = seen.sentence, seen.match
    if found(OWN_MACHINE, sentence) and _finds("SUBJECT", sentence):
        return True
    if found(TO_YOU, sentence + match) or _finds("YOU_TOO", sentence + match):
        return False
    if match.split(" ")[0].endswith("ing") and _ASKING.search(seen.right) and _finds("TELLING", sentence):
        return True
    if _finds("TOLD_ME", sentence) or _finds("MAY_I", seen.right[:16]) or _finds("MINE_BEFORE", sentence):
        return True
    if _finds("DELETED", match) and _finds("RULES", match) and _finds("WISH", sentence + seen.right[:_NEAR]):
        return True
    return _is_stated(sentence, match, seen.right)


def _is_stated(sentence: str, match: str, right: str) -> bool:
    """The verb is none of ordering."""
    word = re.match(r"\w*", right)
    whole = match + (word[0] if word else "")
    if _finds("STATED", whole) or _finds("STATED_TR", whole) or _finds("STATED_NEAR", match[-8:] + right[:12]):
        return True
    if sentence[-1:] in ("ي", "ت", "ن") and not sentence[-2:-1].isalpha():  # the prefix of an Arabic present tense
        return True
    if _finds("STATED_BY_FORM", right[:12]):
        return True
    if _finds("AI_NAMED", sentence):
        return False
    if _finds("SAYS_THAT", sentence) or _finds("SUBJECT", sentence):
        return True
    return _finds("THING", sentence + match) and _finds("STATED_AT_END", right[:12])


def _is_of_own_machine(seen: _Seen) -> bool:
    """Somebody asks about the instructions that they write for a machine, or whether others could turn one."""
    if _ASKING.search(seen.right) is None:
        return False
    before = seen.left + seen.match
    if _finds("MACHINE_DOES", seen.sentence[-40:] + seen.match[:40]):
        return True
    if _finds("MAY_ANYBODY", before) and _MYSELF.search(seen.match) is None:
        return True
    if not _finds("PROMPT", before) or not _finds("WRITES", before):
        return False
    return _finds("MACHINE", before + seen.right[:_NEAR]) and (
        _MARKS.search(before) is not None or not found(TO_YOU, seen.match)
    )


def _was_given(seen: _Seen) -> bool:
    """The assistant itself gave these steps to the customer before."""
    return _finds("GIVEN_TO_ME", seen.match + seen.right[:_NEAR])


def _is_logged(seen: _Seen) -> bool:
    """A log or a display shows it, and somebody asks what it means."""
    asked = _ASKING.search(seen.right) is not None
    if asked and _finds("WHICH_HOLDS", seen.right) and _finds("SHOWN_TALK", seen.left):
        return True
    shown = _finds("LOGGED", seen.left + seen.match[:12]) or _finds("POPPED_UP", seen.right)
    return shown and _finds("MEANS", seen.left + seen.right)


def _is_built(seen: _Seen) -> bool:
    """Developers' talk: code and a question about it, release notes, flags of tests."""
    around = seen.left + seen.right
    if _finds("AI_NAMED", around) or _finds("GRANTS", seen.right):
        return False
    long = seen.text[:_LONG]
    return _finds("DEVELOPED", around) or (_finds("CODE", long) and _ASKING.search(long) is not None)


def _is_asked_about(seen: _Seen) -> bool:
    """A comment stands between lines of code, and the writer asks something; or it is a note of who wrote the code."""
    line = seen.left[seen.left.rfind("\n") + 1 :]
    if not any(sign in line or sign in seen.match for sign in _COMMENTS):
        return False
    after, _, below = seen.right.partition("\n")
    if _finds("AI_NAMED", line + seen.match + after) or _finds("GRANTS", after):
        return False
    if _finds("NOTED", line + seen.match):
        return True
    beside = seen.left[: len(seen.left) - len(line)] + below
    return _finds("COMMENT", seen.left) and _finds("CODE_BESIDE", beside) and _ASKING.search(beside) is not None


def _is_had_done(seen: _Seen) -> bool:
    """Somebody asks how to have a thing do it, says that the secrets are left out, or speaks to people."""
    if _compiled("REDACTED").match(seen.right) is not None:
        return True
    near = seen.match + seen.right[:_NEAR]
    if any(stem in near for stem in _ASSIST) and not found(TO_YOU, seen.match) and _finds("HELPERS", near):
        return True
    return _ASKING.search(seen.right[:_NEAR]) is not None and _finds("CAUSED", seen.sentence)


def _is_scene(seen: _Seen) -> bool:
    """A game of dwarfs and inns, or a scene with speakers of its own that somebody wants looked over."""
    around = seen.left + seen.right
    if _finds("FANTASY", around) and not _finds("MACHINERY", around) and not _finds("AI_NAMED", around):
        return True
    start = seen.text[:_AROUND]
    if not _finds("TELLS_OF_WORDS", start + seen.left) or _finds("AI_NAMED", start + seen.right):
        return False
    names = [name.strip() for name in _compiled("SPEAKER").findall(seen.text[:_LONG])]
    return len(names) >= _SPEAKERS and len(set(names)) < len(names) and bool(set(names) - _scene_patterns.ROLES)


def _is_advice(seen: _Seen) -> bool:
    """It is said how to keep a machine from obeying what it reads."""
    return _finds("SECURE", seen.around)


_EVEN_WITH_ORDERS: dict[Cut, Callable[[_Seen], bool]] = {
    "withdrawn": _takes_back,
    "matter": _is_of_a_matter,
    "notice": _is_notice,
    "scene": _is_scene,
}
"""Here an order to follow something is what people say: take the new sheet, follow the detour, pretend to be an elf."""

_WITHOUT_ORDERS: dict[Cut, Callable[[_Seen], bool]] = {
    "stated": _tells_what_happens,
    "own": _is_of_own_machine,
    "given": _was_given,
    "log": _is_logged,
    "code": _is_asked_about,
    "reported": _is_had_done,
    "built": _is_built,
    "advice": _is_advice,
}

_KNOWN = frozenset(_EVEN_WITH_ORDERS) | frozenset(_WITHOUT_ORDERS)
