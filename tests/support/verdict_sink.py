"""A sink that keeps what it is given."""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.verdicts import Verdict


class Sink:
    """Keeps the verdicts it is given."""

    name = "kept"

    def __init__(self) -> None:
        self.verdicts: list[Verdict] = []

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        self.verdicts += verdicts
