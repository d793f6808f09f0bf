"""Holds what a classifier is: data. A new question is one new file that makes one of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from afterturn.calls import Confidence, Head, Meaning, ViewName
from afterturn.errors import UsageError
from afterturn.outcomes import Outcome
from afterturn.turns import JsonObject, JsonValue, Turn
from afterturn.verdicts import Status

NO_OUTCOME = Outcome()


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """Is a judge's answer to one classifier after validation: every declared field is there and fits its schema.

    Attributes:
        values: The values by field name.
        confidence: How sure the judge is, by field name, where it says.
        unsure: Fields that the judge would rather have passed on.
    """

    values: Mapping[str, JsonValue]
    confidence: Mapping[str, Confidence] = field(default_factory=dict[str, Confidence])
    unsure: frozenset[str] = frozenset()

    def text(self, name: str) -> str | None:
        """The value of a nullable string field."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """The value of a field that is a list of strings."""
        value = self.values.get(name)
        return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """Is what a classifier reads out of an answer.

    Attributes:
        status: finding or no_finding.
        label: A code of the classifier's closed set, or None.
        confidence: How sure, and by whom; or None.
        unsure: True where the judge would rather have passed the question on.
        outcome: What was found in words; it never reaches the verdict.
    """

    status: Status
    label: str | None = None
    confidence: Confidence | None = None
    unsure: bool = False
    outcome: Outcome = NO_OUTCOME


def _never(turn: Turn) -> None:
    """Skips no turn."""


def _no_meanings(turn: Turn) -> Mapping[str, Meaning]:
    """Says nothing about values that speak for themselves."""
    return {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Classifier:
    """Is one question asked about a turn.

    Attributes:
        name: Its name, a lower-case identifier.
        version: Changed whenever its answers may change.
        view: The part of a turn that it may read; every function below gets the turn as that view shows it.
        fields: Makes the JSON schema of each field it needs answered about this turn.
        instructions: Makes what a model is told about these fields: short, the same for every agent.
        read: Reads a validated answer.
        skip: Says why this turn needs no answer (a code), or None.
        labels: The closed set of its labels; empty where its verdicts have none.
        heads: How the local encoder answers, by field name; empty means that it cannot.
        meanings: What values of its closed lists mean, where a head needs that.
        metric: The name of the metric its verdicts are logged under; `agent.<name>.verdict` by default.
    """

    name: str
    version: str
    view: ViewName
    fields: Callable[[Turn], Mapping[str, JsonObject]]
    instructions: Callable[[Turn], str]
    read: Callable[[Checked, Turn], Reading]
    skip: Callable[[Turn], str | None] = _never
    labels: tuple[str, ...] = ()
    heads: Mapping[str, Head] = field(default_factory=dict[str, Head])
    meanings: Callable[[Turn], Mapping[str, Meaning]] = _no_meanings
    metric: str = ""

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name != self.name.lower():
            raise UsageError("a classifier's name is a lower-case identifier; it becomes part of the metric's name")
        if not self.metric:
            object.__setattr__(self, "metric", f"agent.{self.name}.verdict")


def nullable(schema: JsonObject) -> JsonObject:
    """Lets a field be null as well, in the form that every provider takes."""
    return {"anyOf": [schema, {"type": "null"}]}


def list_of(names: tuple[str, ...], *, at_most: int) -> JsonObject:
    """Describes a bounded list from a closed, non-empty set of names."""
    if not names:
        raise UsageError("a closed list is never empty: leave the field out where there is nothing to choose from")
    return {
        "type": "array",
        "items": {"type": "string", "enum": list(names)},
        "maxItems": min(at_most, len(names)),
    }
