"""Tells content words from function words, and guesses whether a text is English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from afterturn.language._tables import phrases
from afterturn.language._text import Token, has_cjk, has_run, is_cjk, tokens, words

_STEM_CHARS = 5


def content_tokens(text: str) -> list[Token]:
    """Gives the tokens that carry a topic: no function words of the text's language, no lone letters; numbers stay."""
    found = tokens(text)
    carries = _carrying([token.folded for token in found])
    return [token for token in found if carries(token.folded)]


def weight(text: str) -> float:
    """Counts the content words of a text; a CJK character counts as half a word, a bare number not at all."""
    return sum(0.5 if is_cjk(token.folded) else 1.0 for token in content_tokens(text) if not token.folded.isdigit())


def stems(text: str) -> frozenset[str]:
    """Gives the content words cut to five letters, which joins most inflected forms in most languages.

    CJK characters are joined to pairs.
    """
    said = words(text)
    if text.isascii() or not has_cjk(" ".join(said)):  # most texts: nothing to join
        empty = _empty_words(tuple(languages_of(said)))
        return frozenset([word[:_STEM_CHARS] for word in said if len(word) > 1 and word not in empty])
    found: set[str] = set()
    previous = ""
    for word in filter(_carrying(said), said):
        if is_cjk(word):
            found.add(previous + word if previous else word)
            previous = word
        else:
            found.add(word[:_STEM_CHARS])
            previous = ""
    return frozenset(found)


def may_hold(text: str, wanted: Collection[str], least: int) -> bool:
    """Says whether a text may have so many of some stems: without cutting it into words, and True where in doubt.

    A word of a plain ASCII text stands in it as it is folded, in small letters and without apostrophes.
    """
    lowered = text.lower().replace("'", "")
    if not lowered.isascii() or has_run(lowered):
        return True
    return sum(stem in lowered for stem in wanted) >= least


def languages(found: Sequence[Token]) -> list[str]:
    """Gives the languages with the most function words among these; none where no word is one."""
    return languages_of([token.folded for token in found])


def languages_of(said: Sequence[str]) -> list[str]:
    """Gives the languages with the most function words among these folded words; none where no word is one."""
    spoken_in = _spoken_in()
    hits = Counter(chain.from_iterable([spoken_in[word] for word in said if word in spoken_in]))
    best = max(hits.values(), default=0)
    found = [language for language, times in hits.items() if times == best]
    return found if len(found) < 2 else [language for language in phrases("stopwords.txt") if language in found]


def _carrying(said: Sequence[str]) -> Callable[[str], bool]:
    """Gives what says whether a word carries a topic in a text of these words."""
    empty = _empty_words(tuple(languages_of(said)))
    return lambda word: word not in empty and (len(word) != 1 or is_cjk(word))


@lru_cache(maxsize=1)
def _spoken_in() -> Mapping[str, tuple[str, ...]]:
    """Gives the languages that each function word belongs to; a phrase of two words is none."""
    found: dict[str, tuple[str, ...]] = {}
    for language, stop in phrases("stopwords.txt").items():
        for phrase in stop:
            if len(phrase) == 1:
                found[phrase[0]] = (*found.get(phrase[0], ()), language)
    return found


@lru_cache(maxsize=64)
def _empty_words(spoken: tuple[str, ...]) -> frozenset[str]:
    """Gives the function words of some languages."""
    return frozenset(word for word, languages_of in _spoken_in().items() if not set(spoken).isdisjoint(languages_of))
