"""Says where a price table cannot count anything, so that nobody believes in a cap that never comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterturn.cli._common import note
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.evals import Parts

_MOST_NAMES = 8


def check_prices(parts: Parts, *, model: str | None = None, simulator: str | None = None, capped: bool) -> None:
    """Tells where nothing of `--prices` is used by the run, and refuses a cap that would count nothing.

    An agent whose model is not known beforehand may name it in its replies, so there a cap is only warned about; the
    run itself stops at the first cost that nobody knows.

    Args:
        parts: The live parts.
        model: The model that the agent was asked for.
        simulator: The judge that plays the customers.
        capped: Whether the run has a cost cap.

    Raises:
        UsageError: There is a cap, and nothing of the table can be used.
    """
    judge = parts.judge.name if parts.judge is not None else None
    used = {"agent": parts.target.name, "model": model, "judge": judge, "simulator": simulator}
    if not parts.prices.table or parts.prices.knows(*used.values()):
        return
    names = sorted(parts.prices.table)
    listed = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    asked = ", ".join(f"{what} {name}" for what, name in used.items() if name)
    told = f"--prices has {listed}, and the run uses {asked}: no price is used"
    if capped and (model is not None or parts.target.free):
        raise UsageError(
            f"{told}, so the cap would count nothing; name one of these in the table, or leave out the cap"
        )
    note(f"{told}, but for a model that the agent's replies name")
