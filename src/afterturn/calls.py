"""Holds what passes between the plan and a judge: questions, the call that fuses them, the answer.

Neither side knows the other: classifiers make questions, judges answer calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from afterturn.turns import JsonObject, JsonValue, Turn
from afterturn.verdicts import ConfidenceSource, JudgeParams, Usage

ViewName = Literal["message", "exchange", "exchange+passages", "scope"]
Head = Literal[
    "title",
    "relevance",
    "support",
    "concluded",
    "handoff",
    "scope",
    "injection",
    "sentiment",
    "frustration",
    "wants_human",
    "safety",
    "topics",
    "no_words",
]
Location = Literal["local", "remote"]

CUT = " … [cut]"
"""Ends a text of a call that was cut; a judge that quotes takes it off."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """Is what a value of a closed list means, for a judge that compares texts.

    Attributes:
        name: The value in words.
        description: What it is.
        examples: Words and phrases that show it.
    """

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """Is one classifier's part of a call.

    Attributes:
        classifier: Name of the classifier.
        version: Version of the classifier.
        fields: JSON schema by field name. Every field is required and nullable fields say so (`anyOf` with null).
        instructions: What a model is told about these fields.
        heads: How the local encoder answers, by field name; empty means that it cannot.
        meanings: What values of its closed lists mean, where a head needs that.
    """

    classifier: str
    version: str
    fields: Mapping[str, JsonObject]
    instructions: str
    heads: Mapping[str, Head] = field(default_factory=dict[str, Head])
    meanings: Mapping[str, Meaning] = field(default_factory=dict[str, Meaning])


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """Is one call of a judge: one view of the turn and all questions that share it.

    Attributes:
        view: The view's name.
        turn: The turn as the view shows it: nothing in it is beyond what the questions may read. Messages and reply
            are clean and cut; `turn.passages` is there only in a view with passages, `turn.agent.instructions` only
            in `scope`.
        questions: The fused questions; no two have a field of the same name.
        plan: Hash of the plan (16 hex digits).
        evidence: What stands in the data block in the place of the turn, where something else than a turn is judged
            (evals); None: the turn.
        task: What a judge of evidence is told that it does, in one or more sentences.
        boundary: The mark of the data block, where several calls share one so that a provider can cache what they
            begin with; it is random and nothing in the data was written with knowledge of it. Empty: a new one.
    """

    view: ViewName
    turn: Turn
    questions: tuple[Question, ...]
    plan: str
    evidence: JsonObject | None = None
    task: str = ""
    boundary: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Confidence:
    """Is how sure a judge is of one field, 0 to 100, and where the figure comes from."""

    percent: int
    source: ConfidenceSource


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Is what a judge answered, field by field, not yet checked against the schema.

    Attributes:
        values: The values by field name, as the judge gave them.
        confidence: How sure the judge is, by field name, where it says.
        unsure: Fields that the judge would rather have passed on (the encoder's band in between).
        no_head: Names of the classifiers that this judge cannot answer.
        usage: Tokens used.
        params: Effective parameters.
    """

    values: Mapping[str, JsonValue]
    confidence: Mapping[str, Confidence] = field(default_factory=dict[str, Confidence])
    unsure: frozenset[str] = frozenset()
    no_head: frozenset[str] = frozenset()
    usage: Usage = Usage()
    params: JudgeParams = JudgeParams()


@runtime_checkable
class Judge(Protocol):
    """Answers calls. Raises only `JudgeError` (and lets cancellation through)."""

    @property
    def name(self) -> str:
        """The name recorded in verdicts, e.g. `encoder` or `openai:gpt-…`; no path, no key, no URL."""
        ...

    @property
    def location(self) -> Location:
        """`local` if no text leaves the machine, else `remote`."""
        ...

    async def ask(self, call: Call) -> Answer:
        """Answers one call.

        Raises:
            JudgeError: With the code of what went wrong.
        """
        ...

    async def aclose(self) -> None:
        """Frees what the judge holds; asking after it is an error."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """Is one planned judgement of a turn: it becomes exactly one verdict.

    Attributes:
        classifier: Name of the classifier.
        version: Its version.
        metric: Name of the metric of its verdicts.
        judge: Name of the judge that will be asked.
        plan: Hash of the plan; empty where the question is skipped.
        skip: Code of the reason where no judge will be asked, else None.
    """

    classifier: str
    version: str
    metric: str
    judge: str
    plan: str
    skip: str | None = None
