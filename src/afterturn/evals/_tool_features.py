"""Measures what can be seen of an agent's tool calls without an LLM: how near they are to the request, and their shape.

Texts are compared by the encoder's vectors. What a tool does is told by the verb in its name, else by the first word of
its description; nearly all tools are named in English, whatever language their users speak.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

from afterturn.formats import dump_json, is_list, is_object
from afterturn.language import stems
from afterturn.turns import JsonValue, Tool, ToolCall


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


READ_VERBS = _words_of(
    "get find search list count fetch lookup look query read check show view describe calculate compute retrieve "
    "browse calc convert estimate analyze analyse summarize translate verify validate compare predict explain return "
    "provide tell is has"
)
DESTRUCTIVE_VERBS = _words_of(
    "delete remove cancel drop close terminate purge erase wipe clear destroy revoke unsubscribe disable deactivate "
    "archive trash void reject block kick uninstall reset refund"
)
_ASKS_TO_END = re.compile(
    r"\b(?:delet|remov|cancel|drop|clos|terminat|purg|eras|wip|clear|destroy|revok|unsubscrib|disabl|deactivat|archiv"
    r"|trash|void|reject|block|kick|uninstall|reset|refund|get rid|take off|end|stop|undo|scrap|no longer"
    r"|not .{0,20}any ?more)",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|unless|in case|otherwise|wenn|falls|si|se|als|jeśli)\b|如果|もし|إذا", re.IGNORECASE)
_MADE_UP = re.compile(
    r"example\.(?:com|org|net)|<[^>]*>|\$\{?[A-Za-z_]{3,}|\{\{|^(?:none|null|unknown|n/a|todo|tbd|string|placeholder)$"
    r"|your[ _]|12345|^0{6,}\d?$|john\.?doe|'s .{0,20}\bid\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PARTS = re.compile(r"[.!?;。！？]\s|\b(?:and|then|und|et|y|e|otherwise|also)\b", re.IGNORECASE)

TOOL_CHARACTERS = 300
"""So much of a tool's description is compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFeatures:
    """Are the measures of one reply's tool calls. Similarities are -1 to 1; counts are logarithms of one more.

    Attributes:
        calls: How many calls.
        none: 1 where there is no call.
        none_near: `best_offered` where there is no call, else 0.
        changes: How many calls change something.
        reads: How many only read.
        tools: How many different tools.
        most_of_one: How often the tool that is called most often is.
        repeated: Share of calls that repeat an earlier one.
        unknown: Share of calls of tools that are not on offer.
        ends: 1 where a call deletes, cancels or the like.
        ends_unasked: 1 where one does, and the request has no word for it.
        best_offered: Similarity of the request to the nearest tool on offer.
        best_called: To the nearest one that was called; 0 without calls.
        worst_called: To the farthest one that was called; 0 without calls.
        missed: By how much the nearest tool is nearer than the nearest called one; `best_offered` without calls.
        stands_out: By how much the nearest tool on offer is nearer than all are on average.
        second: By how much it is nearer than the second.
        worst_rank: Share of the tools on offer that are nearer than the farthest called one; 0 without calls.
        shared_called: Share of the request's words that the called tools' names and descriptions have.
        shared_worst: The same for the called tool that has fewest; 0 without calls.
        shared_missed: By how much the tool on offer that has most has more than the best called one.
        nearest_changes: 1 where the nearest tool on offer changes something.
        left_undone: 1 where it does, and no call changed anything.
        condition: 1 where the request has a condition.
        condition_only_read: 1 where it has one, and no call changed anything.
        blind: 1 where the first call changes something and others on offer could have looked first.
        made_up: Share of the calls with an argument that looks made up.
        ungrounded: Share of the text arguments of changing calls of which no word is in the request.
        empty: Share of the arguments that are empty.
        ends_reading: 1 where the last call only reads.
        request_length: How many words the request has.
        parts: How many parts the request has beyond the different tools called; at least 0.
    """

    calls: float
    none: float
    none_near: float
    changes: float
    reads: float
    tools: float
    most_of_one: float
    repeated: float
    unknown: float
    ends: float
    ends_unasked: float
    best_offered: float
    best_called: float
    worst_called: float
    missed: float
    stands_out: float
    second: float
    worst_rank: float
    shared_called: float
    shared_worst: float
    shared_missed: float
    nearest_changes: float
    left_undone: float
    condition: float
    condition_only_read: float
    blind: float
    made_up: float
    ungrounded: float
    empty: float
    ends_reading: float
    request_length: float
    parts: float

    def by_name(self) -> dict[str, float]:
        """Gives the measures by name, in order."""
        return {name: getattr(self, name) for name in FEATURE_NAMES}


FEATURE_NAMES = tuple(one.name for one in fields(ToolFeatures))


def tool_text(tool: Tool) -> str:
    """Writes a tool as the text that is compared with requests."""
    return f"{' '.join(words(tool.name))}: {' '.join(tool.description.split())[:TOOL_CHARACTERS]}"


def words(name: str) -> list[str]:
    """Cuts a tool's name into lower-case words.

    Example:
        >>> words("calendar.deleteEvent_now")
        ['calendar', 'delete', 'event', 'now']
    """
    return [word.lower() for word in _WORDS.findall(name)]


