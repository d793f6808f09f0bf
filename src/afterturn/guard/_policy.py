"""Says what a host forbids, allows and enforces: denylists, blocked topics, allowances with an end, modes, budgets.

A policy is data. Three are laid one over the other: the tenant's over the platform's over the built-in one
(`Policy.over`). Which mode a finding has, the first of these that is set decides:

1. its rule (`modes.rules`), 2. its list or topic itself (`mode:`), 3. its category, 4. its severity;

and within each of them the tenant's word over the platform's over the built-in one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol, TypeVar

Mode = Literal["shadow", "advise", "enforce"]
"""shadow: recorded, nothing else. advise: the host is told. enforce: the message is blocked."""

Severity = Literal["high", "medium", "low"]

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FORBID_UNKNOWN: Mapping[str, Any] = MappingProxyType({"extra": "forbid"})


class Judged(Protocol):
    """Is what a policy needs to know of a finding."""

    @property
    def rule(self) -> str:
        """Id of the rule."""
        ...

    @property
    def category(self) -> str:
        """Its category."""
        ...

    @property
    def severity(self) -> str:
        """Its severity."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Denylist:
    """Is a list of what must not be in a message; its findings are of the rule `deny:ID`, category `denylist`.

    Attributes:
        id: Its name in findings, in lower-case letters, digits and hyphens: never one of the words themselves.
        words: Words and phrases, found as whole words in any case; `*` at the end of a word stands for any ending.
        patterns: Patterns in RE2 syntax, matched against the normalised text (lower-case, Latin without accents).
        domains: Domains, with all below them: in URLs, in e-mail addresses, or bare.
        severity: Its severity.
        mode: Its mode, where that shall not follow from category or severity.
        message: What the host may show where this list blocks, in place of the policy's message.
        description: What it is for.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _FORBID_UNKNOWN

    id: str
    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    severity: Severity = "high"
    mode: Mode | None = None
    message: str | None = None
    description: str = ""

    def __post_init__(self) -> None:
        _check_entry(self.id, self.words, self.patterns, self.domains)

    @property
    def rule(self) -> str:
        """Id of the rule of its findings."""
        return f"deny:{self.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """Is a topic that the agent must not go into; its findings are of the rule `topic:ID`, category `blocked_topic`.

    Attributes:
        id: Its name in findings, in lower-case letters, digits and hyphens.
        terms: Words and phrases that show the topic, found as the words of a denylist are.
        patterns: Patterns in RE2 syntax that show it.
        severity: Its severity.
        mode: Its mode, where that shall not follow from category or severity.
        message: What the host may show where this topic blocks, in place of the policy's message.
        description: What it is for.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _FORBID_UNKNOWN

    id: str
    terms: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    severity: Severity = "high"
    mode: Mode | None = None
    message: str | None = None
    description: str = ""

    def __post_init__(self) -> None:
        _check_entry(self.id, self.terms, self.patterns)

    @property
    def rule(self) -> str:
        """Id of the rule of its findings."""
        return f"topic:{self.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowance:
    """Lets findings pass until a moment, for instance while a false alarm is mended or a test of one's own runs.

    Attributes:
        id: Its name.
        rules: What it lets pass: ids of rules (`deny:…` and `topic:…` too), `category:NAME`, or `*` for everything.
        until: When it ends: `2026-12-31T18:00Z`, or `2026-12-31` for the end of that day; UTC where no zone is given.
        within: Phrases; where there are any, only what was found inside one of them passes.
        reason: Why.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _FORBID_UNKNOWN

    id: str
    rules: tuple[str, ...]
    until: str
    within: tuple[str, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        _check_id(self.id)
        _instant(self.until)
        if not self.rules:
            raise ValueError("`rules` is empty; name what may pass, or `*`")
        _check_terms(self.within)

    @property
    def ends(self) -> datetime:
        """The first moment at which it allows nothing any more."""
        return _instant(self.until)

    def covers(self, finding: Judged) -> bool:
        """Says whether it is meant for a finding, whatever the time."""
        return any(rule in (finding.rule, f"category:{finding.category}", "*") for rule in self.rules)


@dataclass(frozen=True, kw_only=True, slots=True)
class Modes:
    """Are the modes by rule id, by category and by severity; the most particular one that is set counts."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _FORBID_UNKNOWN

    rules: Mapping[str, Mode] = field(default_factory=dict[str, Mode])
    categories: Mapping[str, Mode] = field(default_factory=dict[str, Mode])
    severities: Mapping[Severity, Mode] = field(default_factory=dict[Severity, Mode])

    def over(self, base: Modes) -> Modes:
        """Lays these modes over others."""
        return Modes(
            rules={**base.rules, **self.rules},
            categories={**base.categories, **self.categories},
            severities={**base.severities, **self.severities},
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetLimits:
    """Are the most tokens that may be spent: in one turn, in one session, by one tenant in a day (UTC)."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _FORBID_UNKNOWN

    turn: int | None = None
    session: int | None = None
    tenant_day: int | None = None

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is not None and value < 0:
                raise ValueError(f"`{limit.name}` is below 0; give a number of tokens, or leave it out for no limit")

    def over(self, base: BudgetLimits) -> BudgetLimits:
        """Lays these limits over others; what is not set here stays."""
        own = {limit.name: getattr(self, limit.name) for limit in fields(self)}
        return replace(base, **{name: value for name, value in own.items() if value is not None})


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondPass:
    """Says what becomes of a message in which the second pass finds an attack; where it is on, see docs/classifiers.md.

    Attributes:
        mode: `enforce` blocks the message; `advise` tells the host; `shadow`, the default, only records.
        deadline_s: How long the reply may be held for it under `enforce`, in seconds from the message on; 2 by default.
        least_confidence: The least confidence of a finding that counts, 0 to 100; 0 by default. A judge that gives none
            counts under 0 alone.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _FORBID_UNKNOWN

    mode: Mode | None = None
    deadline_s: float | None = None
    least_confidence: int | None = None

    def __post_init__(self) -> None:
        if self.deadline_s is not None and not 0 < self.deadline_s <= 60:
            raise ValueError("`deadline_s` is not above 0 and at most 60; give seconds that a customer may wait")
        if self.least_confidence is not None and not 0 <= self.least_confidence <= 100:
            raise ValueError("`least_confidence` is not from 0 to 100; give a confidence in percent")

    def over(self, base: SecondPass) -> SecondPass:
        """Lays these settings over others; what is not set here stays."""
        own = {setting.name: getattr(self, setting.name) for setting in fields(self)}
        return replace(base, **{name: value for name, value in own.items() if value is not None})


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """Is what a host forbids, allows and enforces.

    Attributes:
        name: Its name.
        description: What it is for.
        message: What the host may show in place of an answer where a message is blocked; None leaves it to the host.
        denylists: What must not be in a message.
        topics: What the agent must not go into.
        allow: What passes all the same, until a moment.
        modes: What each rule, category and severity leads to.
        budgets: The most tokens that may be spent.
        second_pass: What becomes of what the second pass finds, where that is on.

    Example:
        >>> house = Policy(name="house", denylists=(Denylist(id="rivals", words=("Globex",)),))
        >>> house.over(Policy.built_in()).mode(house.denylists[0].rule, "denylist", "high")
        'enforce'
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _FORBID_UNKNOWN

    name: str = "policy"
    description: str = ""
    message: str | None = None
    denylists: tuple[Denylist, ...] = ()
    topics: tuple[Topic, ...] = ()
    allow: tuple[Allowance, ...] = ()
    modes: Modes = field(default_factory=Modes)
    budgets: BudgetLimits = field(default_factory=BudgetLimits)
    second_pass: SecondPass = field(default_factory=SecondPass)

    def __post_init__(self) -> None:
        for name in ("denylists", "topics", "allow"):
            ids = [entry.id for entry in getattr(self, name)]
            twice = next((one for one in ids if ids.count(one) > 1), None)
            if twice is not None:
                raise ValueError(f"`{name}` has two entries with the id {twice}; join them, or rename one")

    @staticmethod
    def built_in() -> Policy:
        """Gives what holds without any policy: rules of high severity enforce, the others advise."""
        return _BUILT_IN

    @staticmethod
    def library() -> tuple[str, ...]:
        """Gives the names of the policies that come with Afterturn."""
        from afterturn.guard._policy_file import library

        return library()

    @staticmethod
    def load(source: str | Path) -> Policy:
        """Reads a policy from a YAML file, or from the library by its name.

        Args:
            source: A path, or a name of `Policy.library()`; a file of such a name is given as `./name`.

        Raises:
            ConfigError: It cannot be read or is no policy: with file, line and field, and what to do.
        """
        from afterturn.guard._policy_file import load

        return load(source)

    def over(self, base: Policy) -> Policy:
        """Lays this policy over another: what is set here wins, entries are joined, and one of the same id replaces.

        Example:
            >>> Policy(name="acme").over(Policy(name="platform", message="Sorry.")).message
            'Sorry.'
        """
        return Policy(
            name=self.name if base is _BUILT_IN else f"{self.name} over {base.name}",
            description=self.description or base.description,
            message=self.message or base.message,
            denylists=_joined(base.denylists, self.denylists),
            topics=_joined(base.topics, self.topics),
            allow=_joined(base.allow, self.allow),
            modes=self.modes.over(base.modes),
            budgets=self.budgets.over(base.budgets),
            second_pass=self.second_pass.over(base.second_pass),
        )

    def mode(self, rule: str, category: str, severity: str) -> Mode:
        """Gives the mode of a rule; where nothing is set for it, `advise`."""
        modes = self.modes
        severities: Mapping[str, Mode] = modes.severities  # pyright: ignore[reportAssignmentType] - a wider key to ask
        entry = next((entry for entry in (*self.denylists, *self.topics) if entry.rule == rule), None)
        return (
            modes.rules.get(rule)
            or (entry.mode if entry else None)
            or modes.categories.get(category)
            or severities.get(severity)
            or "advise"
        )

    def message_for(self, rule: str) -> str | None:
        """Gives the text that the host may show where a rule blocks: the entry's own, else the policy's."""
        entry = next((entry for entry in (*self.denylists, *self.topics) if entry.rule == rule), None)
        return (entry.message if entry else None) or self.message


_BUILT_IN = Policy(name="built-in", modes=Modes(severities={"high": "enforce", "medium": "advise", "low": "advise"}))


class _Named(Protocol):
    @property
    def id(self) -> str: ...


E = TypeVar("E", bound=_Named)


def _joined(base: tuple[E, ...], own: tuple[E, ...]) -> tuple[E, ...]:
    return tuple(({entry.id: entry for entry in base} | {entry.id: entry for entry in own}).values())


def _check_entry(name: str, *lists: tuple[str, ...]) -> None:
    _check_id(name)
    if not any(lists):
        raise ValueError(f"{name} lists nothing; give it words, terms, patterns or domains, or take it out")
    for terms in lists:
        _check_terms(terms)


def _check_id(name: str) -> None:
    if not _ID.fullmatch(name) or len(name) > 60:
        raise ValueError("`id` is not of lower-case letters, digits and single hyphens (at most 60); rename it")


def _check_terms(terms: tuple[str, ...]) -> None:
    for number, term in enumerate(terms):
        if not term.strip(" *"):
            raise ValueError(f"entry {number} of a list is blank; take it out")


def _instant(written: str) -> datetime:
    """Reads the end of an allowance; a bare day ends with the day."""
    try:
        moment = datetime.fromisoformat(written.strip())
    except ValueError:
        raise ValueError("`until` is no date; write 2026-12-31 or 2026-12-31T18:00Z") from None
    if len(written.strip()) <= len("2026-12-31"):
        moment += timedelta(days=1)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
