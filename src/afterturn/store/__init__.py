"""Keeps turns, judgement rows, verdicts, outcomes, sessions and timelines in one database.

A turn and the questions about it are stored in one transaction; workers lease the questions and store what they found
in one transaction again. Nothing that is stored is lost, nothing is applied twice.
"""

from afterturn.store import events
from afterturn.store._changes import Change, Changed, GivenAnswer
from afterturn.store._counters import DatabaseCounters
from afterturn.store._erase import DaysFor, Forgotten
from afterturn.store._modes import Evidence, ModeChange, ModeTrail
from afterturn.store._parts import in_frame
from afterturn.store._proof import Place, Proof
from afterturn.store._queries import Judged
from afterturn.store._queue import Claims
from afterturn.store._records import (
    Applied,
    Claim,
    Conclusion,
    Filter,
    Finished,
    Fold,
    Funnel,
    Lease,
    SessionState,
    Signal,
    SourceRef,
    TurnOrder,
)
from afterturn.store._replays import ReplayClaim, ReplayKey, Replays, StoredTurn, key_of
from afterturn.store._reviews import Answer, Label, LabelSource, Reviewed, Reviews, majority
from afterturn.store._samples import Frame, ReviewSample, SampledTurn
from afterturn.store._store import Store, open_store
from afterturn.store._to_read import open_to_read
from afterturn.store._verdicts import failed, skipped
from afterturn.store.events import EVENT_NAMES, TimelineEvent, failure_event, renamed

__all__ = [
    "EVENT_NAMES",
    "Answer",
    "Applied",
    "Change",
    "Changed",
    "Claim",
    "Claims",
    "Conclusion",
    "DatabaseCounters",
    "DaysFor",
    "Evidence",
    "Filter",
    "Finished",
    "Fold",
    "Forgotten",
    "Frame",
    "Funnel",
    "GivenAnswer",
    "Judged",
    "Label",
    "LabelSource",
    "Lease",
    "ModeChange",
    "ModeTrail",
    "Place",
    "Proof",
    "ReplayClaim",
    "ReplayKey",
    "Replays",
    "ReviewSample",
    "Reviewed",
    "Reviews",
    "SampledTurn",
    "SessionState",
    "Signal",
    "SourceRef",
    "Store",
    "StoredTurn",
    "TimelineEvent",
    "TurnOrder",
    "events",
    "failed",
    "failure_event",
    "in_frame",
    "key_of",
    "majority",
    "open_store",
    "open_to_read",
    "renamed",
    "skipped",
]
