"""The store: turns, judgement rows, verdicts, sessions and timelines in one database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Self

from afterturn.calibration import DayHistogram, Series
from afterturn.calls import Planned
from afterturn.errors import ErrorCode, StoreError
from afterturn.outcomes import Judgement
from afterturn.store import _erase, _finish, _funnel, _histograms, _ingest, _proof, _queries, _queue, _sessions
from afterturn.store._engine import SYNCHRONOUS, Database
from afterturn.store._erase import DaysFor, Forgotten
from afterturn.store._modes import ModeTrail
from afterturn.store._open import migrated, path_of
from afterturn.store._proof import Proof
from afterturn.store._queries import Judged
from afterturn.store._queue import Claims
from afterturn.store._records import Claim, Conclusion, Filter, Finished, Fold, Funnel, Lease, SessionState
from afterturn.store._replays import Replays
from afterturn.store._reviews import Reviews
from afterturn.store.events import TimelineEvent
from afterturn.turns import Turn
from afterturn.verdicts import Verdict

Clock = Callable[[], datetime]

_ANY = Filter()
_OWN_NAMES: Mapping[str, str] = MappingProxyType({})


def utc_now() -> datetime:
    """Gives the time of this machine."""
    return datetime.now(UTC)


def open_store(
    database: str | Path,
    *,
    create: bool = True,
    max_attempts: int = 3,
    busy_timeout_s: float = 10.0,
    synchronous: str = SYNCHRONOUS,
    clock: Clock = utc_now,
) -> Store:
    """Opens a database and brings its tables up to date.

    Args:
        database: A file, or `sqlite:///FILE`.
        create: Whether to create a file that is not there.
        max_attempts: Attempts at a turn before it is a dead letter.
        busy_timeout_s: How long a write waits for another process.
        synchronous: SQLite's synchronous level; leave it, unless you measure what it costs.
        clock: Gives the time.

    Raises:
        ConfigError: The address is of no kind that this version knows.
        StoreError: The file is no database of Afterturn's, is newer than this version, or cannot be written.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from afterturn.turns import Message
        >>> turn = Turn(messages=(Message(role="user", text="Hello"),), session="s-1", id="t-1")
        >>> with TemporaryDirectory() as folder, open_store(Path(folder) / "a.db") as store:
        ...     store.add_turn(turn), store.add_turn(turn), store.funnel().stored
        (True, False, 1)
    """
    path = path_of(database)
    if not create and not path.is_file():
        raise StoreError(
            f"database {path}: there is none; import turns first, or give its path by --db or AFTERTURN_DB",
            code="missing",
        )
    store = migrated(path, busy_timeout_s=busy_timeout_s, synchronous=synchronous)
    return Store(store, max_attempts=max_attempts, clock=clock)


class Store:
    """Is an open database. All methods may be called from any thread.

    Args:
        database: The database, migrated.
        max_attempts: Attempts at a turn before it is a dead letter.
        clock: Gives the time.

    Attributes:
        reviews: The samples that people look at, and their labels.
        modes: What verdicts lead to, by tenant, agent and classifier.
    """

    def __init__(self, database: Database, *, max_attempts: int, clock: Clock) -> None:
        self._database = database
        self.max_attempts = max_attempts
        self.clock = clock
        self.reviews = Reviews(database, lambda: self.clock())
        self.modes = ModeTrail(database, lambda: self.clock())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

    # --- turns in -----------------------------------------------------------------------------------------------

    def add_turn(
        self,
        turn: Turn,
        planned: Sequence[Planned] = (),
        *,
        events: Sequence[TimelineEvent] = (),
        fold: Fold | None = None,
        at: datetime | None = None,
    ) -> bool:
        """Stores a turn, one judgement row for each planned question and its events, all or nothing.

        Args:
            turn: The turn, with tenant, session and id.
            planned: Its questions; one that is skipped gets its verdict at once.
            events: What the timeline shall show.
            fold: Applies what the turn itself says to its session; None where it says nothing.
            at: When the turn arrived; now by default.

        Returns:
            False where the tenant already has a turn of this id; then nothing changes.

        Raises:
            StoreError: Nothing was stored.
        """
        ready = _ingest.prepare(turn, planned, events, at or self.clock())
        with self._database.writing() as connection:
            return _ingest.add(connection, ready, fold) is not None

    def add_leased(
        self,
        turn: Turn,
        planned: Sequence[Planned],
        lease: Lease,
        *,
        events: Sequence[TimelineEvent] = (),
        fold: Fold | None = None,
        at: datetime | None = None,
    ) -> Claim | None:
        """Does what `add_turn` does, and leases the open questions to a worker that will judge them at once.

        A worker that dies then loses nothing: the lease runs out, and the turn is claimed as any other.

        Returns:
            The claim; None where the tenant already has a turn of this id.

        Raises:
            StoreError: Nothing was stored.
        """
        ready = _ingest.prepare(turn, planned, events, at or self.clock())
        with self._database.writing() as connection:
            order = _ingest.add(connection, ready, fold, lease)
        if order is None:
            return None
        asked = tuple(one for one in planned if one.skip is None)
        return Claim(turn=turn, planned=asked, order=order, attempt=1, owner=lease.owner)

    def add_turns(
        self,
        batch: Iterable[tuple[Turn, Sequence[Planned], Sequence[TimelineEvent]]],
        *,
        fold: Fold | None = None,
        at: datetime | None = None,
    ) -> tuple[bool, ...]:
        """Stores many turns in one transaction, all or nothing; gives for each whether it is new."""
        now = at or self.clock()
        ready = [_ingest.prepare(turn, planned, events, now) for turn, planned, events in batch]
        with self._database.writing() as connection:
            return tuple(_ingest.add(connection, one, fold) is not None for one in ready)

    # --- work ---------------------------------------------------------------------------------------------------

    def claim(self, owner: str, *, lease_s: float, limit: int = 1) -> Claims:
        """Leases the open questions of up to `limit` turns.

        Args:
            owner: A name that no other worker has, ever; a random one.
            lease_s: How long the lease lasts without a heartbeat.
            limit: How many turns at most.

        Returns:
            The claims, and the `error` verdicts of what had used up its attempts without an answer.
        """
        with self._database.reading() as connection:
            if not _queue.anything_due(connection, self.clock()):
                return Claims()  # an idle worker must not take the write lock at every look
        with self._database.writing() as connection:  # flushed: an attempt that takes the machine down must count
            return _queue.claim(
                connection,
                owner=owner,
                lease_s=lease_s,
                limit=limit,
                max_attempts=self.max_attempts,
                now=self.clock(),
            )

    def heartbeat(self, owner: str, claims: Iterable[Claim], *, lease_s: float) -> frozenset[int]:
        """Prolongs leases and gives the keys of those that the owner still holds."""
        keys = [claimed.key for claimed in claims]
        with self._database.writing(again=True) as connection:
            return _queue.heartbeat(connection, owner=owner, keys=keys, lease_s=lease_s, now=self.clock())

    def finish(self, claimed: Claim, judgements: Sequence[Judgement], fold: Fold) -> Finished:
        """Stores verdicts, outcomes, session state, events and a conclusion, all or nothing, and only once.

        A power cut may undo it, as the turn can be judged again; nothing else can.

        Returns:
            What was stored; empty where another worker was first.

        Raises:
            StoreError: Nothing was stored; the lease runs out and the turn is judged again.
        """
        with self._database.writing(again=True) as connection:
            return _finish.finish(connection, claimed, judgements, fold, self.clock())

    def fail(self, claimed: Claim, *, code: ErrorCode, delay_s: float = 0.0) -> tuple[Verdict, ...]:
        """Gives a claim back after a failed attempt; after the last one it becomes a dead letter with `error` verdicts.

        Returns:
            The verdicts of the dead letters; empty where another attempt follows.
        """
        with self._database.writing() as connection:
            return _queue.fail(
                connection,
                claimed,
                code=code,
                delay_s=delay_s,
                max_attempts=self.max_attempts,
                now=self.clock(),
            )

    def release(self, claimed: Claim) -> None:
        """Gives a claim back unused."""
        with self._database.writing() as connection:
            _queue.release(connection, claimed, now=self.clock())

    def claim_conclusion(self, *, lease_s: float) -> tuple[Conclusion, int] | None:
        """Leases the next conclusion that the hook has not heard; gives it with the number of the attempt."""
        with self._database.reading() as connection:
            if not _sessions.conclusion_due(connection, self.clock()):
                return None
        with self._database.writing() as connection:
            return _sessions.claim_conclusion(connection, lease_s=lease_s, now=self.clock())

    def conclusion_heard(self, conclusion: Conclusion) -> None:
        """Records that the hook heard a conclusion; it is not told again."""
        with self._database.writing() as connection:
            _sessions.conclusion_heard(connection, conclusion)

    def conclusion_unheard(self, conclusion: Conclusion, *, delay_s: float | None) -> None:
        """Records that the hook failed: it is told again after the delay, or with None never again."""
        with self._database.writing() as connection:
            _sessions.conclusion_unheard(connection, conclusion, delay_s=delay_s, now=self.clock())

    def unheard_conclusions(self) -> int:
        """Counts the conclusions that the hook shall still hear."""
        with self._database.reading() as connection:
            return _sessions.unheard(connection)

    # --- sessions -----------------------------------------------------------------------------------------------

    def session(self, tenant: str, session: str) -> SessionState | None:
        """Gives the state of a session, or None where the tenant has none of this id."""
        with self._database.reading() as connection:
            return _sessions.load(connection, tenant, session)

    def pin_title(self, tenant: str, session: str, title: str | None) -> bool:
        """Sets the title for good, or with None lets judgements set it again; False where there is no such session."""
        with self._database.writing() as connection:
            return _sessions.pin_title(connection, tenant, session, title)

    def timeline(
        self, tenant: str, session: str, *, event_names: Mapping[str, str] = _OWN_NAMES
    ) -> tuple[TimelineEvent, ...]:
        """Gives the events of a session, under the host's names where it has its own."""
        with self._database.reading() as connection:
            return tuple(_sessions.timeline(connection, tenant, session, event_names))

    # --- replays ------------------------------------------------------------------------------------------------

    @property
    def replays(self) -> Replays:
        """Where stored turns are judged anew, beside what live traffic has."""
        return Replays(self._database, self.clock)

    # --- erasure ------------------------------------------------------------------------------------------------

    def forget(self, tenant: str, session: str) -> Forgotten | None:
        """Removes all text of a session; its ids and verdicts stay. None where the tenant has none of this id."""
        with self._database.writing() as connection:
            return _erase.forget_session(connection, tenant, session, self.clock())

    def forget_expired(self, days_for: DaysFor, *, limit: int = 100) -> Forgotten:
        """Removes the text of up to `limit` turns that were stored longer ago than their tenant keeps text."""
        with self._database.reading() as connection:
            numbers = _erase.expired(connection, days_for, limit, self.clock())
        if not numbers:
            return Forgotten()
        with self._database.writing() as connection:
            return _erase.forget_turns(connection, numbers, self.clock())

    def empty_log(self, *, wait_s: float | None = None) -> bool:
        """Empties the database's log, where removed text stands until then.

        Args:
            wait_s: How long to wait for others, as long as a write does by default; nobody else can write meanwhile.

        Returns:
            Whether it is empty; False where another process, or thread, reads or writes for longer.

        Raises:
            StoreError: The database could not be written.
        """
        return self._database.checkpoint(wait_s=wait_s)

    def prove(self, forgotten: Forgotten, *, tenant: str, session: str) -> Proof:
        """Searches every text column and the files for what was removed of a session.

        Raises:
            StoreError: The database could not be read.
        """
        return _proof.prove(self._database, forgotten.texts, tenant=tenant, session=session)

    # --- answers ------------------------------------------------------------------------------------------------

    def verdicts(self, narrow: Filter = _ANY, *, newest_first: bool = False) -> Iterator[Verdict]:
        """Gives the verdicts one by one, in the order in which their questions were stored."""
        return _queries.verdicts(self._database, narrow, newest_first=newest_first, dead=False)

    def dead_letters(self, narrow: Filter = _ANY, *, newest_first: bool = False) -> Iterator[Verdict]:
        """Gives the verdicts of the questions that were given up after the last attempt."""
        return _queries.verdicts(self._database, narrow, newest_first=newest_first, dead=True)

    def verdicts_of(self, turn_ids: Collection[str], narrow: Filter = _ANY) -> Iterator[Verdict]:
        """Gives the verdicts about turns with certain ids, of whatever tenant the filter lets through."""
        return _queries.verdicts_of(self._database, turn_ids, narrow)

    def turns(self, narrow: Filter = _ANY) -> Iterator[Turn]:
        """Gives the turns one by one, in the order in which they were stored."""
        return _queries.stored_turns(self._database, narrow)

    def turn(self, tenant: str, turn: str) -> Turn | None:
        """Gives a turn, or None where the tenant has none of this id."""
        with self._database.reading() as connection:
            return _queries.turn(connection, tenant, turn)

    def last_turn(self, tenant: str, session: str) -> Turn | None:
        """Gives the newest turn of a session, or None where the tenant has none of this id."""
        with self._database.reading() as connection:
            return _queries.last_turn(connection, tenant, session)

    def judged(self, tenant: str, turn: str) -> Judged | None:
        """Gives what is known of a turn so far, or None where the tenant has none of this id."""
        with self._database.reading() as connection:
            return _queries.judged(connection, tenant, turn)

    def open_questions(self) -> int:
        """Counts the questions that nobody has answered yet."""
        with self._database.reading() as connection:
            return _queries.open_questions(connection)

    def funnel(self, narrow: Filter = _ANY) -> Funnel:
        """Counts what became of the stored turns."""
        with self._database.reading() as connection:
            return _funnel.funnel(connection, narrow)

    def histograms(self, narrow: Filter = _ANY) -> tuple[DayHistogram, ...]:
        """Gives the counts of verdicts by confidence, for each series and day; merge what you want to see as one.

        Args:
            narrow: Which; a time is taken as its whole day in UTC. Sessions and turns are not counted apart.

        Raises:
            UsageError: The filter asks for a session or a turn.
        """
        with self._database.reading() as connection:
            return _histograms.histograms(connection, narrow)

    def totals(self) -> tuple[tuple[Series, int], ...]:
        """Gives how many live verdicts are stored of each series, of all days; it reads counts and no verdicts."""
        with self._database.reading() as connection:
            return _histograms.totals(connection)