def is_read(name: str, description: str = "") -> bool:
    """Says whether a tool only reads."""
    return _says(name, description, READ_VERBS)


def is_end(name: str, description: str = "") -> bool:
    """Says whether a tool deletes, cancels or the like."""
    return _says(name, description, DESTRUCTIVE_VERBS)


def _says(name: str, description: str, verbs: frozenset[str]) -> bool:
    last = words(name.rpartition(".")[2] or name)
    if any(word in READ_VERBS | DESTRUCTIVE_VERBS for word in last):
        return any(word in verbs for word in last[:1]) or (last[0] not in READ_VERBS and any(w in verbs for w in last))
    first = words(description)[:1]
    return bool(first) and (first[0] in verbs or first[0].removesuffix("s") in verbs or first[0][:-2] in verbs)


def tool_features(
    request: str, tools: Sequence[Tool], calls: Sequence[ToolCall], similar: Mapping[str, float]
) -> ToolFeatures:
    """Measures the calls that an agent made for a request.

    Args:
        request: The latest request.
        tools: The tools on offer.
        calls: The calls, in order.
        similar: Similarity of the request to each tool, by name; those of unknown tools may be missing.
    """
    about = {tool.name: tool.description for tool in tools}
    reads = [is_read(call.name, about.get(call.name, "")) for call in calls]
    changes = [not read for read in reads]
    ends = any(is_end(call.name, about.get(call.name, "")) for call in calls)
    nearest = max(about, key=lambda name: similar.get(name, 0.0), default="")
    best = similar.get(nearest, 0.0)
    near = [similar.get(call.name, 0.0) for call in calls]
    offered = sorted((similar.get(name, 0.0) for name in about), reverse=True)
    shared = _shared(request, tools)
    shared_near = [shared.get(call.name, 0.0) for call in calls]
    nearest_changes = bool(nearest) and not is_read(nearest, about[nearest])
    condition = _CONDITION.search(request) is not None
    names = [call.name for call in calls]
    shown = [dump_json([call.name, call.arguments]) for call in calls]
    parts = 1 + len(_PARTS.findall(request))
    arguments = _Arguments(request, calls, changes)
    return ToolFeatures(
        calls=math.log1p(len(calls)),
        none=float(not calls),
        none_near=0.0 if calls else best,
        changes=math.log1p(sum(changes)),
        reads=math.log1p(sum(reads)),
        tools=math.log1p(len(set(names))),
        most_of_one=math.log1p(max(map(names.count, set(names)), default=0)),
        repeated=_share(len(shown) - len(set(shown)), len(shown)),
        unknown=_share(sum(name not in about for name in names), len(names)),
        ends=float(ends),
        ends_unasked=float(ends and _ASKS_TO_END.search(request) is None),
        best_offered=best,
        best_called=max(near, default=0.0),
        worst_called=min(near, default=0.0),
        missed=best - max(near, default=0.0),
        stands_out=best - (sum(offered) / len(offered) if offered else 0.0),
        second=offered[0] - offered[1] if len(offered) > 1 else 0.0,
        worst_rank=_share(sum(one > min(near, default=1.0) for one in offered), len(offered)),
        shared_called=max(shared_near, default=0.0),
        shared_worst=min(shared_near, default=0.0),
        shared_missed=max(shared.values(), default=0.0) - max(shared_near, default=0.0),
        nearest_changes=float(nearest_changes),
        left_undone=float(nearest_changes and not any(changes)),
        condition=float(condition),
        condition_only_read=float(condition and not any(changes)),
        blind=float(bool(changes) and changes[0] and any(is_read(name, text) for name, text in about.items())),
        made_up=arguments.made_up,
        ungrounded=arguments.ungrounded,
        empty=arguments.empty,
        ends_reading=float(bool(reads) and reads[-1]),
        request_length=math.log1p(len(request.split())),
        parts=math.log1p(max(parts - len(set(names)), 0)),
    )


class _Arguments:
    """Measures the arguments of calls."""

    def __init__(self, request: str, calls: Sequence[ToolCall], changes: Sequence[bool]) -> None:
        said = set(words(request))
        values = [(list(_leaves(call.arguments or {})), change) for call, change in zip(calls, changes, strict=True)]
        texts = [text for found, change in values if change for text in found if text.strip()]
        every = [text for found, _ in values for text in found]
        self.made_up = _share(
            sum(any(_MADE_UP.search(one.strip()) for one in found) for found, _ in values), len(calls)
        )
        self.ungrounded = _share(sum(not said & set(words(text)) for text in texts), len(texts))
        self.empty = _share(sum(not text.strip() for text in every), len(every))


def _leaves(value: JsonValue) -> list[str]:
    if is_object(value):
        return [text for item in value.values() for text in _leaves(item)]
    if is_list(value):
        return [text for item in value for text in _leaves(item)]
    return ["" if value is None else str(value)]


def _shared(request: str, tools: Sequence[Tool]) -> dict[str, float]:
    """Gives for each tool the share of the request's content words that it has, too."""
    asked = stems(request)
    return {tool.name: _share(len(asked & _stems(tool_text(tool))), len(asked)) for tool in tools}


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return stems(text)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
