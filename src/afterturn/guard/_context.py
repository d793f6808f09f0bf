"""Tells an attack from a text that speaks about attacks: quoted, reported, or within code.

It reads the normalised text around a match, some hundred characters on each side and never past a paragraph, so its
cost does not grow with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from afterturn.guard import _context_patterns as words
from afterturn.guard._found import found
from afterturn.guard._mention import speaks_of_words
from afterturn.guard._rules import Cut
from afterturn.guard._situations import is_everyday

_REACH = 320

_QUOTES: dict[str, str] = {
    '"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "「": "」", "『": "』",
    "《": "》", "‹": "›", "‚": "‘’",
}  # fmt: skip

_OPENINGS = frozenset((*_QUOTES, " ", "\n"))
_CLOSINGS = frozenset("".join(_QUOTES.values()) + ".,!?;:")

_BEFORE_OPENING = frozenset(("", *" \n([{<-–—:=,;>/|«“„"))
_AFTER_CLOSING = frozenset(" \n.,;:!?)]}")

_WEAK_PAIRS = {"(": ")", "*": "*", "_": "_", "[": "]"}
_QUOTED_LEAST = 2
_ENDING_LEAST = 3
_MARKED_LEAST = 4


@dataclass(frozen=True, slots=True)
class _Place:
    """Is a match with what stands around it in its line."""

    text: str
    start: int
    end: int
    line: int
    stop: int

    @property
    def left(self) -> str:
        return self.text[self.line : self.start]

    @property
    def right(self) -> str:
        return self.text[self.end : self.stop]


def is_cut(text: str, start: int, end: int, cut: frozenset[Cut]) -> bool:
    """Says whether a match stands in a context that makes it no attack.

    Args:
        text: The normalised text.
        start: Where the match starts.
        end: Where it ends.
        cut: The contexts that count for the rule.
    """
    if not cut:
        return False
    while end > start and text[end - 1] in _CLOSINGS:  # a pattern that ends in any letters may have eaten the mark
        end -= 1
    while start < end and text[start] in _OPENINGS:
        start += 1
    line = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    stop = text.find("\n", end)
    stop = min(len(text) if stop < 0 else stop, end + _REACH)
    place = _Place(text, start, end, line, stop)
    if "code" in cut and _in_code(place):
        return True
    if "quoted" in cut and _is_mentioned(place):
        return True
    return ("reported" in cut and _is_reported(place)) or is_everyday(text, start, end, cut)


def _is_mentioned(place: _Place) -> bool:
    """Says whether the words are marked as somebody's, and what stands around them speaks about them."""
    span = _quotation(place)
    if span is not None:
        outside = left, right = _outside(place, *span)
        if _obeys(outside):
            return False
        if span[0] >= place.start:  # only what ends the match is quoted
            return speaks_of_words(f"{left} … {right}", _ENDING_LEAST)
        if speaks_of_words(f"{left} … {right}", _QUOTED_LEAST) or _is_question(left, right):
            return True
        return found(words.ABOUT, left) or found(words.ABOUT, right)
    span = _passage(place)
    if span is None:
        return _is_said(place)
    outside = _outside(place, *span)
    if words.BULLET.match(text := place.text[span[0] : span[0] + 8]):
        outside = tuple(map(_without_items, outside))
    if "?" in outside[1][:_REACH]:
        outside = (*outside, "question")  # what is asked about is not ordered
    least = _QUOTED_LEAST if text.lstrip().startswith(">") else _MARKED_LEAST
    return not _obeys(outside) and speaks_of_words(" … ".join(outside), least)


def _is_reported(place: _Place) -> bool:
    left, right = place.left, place.right
    if _obeys((left, right)):
        return False
    if found(words.ASKED, left):
        return True
    sentence = _sentence_before(left)
    if found(words.REPORTED, sentence) or words.PREVENTED.match(right) is not None:
        return True
    match = place.text[place.start : place.end]
    if found(words.OWN_WORDS, match) or words.MATTER.match(right) or found(words.MATTER_BEFORE, left):
        return not found(words.TO_YOU, match)
    if found(words.POSSIBLE, sentence) and words.ASKED_AT_END.match(right):
        return True
    return (
        not found(words.TO_YOU, match)
        and found(words.OWN_MACHINE, sentence + match)
        and (
            words.ASKS.match(sentence) is not None
            or found(words.WORRIED, sentence)
            or words.ASKED_AT_END.match(right) is not None
        )
    )


def _without_items(part: str) -> str:
    """Leaves out the other items of a list."""
    return "\n".join(line for line in part.split("\n") if not words.BULLET.match(line))


def _obeys(outside: tuple[str, ...]) -> bool:
    return any(_orders(_without_quotations(part)) for part in outside)


def _without_quotations(part: str) -> str:
    if part.isascii() and '"' not in part and "'" not in part:
        return part
    return words.CLOSED.sub('"…"', part)


def _orders(part: str) -> bool:
    if found(words.DO_IT, part):
        return True
    return not part.isascii() and found(words.FOREIGN, part) and found(words.DO_IT_ELSEWHERE, part)


def _outside(place: _Place, start: int, end: int) -> tuple[str, ...]:
    """Gives what stands before and after a span, in the lines next to it as well."""
    text = place.text
    return text[max(0, start - _REACH) : start], text[end : end + _REACH]


