"""Takes turns in: stored with their questions, their skips published, their events told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from afterturn.calls import Planned
from afterturn.formats import turn_from_json, turn_to_json
from afterturn.ledger import Sink, publish
from afterturn.session import apply, tells, turn_events
from afterturn.store import Claim, Lease, Store, TimelineEvent, skipped
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
    taken = take_in(store, turn, planned, None, events=events, sinks=sinks)
    return None if taken is None else taken.events


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """Is a turn that was stored now.

    Attributes:
        events: The events that it told.
        claim: The open questions, where they were leased; else None.
    """

    events: tuple[TimelineEvent, ...]
    claim: Claim | None


def take_in(
    store: Store,
    turn: Turn,
    planned: Sequence[Planned],
    lease: Lease | None,
    *,
    events: Sequence[TimelineEvent] = (),
    sinks: Iterable[Sink] = (),
) -> Taken | None:
    """Does what `ingest` does; with a lease, whoever asked for it holds the open questions from the start."""
    now = store.clock()
    told = (*turn_events(turn, now), *events)
    fold = apply if tells(turn, planned) else None
    claim: Claim | None = None
    if lease is not None:
        claim = store.add_leased(turn, planned, lease, events=told, fold=fold, at=now)
        new = claim is not None
    else:
        new = store.add_turn(turn, planned, events=told, fold=fold, at=now)
    if not new:
        return None
    publish([skipped(turn, one, now) for one in planned if one.skip], sinks)
    return Taken(events=told, claim=claim)


def reads_back(turn: Turn) -> bool:
    """Says whether every text of a turn that a judge may see comes out of the store as it went in.

    Half a surrogate pair does not: the store holds a replacement in its place, and every attempt at the turn shall read
    the same words.
    """
    agent, passages = turn.agent, turn.passages or ()
    texts = [agent.instructions, *agent.categories, *agent.category_descriptions.values()]
    texts += [text for message in turn.messages for text in (message.text, message.refusal or "")]
    texts += [text for passage in passages for text in (passage.text, passage.title or "")]
    texts += [turn.reply.text, turn.reply.raw] if turn.reply else []
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return all(passage.alias for passage in passages)


def ingest_many(
    store: Store, batch: Sequence[tuple[Turn, Sequence[Planned]]], *, sinks: Iterable[Sink] = ()
) -> tuple[bool, ...]:
    """Stores turns of the past in one transaction, as `ingest` stores one; their events carry the turns' own time.

    Returns:
        For each whether it is new; where it is not, `same_as_stored` says whether it came before.

    Raises:
        StoreError: None of them was stored.
    """
    now = store.clock()
    told = [(turn, planned, turn_events(turn, turn.created_at or now)) for turn, planned in batch]
    new = store.add_turns(told, fold=apply if any(tells(*pair) for pair in batch) else None, at=now)
    fresh = [pair for pair, is_new in zip(batch, new, strict=True) if is_new]
    publish([skipped(turn, one, now) for turn, planned in fresh for one in planned if one.skip], sinks)
    return new


def same_as_stored(store: Store, turn: Turn) -> bool:
    """Says whether what is stored under a turn's id is this turn, sent again, and not another one.

    Of a turn whose text was removed nobody can say more than that its id came before: it counts as sent again.

    Raises:
        StoreError: The database could not be read.
    """
    known = store.turn(turn.tenant, turn.id)
    if known is None:
        return True
    written = turn_from_json(turn_to_json(turn))  # as the store gives it: half a character is replaced there
    return (known.session, known.messages) == (turn.session, written.messages)
