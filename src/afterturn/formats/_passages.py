"""Reads and writes passages, and remembers which aliases a session has handed out."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from afterturn.formats._fields import read_text
from afterturn.formats._problem import FormatProblem, wrong_type
from afterturn.formats._values import is_list, is_object
from afterturn.turns import JsonObject, JsonValue, Passage, Turn

_NUMBERED = re.compile(r"[cC]([0-9]{1,9})")


class AliasBook:
    """Remembers the aliases of the sessions of a file, for the later turns of each session.

    Bounded: beyond `max_sessions` the session that was silent longest is forgotten, beyond `max_aliases` the oldest
    aliases of a session.
    """

    def __init__(self, *, max_sessions: int = 4096, max_aliases: int = 1024) -> None:
        self._max_sessions = max_sessions
        self._max_aliases = max_aliases
        self._known: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def known(self, tenant: str, session: str) -> tuple[str, ...]:
        """The aliases that earlier turns of the session handed out."""
        return self._known.get((tenant, session), ())

    def add(self, turn: Turn) -> None:
        """Notes the aliases of a turn."""
        aliases = turn.aliases
        if not aliases:
            return
        key = (turn.tenant, turn.session)
        self._known[key] = aliases[-self._max_aliases :]
        self._known.move_to_end(key)
        if len(self._known) > self._max_sessions:
            self._known.popitem(last=False)


def read_passages(value: JsonValue, known: Sequence[str]) -> tuple[Passage, ...] | None:
    """Reads the passages of a turn; None where the key is absent, () where a search found nothing.

    A passage without an alias gets the next number that neither the turn nor the session has used.

    Raises:
        FormatProblem: If a passage has no text, or two have one alias.
    """
    if value is None:
        return None
    if not is_list(value):
        raise wrong_type("passages", value, "a list of passages")
    wires = [_wire(item, f"passages[{index}]") for index, item in enumerate(value)]
    given = [read_text(wire.pop("alias", None), f"passages[{index}].alias") for index, wire in enumerate(wires)]
    refuse_doubles(given)
    number = highest_alias((*known, *filter(None, given)))
    passages: list[Passage] = []
    for index, (wire, alias) in enumerate(zip(wires, given, strict=True)):
        number += 0 if alias else 1
        passages.append(_read_passage(wire, alias or f"c{number}", f"passages[{index}]"))
    return tuple(passages)


def highest_alias(aliases: Iterable[str]) -> int:
    """Gives the highest number of aliases such as `c7` (or `C7`, which is the same alias); 0 where there is none."""
    numbers = (int(match[1]) for alias in aliases if (match := _NUMBERED.fullmatch(alias)))
    return max(numbers, default=0)


def passage_to_json(passage: Passage) -> JsonObject:
    """Writes one passage, its unknown keys included."""
    wire: dict[str, JsonValue] = {"alias": passage.alias, "text": passage.text}
    if passage.title is not None:
        wire["title"] = passage.title
    if passage.uri is not None:
        wire["uri"] = passage.uri
    return {**wire, **{key: value for key, value in passage.extra.items() if key not in wire}}


def _wire(value: JsonValue, path: str) -> dict[str, JsonValue]:
    if isinstance(value, str):
        return {"text": value}
    if not is_object(value):
        raise wrong_type(path, value, "an object with a text")
    return dict(value)


def _read_passage(extra: dict[str, JsonValue], alias: str, path: str) -> Passage:
    text = read_text(extra.pop("text", None), f"{path}.text")
    if text is None:
        raise FormatProblem(f"{path} has no text", "put the retrieved text under `text`")
    title = read_text(extra.pop("title", None), f"{path}.title")
    uri = read_text(extra.pop("uri", None), f"{path}.uri")
    return Passage(alias=alias, text=text, title=title, uri=uri, extra=extra)


def refuse_doubles(aliases: Iterable[str | None]) -> None:
    """Refuses an alias that two passages have; `C1` and `c1` are one alias, since the stream filter takes either."""
    seen: set[str] = set()
    for index, alias in enumerate(aliases):
        if alias and alias.lower() in seen:
            raise FormatProblem(f"passages[{index}] has the alias of another passage", "give each its own, or none")
        seen.add((alias or "").lower())
