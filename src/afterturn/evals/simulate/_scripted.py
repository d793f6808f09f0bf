"""Plays a customer by its script: the first move that answers the reply, else the next one without a condition."""

from __future__ import annotations

from afterturn.evals.simulate._customer import Said, Scene
from afterturn.evals.simulate._moves import Move
from afterturn.evals.simulate._persona import Persona


class ScriptedCustomer:
    """Is a customer of one conversation that follows its persona's moves.

    Args:
        persona: Whose moves.
    """

    def __init__(self, persona: Persona) -> None:
        self._opening = persona.opening
        self._moves = list(persona.moves)

    async def next(self, scene: Scene) -> Said | None:
        """Makes the next move: one whose condition the last reply meets goes before one without a condition."""
        reply = scene.exchanges[-1].agent if scene.exchanges else None
        if reply is None and self._opening:
            return Said(text=self._opening)
        move = self._next(reply)
        if move is None:
            return None
        if not move.again:
            self._moves.remove(move)
        return Said(text=move.say, end=move.end)

    def _next(self, reply: str | None) -> Move | None:
        fitting = [move for move in self._moves if move.fits(reply)]
        answering = (move for move in fitting if move.when_reply_matches is not None)
        return next(answering, None) or next(iter(fitting), None)
