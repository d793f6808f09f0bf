"""Holds what every judge around a judge passes on: name, place and closing."""

from __future__ import annotations

from afterturn.calls import Judge, Location


class Around:
    """Is the part that the wrappers share; each of them only says what asking means."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def name(self) -> str:
        """The name of the judge inside."""
        return self._judge.name

    @property
    def location(self) -> Location:
        """Where the judge inside is."""
        return self._judge.location

    async def aclose(self) -> None:
        """Closes the judge inside."""
        await self._judge.aclose()
