"""Describes the tables to SQLAlchemy. The migrations create them; a test holds the two together.

- turns: one row a turn, the raw turn and its clean reply as JSON.
- judgements: one row a planned question, its place in the queue, then its verdict; never text.
- outcomes: what a judgement found in words, one row a judgement that found something.
- sessions: the state of each session.
- conclusions: what `on_conclusion` still has to hear, one row a session.
- events: the activity timeline.
- replay_leases: who is at which question of a replay.
- token_counts: spent tokens, where processes share budgets.
- histogram_series, histogram_bins: counts of verdicts by what they are of, day and confidence; never text.
- review_samples, review_frames, review_turns: what people are asked to look at, and with what chance it was drawn.
- labels: what people said of turns: an answer, who and when; never text.
- modes: what verdicts lead to, each decision with who, when and on what evidence; never text.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Integer, MetaData, Table, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

metadata = MetaData()

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(at: datetime | None) -> int | None:
    """Gives the microseconds since 1970; a datetime without a zone is taken as UTC."""
    if at is None:
        return None
    return ((at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


class Instant(TypeDecorator[datetime]):
    """Is an aware datetime, stored as microseconds since 1970 in UTC."""

    impl = BigInteger
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Gives what makes the microseconds, with nothing around it: times are in every row."""
        return micros

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Gives what makes the datetime in UTC."""
        return _instant


def _instant(value: int | None) -> datetime | None:
    return None if value is None else _EPOCH + value * _MICROSECOND


turns = Table(
    "turns",
    metadata,
    Column("n", BigInteger, primary_key=True),
    Column("tenant", Text),
    Column("id", Text),
    Column("session", Text),
    Column("agent", Text),
    Column("created_at", Instant),
    Column("received_at", Instant),
    Column("complete", Boolean),
    Column("body", Text),
    Column("erased_at", Instant),
)

judgements = Table(
    "judgements",
    metadata,
    Column("n", BigInteger, primary_key=True),
    Column("turn_n", BigInteger, ForeignKey("turns.n")),
    Column("classifier", Text),
    Column("version", Text),
    Column("judge", Text),
    Column("plan", Text),
    Column("metric", Text),
    Column("state", Text),
    Column("due_at", Instant),
    Column("owner", Text),
    Column("attempts", Integer),
    Column("status", Text),
    Column("label", Text),
    Column("confidence", Integer),
    Column("confidence_source", Text),
    Column("reason", Text),
    Column("answered_by", Text),
    Column("latency_ms", Double),
    Column("attempt", Integer),
    Column("dropped", Integer),
    Column("temperature", Double),
    Column("max_tokens", Integer),
    Column("response_format", Text),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("judged_at", Instant),
    Column("replayed", Integer),
)

outcomes = Table(
    "outcomes",
    metadata,
    Column("judgement_n", BigInteger, ForeignKey("judgements.n"), primary_key=True),
    Column("body", Text),
)

sessions = Table(
    "sessions",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("agent", Text),
    Column("created_at", Instant),
    Column("title", Text),
    Column("title_pinned", Boolean),
    Column("title_at", Instant),
    Column("title_n", BigInteger),
    Column("categories", Text),
    Column("categories_at", Instant),
    Column("categories_n", BigInteger),
    Column("sources", Text),
    Column("sources_at", Instant),
    Column("sources_n", BigInteger),
    Column("concluded", Text),
    Column("concluded_turn", Text),
    Column("handoff_summary", Text),
    Column("mood", Text),
    Column("mood_at", Instant),
    Column("mood_n", BigInteger),
    Column("signals", Text),
    Column("signals_at", Instant),
    Column("signals_n", BigInteger),
)

conclusions = Table(
    "conclusions",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("session", Text, primary_key=True),
    Column("agent", Text),
    Column("parent", Text),
    Column("turn", Text),
    Column("handoff_summary", Text),
    Column("state", Text),
    Column("due_at", Instant),
    Column("attempts", Integer),
    Column("created_at", Instant),
)

events = Table(
    "events",
    metadata,
    Column("n", BigInteger, primary_key=True),
    Column("tenant", Text),
    Column("session", Text),
    Column("turn", Text),
    Column("name", Text),
    Column("at", Instant),
    Column("data", Text),
)

replay_leases = Table(
    "replay_leases",
    metadata,
    Column("turn_n", BigInteger, ForeignKey("turns.n"), primary_key=True),
    Column("classifier", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("judge", Text, primary_key=True),
    Column("owner", Text),
    Column("due_at", Instant),
    Column("attempts", Integer),
)

token_counts = Table(
    "token_counts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("tokens", BigInteger),
    Column("expires_at", Instant),
)

histogram_series = Table(
    "histogram_series",
    metadata,
    Column("n", BigInteger, primary_key=True),
    Column("tenant", Text),
    Column("agent", Text),
    Column("classifier", Text),
    Column("version", Text),
    Column("status", Text),
    Column("label", Text),
    Column("reason", Text),
    Column("replayed_by", Text),
)

histogram_bins = Table(
    "histogram_bins",
    metadata,
    Column("series_n", BigInteger, ForeignKey("histogram_series.n"), primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("bin", Integer, primary_key=True),
    Column("verdicts", BigInteger),
)

review_samples = Table(
    "review_samples",
    metadata,
    Column("n", BigInteger, primary_key=True),
    Column("classifier", Text),
    Column("version", Text),
    Column("tenant", Text),
    Column("agent", Text),
    Column("since", Instant),
    Column("until", Instant),
    Column("size", Integer),
    Column("seed", BigInteger),
    Column("reviewer", Text),
    Column("drawn_at", Instant),
    Column("expired", BigInteger),
)

review_frames = Table(
    "review_frames",
    metadata,
    Column("sample_n", BigInteger, ForeignKey("review_samples.n"), primary_key=True),
    Column("status", Text, primary_key=True),
    Column("score", Integer, primary_key=True),
    Column("turns", BigInteger),
)

review_turns = Table(
    "review_turns",
    metadata,
    Column("sample_n", BigInteger, ForeignKey("review_samples.n"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("turn_n", BigInteger, ForeignKey("turns.n")),
    Column("status", Text),
    Column("score", Integer),
    Column("probability", Double),
)

labels = Table(
    "labels",
    metadata,
    Column("turn_n", BigInteger, ForeignKey("turns.n"), primary_key=True),
    Column("classifier", Text, primary_key=True),
    Column("reviewer", Text, primary_key=True),
    Column("answer", Text),
    Column("source", Text),
    Column("labelled_at", Instant),
)

modes = Table(
    "modes",
    metadata,
    Column("n", BigInteger, primary_key=True),
    Column("classifier", Text),
    Column("tenant", Text),
    Column("agent", Text),
    Column("mode", Text),
    Column("threshold", Integer),
    Column("version", Text),
    Column("before_mode", Text),
    Column("before_threshold", Integer),
    Column("set_by", Text),
    Column("set_at", Instant),
    Column("evidence_digest", Text),
    Column("evidence", Text),
    Column("without_evidence", Boolean),
)