def _quotation(place: _Place) -> tuple[int, int] | None:
    """Gives where the quotation starts and ends in which a match stands, the marks included."""
    text, line, stop = place.text, place.line, place.stop
    for at in (place.start, place.end):
        left, right = text[line:at], text[at:stop]
        for opening, closings in _QUOTES.items():
            if opening not in left or (opened := _opened(left, opening, closings)) < 0:
                continue
            closed = _closed(right, opening, closings)
            if closed < 0 or _is_value(left[:opened]):
                continue
            inside = at - line - opened  # of what only ends in a quotation, much of it must be within
            within = at == place.start or inside * 5 >= (place.end - place.start) * 2
            if within or speaks_of_words(_last_words(text[place.start : line + opened]), _ENDING_LEAST):
                return line + opened, at + closed + 1
    return None


def _last_words(before: str) -> str:
    return " ".join(before.split()[-3:])


def _is_value(before: str) -> bool:
    """Says whether a mark opens the value of a key or an attribute: data, which nobody quotes."""
    return words.JSON_KEY.search(before[-4:]) is not None or words.YAML_KEY.fullmatch(before) is not None


def _opened(left: str, opening: str, closings: str) -> int:
    if opening == "'":
        begun = [match.start() for match in re.finditer(r"(?<![^\W_])'(?=\S)", left)]
        return begun[-1] if begun and re.search(r"(?<=\S)'(?!\w)", left[begun[-1] + 1 :]) is None else -1
    at = left.rfind(opening)
    if at < 0:
        return -1
    if opening in closings:
        return at if _begins(left, at) else -1
    return -1 if any(closing in left[at + 1 :] for closing in closings) else at


def _begins(left: str, at: int) -> bool:
    """Says whether a mark that both opens and closes opens: by its neighbours, else as each odd one does."""
    before, after = left[at - 1 : at] if at else "", left[at + 1 : at + 2]
    if after in _AFTER_CLOSING:
        return False
    return before in _BEFORE_OPENING or (not before.isascii() and left.count(left[at]) % 2 == 1)


def _closed(right: str, opening: str, closings: str) -> int:
    if opening in "'‘‚":
        match = re.search(rf"(?<=\S)[{closings}](?![^\W_])", right) or re.search(rf"[{closings}]", right)
        return match.start() if match else -1
    return min((at for at in map(right.find, closings) if at >= 0), default=-1)


def _is_said(place: _Place) -> bool:
    """Says whether a verb of saying closes the sentence, where the verb comes last, and it is told as a story."""
    if words.SAID.match(place.right) is None or _orders(place.right):
        return False
    return speaks_of_words(f"{_sentence_before(place.left)} … {place.right}", _MARKED_LEAST)


def _passage(place: _Place) -> tuple[int, int] | None:
    """Gives the passage that is set off otherwise: after a colon, in a list, in brackets, on a line of a reply."""
    text, left = place.text, place.left
    start = text.rfind("\n", 0, place.start) + 1
    if start >= place.start - _REACH and words.BULLET.match(text[start : place.start + 1]):
        return start, place.stop
    items = list(words.ITEM.finditer(left))
    if len(items) + len(words.ITEM.findall(place.right)) > 1 and items and "." not in left[items[-1].end() :]:
        following = words.ITEM.search(place.right)
        return place.line + items[-1].start(), place.end + (following.start() if following else len(place.right))
    for opening, closing in _WEAK_PAIRS.items():
        at = left.rfind(opening)
        if at >= 0 and closing not in left[at + 1 :] and closing in place.right:
            return place.line + at, place.end + place.right.index(closing) + 1
    return _introduced(place)


def _introduced(place: _Place) -> tuple[int, int] | None:
    """Gives the one or two sentences after a colon that somebody's words come after."""
    left = place.text[place.line : place.start + (place.end - place.start) * 3 // 5]
    for colon in reversed(list(words.COLON.finditer(left))):
        at = colon.end()
        if len(words.ENDING.findall(left[at:])) > 1:
            return None
        clause = words.ENDING.split(left[max(0, at - 80) : at])[-1]
        if not found(words.HAILED, left[:at]) and speaks_of_words(clause, 1):
            ending = words.ENDING.search(place.right)
            return place.line + at, place.end + (ending.end() if ending else len(place.right))
    return None


def _is_question(left: str, right: str) -> bool:
    """Says whether the sentence around a quotation asks something of it."""
    outside = right.lstrip("\"'`”’»」 .!")
    return "?" in outside[:120] and not _sentence_before(left).rstrip("\"'`“„«‘ ").endswith(":")


def _sentence_before(left: str) -> str:
    return re.split(r"[.!?。] ", left)[-1]


def _in_code(place: _Place) -> bool:
    left, right = place.left, place.right
    if left.endswith("`") and right.startswith("`"):
        return False  # a code span is a quotation
    line = left + place.text[place.start : place.end]
    if words.CODE_LINE.match(line) is not None:
        return True
    near = line[-200:] + right[:60]
    if _holds(near, words.CODE_SIGNS, words.CODE_NEAR):
        return True
    return _holds(line + right, words.LABELS, words.LABELLED)


def _holds(text: str, parts: Iterable[str], pattern: re.Pattern[str]) -> bool:
    """Says whether a text holds one of several parts and the pattern, whichever of these is asked for sooner."""
    if text.isascii() and not found(pattern, text):
        return False
    return any(part in text for part in parts) and found(pattern, text)
