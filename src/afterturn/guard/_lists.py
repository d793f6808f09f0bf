"""Finds what a policy's denylists and topics name; one engine of the guard beside the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from afterturn.guard._fold import look_alikes
from afterturn.guard._hosts import Hosts, domain
from afterturn.guard._normalize import Normalized, normalize
from afterturn.guard._policy import Denylist, Policy, Topic
from afterturn.guard._result import Category, Finding
from afterturn.guard._safe_patterns import Patterns, problem
from afterturn.guard._terms import Hit, Terms

Place = tuple[str | int, ...]

CONFIDENCE = 100
"""A listed word is there or it is not."""


class PolicyLists:
    """Is the denylists and topics of a policy, ready to be found.

    Args:
        policy: The policy.

    Raises:
        ValueError: A pattern or a domain of it is none; `Policy.load` says where.

    Example:
        >>> lists = PolicyLists(Policy(denylists=(Denylist(id="rivals", words=("Globex",)),)))
        >>> [(finding.rule, finding.start, finding.end) for finding in lists.find("Is GLOBEX cheaper?")]
        [('deny:rivals', 3, 9)]
    """

    def __init__(self, policy: Policy) -> None:
        entries = (*policy.denylists, *policy.topics)
        self._entries = {entry.rule: entry for entry in entries}
        self._terms = Terms((form, entry.rule) for entry in entries for term in _terms(entry) for form in forms(term))
        self._patterns = Patterns((pattern, entry.rule) for entry in entries for pattern in entry.patterns)
        self._hosts = Hosts((domain(name), entry.rule) for entry in policy.denylists for name in entry.domains)

    def __bool__(self) -> bool:
        return bool(self._entries)

    def find(self, text: str, normalized: Normalized | None = None) -> tuple[Finding, ...]:
        """Finds every listed word, pattern and domain, in the order of the text.

        Args:
            text: The text.
            normalized: The text normalised, where that is done already.
        """
        read = normalized or normalize(text)
        hits = {*self._terms.find(read.text), *self._patterns.find(read.text), *self._hosts.find(read.text)}
        return tuple(self._finding(hit, read) for hit in sorted(hits))

    def _finding(self, hit: Hit, read: Normalized) -> Finding:
        entry = self._entries[hit.key]
        start, end = read.span(hit.start, hit.end)
        return Finding(
            rule=hit.key,
            category="denylist" if isinstance(entry, Denylist) else "blocked_topic",
            severity=entry.severity,
            confidence=CONFIDENCE,
            start=start,
            end=end,
        )


def forms(term: str) -> Iterator[str]:
    """Gives a term in the forms that it may have in a normalised text; its `*` stays.

    A Cyrillic or Greek word whose letters all look Latin is read as Latin where it stands in a Latin text.
    """
    form = normalize(term).text
    yield form
    table = look_alikes()
    if not form.isascii() and all(ord(letter) in table for letter in form if letter.isalpha()):
        yield form.translate(table)


def check(policy: Policy) -> list[tuple[Place, str]]:
    """Gives what is wrong with a policy beyond its form: the place of each problem, and what to do."""
    return [*_patterns_wrong(policy), *_domains_wrong(policy), *_names_wrong(policy)]


def _terms(entry: Denylist | Topic) -> tuple[str, ...]:
    return entry.words if isinstance(entry, Denylist) else entry.terms


def _patterns_wrong(policy: Policy) -> Iterator[tuple[Place, str]]:
    for kind, entries in (("denylists", policy.denylists), ("topics", policy.topics)):
        for number, entry in enumerate(entries):
            for place, pattern in enumerate(entry.patterns):
                wrong = problem(pattern)
                if wrong:
                    yield (kind, number, "patterns", place), wrong


def _domains_wrong(policy: Policy) -> Iterator[tuple[Place, str]]:
    for number, entry in enumerate(policy.denylists):
        for place, name in enumerate(entry.domains):
            try:
                domain(name)
            except ValueError as error:
                yield ("denylists", number, "domains", place), str(error)


def _names_wrong(policy: Policy) -> Iterator[tuple[Place, str]]:
    known = (*get_args(Category), "denylist", "blocked_topic")
    hint = f"there is no such category; known are {', '.join(dict.fromkeys(known))}"
    for category in policy.modes.categories:
        if category not in known:
            yield ("modes", "categories", category), hint
    for number, allowance in enumerate(policy.allow):
        for place, rule in enumerate(allowance.rules):
            if rule.startswith("category:") and rule.removeprefix("category:") not in known:
                yield ("allow", number, "rules", place), hint
