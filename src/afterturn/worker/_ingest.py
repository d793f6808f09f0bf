"""Takes turns in: stored with their questions, their skips published, their events told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from afterturn.calls import Planned
from afterturn.ledger import Sink, publish
from afterturn.session import apply, tells, turn_events
from afterturn.store import Store, TimelineEvent, skipped
from afterturn.turns import Turn


def ingest(
    store: Store,
    turn: Turn,
    planned: Sequence[Planned],
    *,
    events: Sequence[TimelineEvent] = (),
    sinks: Iterable[Sink] = (),
) -> tuple[TimelineEvent, ...] | None:
    """Stores a turn with its questions and the events that it tells; publishes the verdicts of what is skipped.

    Args:
        store: The store.
        turn: The turn, its reply filtered.
        planned: Its questions.
        events: Further events, `guard.checked` for one.
        sinks: Where verdicts go.

    Returns:
        The stored events, or None where the tenant already has a turn of this id.

    Raises:
        StoreError: Nothing was stored.
    """
    now = store.clock()
    told = (*turn_events(turn, now), *events)
    if not store.add_turn(turn, planned, events=told, fold=apply if tells(turn, planned) else None, at=now):
        return None
    publish([skipped(turn, one, now) for one in planned if one.skip], sinks)
    return told


def ingest_many(store: Store, batch: Sequence[tuple[Turn, Sequence[Planned]]], *, sinks: Iterable[Sink] = ()) -> int:
    """Stores turns of the past in one transaction, as `ingest` stores one; their events carry the turns' own time.

    Returns:
        How many were new.

    Raises:
        StoreError: None of them was stored.
    """
    now = store.clock()
    told = [(turn, planned, turn_events(turn, turn.created_at or now)) for turn, planned in batch]
    new = store.add_turns(told, fold=apply if any(tells(*pair) for pair in batch) else None, at=now)
    fresh = [pair for pair, is_new in zip(batch, new, strict=True) if is_new]
    publish([skipped(turn, one, now) for turn, planned in fresh for one in planned if one.skip], sinks)
    return len(fresh)
