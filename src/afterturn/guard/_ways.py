"""Says in how few words a text can be told not to match: the ways of a pattern, each with its rarest words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from afterturn.guard._rarity import EDGE, chance, plainest
from afterturn.guard._shapes import is_word

Group = frozenset[str]
"""Words of which a matching text holds at least one; they may be parts of words, or several words."""

Way = tuple[Group, ...]
"""Groups that a text must hold a word of, each."""

Part = Group | tuple["tuple[Part, ...]", ...]
"""What a text must hold: a word of a group, or all parts of one of several choices."""

Choice = tuple[tuple[Part, ...], ...]

_WAYS = 8
"""So many ways are told apart; beyond it, those of one choice are asked for their rarest group alone."""

_GROUPS = 4
"""So many groups of a way are asked for."""

_SHORTEST = 3
"""A shorter word (in UTF-8 bytes) is in nearly every text, and says nothing; a word's beginning may have one less."""

_COMMON = 0.8
"""A group that so many texts hold a word of is not asked for, beside two others."""

_WORTH = 0.8
"""Ways are told apart where that makes a match so much less likely."""

_PROSE = frozenset(" ,.-'’\0")


def is_useful(group: Iterable[str]) -> bool:
    """Says whether each word of a group is long enough, or holds a mark that is rare in prose."""
    return all(map(_is_useful, group))


def _is_useful(word: str) -> bool:
    length = len(word.replace(EDGE, "").strip().encode("utf-8", "surrogatepass"))
    if not length:
        return False
    if len(word.replace(EDGE, "").encode("utf-8", "surrogatepass")) >= _SHORTEST - word.startswith(EDGE):
        return True
    return any(not char.isalnum() and char not in _PROSE for char in word)


def ways(parts: Sequence[Part]) -> tuple[Way, ...]:
    """Lists the ways in which a text can hold all parts; none where nothing is known of one of them."""
    listed = dict.fromkeys(_tidy(way) for way in _ways(parts))
    return tuple(listed) if all(listed) else ()


def _ways(parts: Sequence[Part]) -> list[Way]:
    found: list[Way] = [tuple(part for part in parts if isinstance(part, frozenset))]
    choices = [_options(part) for part in parts if not isinstance(part, frozenset)]
    gains = sorted((_gain(options), at) for at, options in enumerate(choices) if options)
    for gain, at in gains:
        options = choices[at]
        if gain > _WORTH or len(found) * len(options) > _WAYS:
            options = [(_flat(options),)]
        found = [(*way, *option) for way in found for option in options]
    return found


def _options(choice: Choice) -> list[Way]:
    """Lists the ways of a choice; those of one group are one. None where one of them says nothing."""
    listed = [way for branch in choice for way in _ways(branch)]
    if not all(listed):
        return []
    alone = [way[0] for way in listed if len(way) == 1]
    others = sorted((way for way in listed if len(way) > 1), key=_likelihood)
    if len(others) >= _WAYS:
        alone += [min(way, key=chance) for way in others[_WAYS - 1 :]]
        del others[_WAYS - 1 :]
    return [(frozenset[str]().union(*alone),), *others] if alone else others


def _gain(options: list[Way]) -> float:
    return sum(map(_likelihood, options)) / max(chance(_flat(options)), 1e-9)


def _flat(options: list[Way]) -> Group:
    return frozenset[str]().union(*(min(way, key=chance) for way in options))


def _likelihood(way: Way) -> float:
    return prod(map(chance, way))


def _tidy(way: Way) -> Way:
    useful = {_shortest(frozenset(map(plainest, map(_trimmed, group)))) for group in way}
    kept: list[Group] = []
    for group in sorted(useful, key=lambda group: (chance(group), sorted(group))):
        if not any(_implies(rarer, group) for rarer in kept):
            kept.append(group)
    rare = [group for group in kept[2:_GROUPS] if chance(group) < _COMMON]
    return (*kept[:2], *rare)


def _implies(rarer: Group, group: Group) -> bool:
    """Says whether a text with a word of the one always has a word of the other."""
    return all(any(part in word for part in group) for word in rarer)


def _trimmed(word: str) -> str:
    """Keeps the edges of a word at its very ends alone, and there only beside a letter or a digit."""
    bare = word.replace(EDGE, "")
    opens = word.startswith(EDGE) and is_word(bare[:1])
    closes = word.endswith(EDGE) and is_word(bare[-1:])
    return EDGE * opens + bare + EDGE * closes


def _shortest(group: Group) -> Group:
    """Drops the words that hold another word of the group."""
    kept: list[str] = []
    for word in sorted(group, key=len):
        if not any(shorter in word for shorter in kept):
            kept.append(word)
    return frozenset(kept)
