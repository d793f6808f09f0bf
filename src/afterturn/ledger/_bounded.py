"""Keeps the number of a metric's series small, whatever comes as a label's value."""

from __future__ import annotations

from typing import Final

MOST_TENANTS: Final = 1000
MOST_CODES: Final = 50
OTHER: Final = "other"


class Bounded:
    """Lets the first values through and calls all further ones `other`.

    Args:
        most: How many get through.

    Example:
        >>> bounded = Bounded(1)
        >>> [bounded.of(value) for value in ("a", "b", None, "a")]
        ['a', 'other', '', 'a']
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()

    def of(self, value: str | None) -> str:
        """Gives the value to show."""
        if value is None:
            return ""
        if value not in self._known:
            if len(self._known) >= self._most:
                return OTHER
            self._known.add(value)
        return value


class BoundedLabels:
    """Gives the label values of a verdict's metric: tenant, classifier, status, label and reason."""

    def __init__(self) -> None:
        self._tenants = Bounded(MOST_TENANTS)
        self._codes: dict[str, Bounded] = {}

    def of(
        self, tenant: str, classifier: str, status: str, label: str | None, reason: str | None
    ) -> tuple[str, str, str, str, str]:
        """Gives the values to show."""
        codes = self._codes.setdefault(classifier, Bounded(MOST_CODES))
        return self._tenants.of(tenant), classifier, status, codes.of(label), codes.of(reason)


VERDICT_LABELS: Final = ("tenant", "classifier", "status", "label", "reason")
