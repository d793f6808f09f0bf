"""Keeps what people said of turns, and puts it together with the samples that they looked at.

A label says whether there was something to find in a turn. It is no text: it stays when the text of its turn goes, as
a verdict does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sqlalchemy import and_, select
from sqlalchemy.dialects.sqlite import insert as upsert

from afterturn.calibration import StratifiedSample, layers_of, stratum_of
from afterturn.store import _samples
from afterturn.store._engine import Database
from afterturn.store._parts import Fit, Scope, fitting, frame_of, scope_of
from afterturn.store._records import Filter
from afterturn.store._samples import Frame, ReviewSample, SampledTurn
from afterturn.store._schema import judgements, labels, turns

Answer = Literal["yes", "no", "unsure"]
LabelSource = Literal["review", "file"]

_SOME = 500
_upsert = upsert(labels)
_UPSERT = _upsert.on_conflict_do_update(
    index_elements=["turn_n", "classifier", "reviewer"],
    set_={name: _upsert.excluded[name] for name in ("answer", "source", "labelled_at")},
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """Is what one person said of one turn: whether there was something for a classifier to find.

    Attributes:
        key: Number of the turn in the store.
        tenant: Id of its tenant.
        turn: Its id.
        classifier: Name of the classifier.
        reviewer: Who said it.
        answer: yes, no, or unsure.
        source: `review` at the terminal, or a `file`.
        at: When.
    """

    key: int
    tenant: str
    turn: str
    classifier: str
    reviewer: str
    answer: Answer
    source: LabelSource
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """Is a sample with what people said of its turns.

    Attributes:
        sample: The sample.
        turns: Its turns; of the part that is looked at.
        frame: What that part was drawn from.
        stratified: Its labels by stratum; what the majority of the reviewers says counts.
        unlabelled: Turns that nobody answered with yes or no and that can still be read.
        unreadable: Turns without a label whose text has gone since the draw.
        contradictory: Turns with as many yes as no; they are left out.
        strata_contradictory: Strata that have no label for that reason alone: all theirs contradict each other.
        outside: Labelled turns that are not in the sample; they are left out.
    """

    sample: ReviewSample
    turns: tuple[SampledTurn, ...] = field(repr=False)
    frame: Frame = field(repr=False)
    stratified: StratifiedSample = field(repr=False)
    unlabelled: int
    unreadable: int
    contradictory: int
    strata_contradictory: int
    outside: int


class Reviews:
    """Is the samples and labels of a store.

    Args:
        database: The database.
        clock: Gives the time.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def draw(self, narrow: Filter, *, size: int, seed: int, reviewer: str) -> ReviewSample:
        """Draws a sample of judged turns, stratified by confidence, and stores it.

        Args:
            narrow: Whose turns; it names a classifier and a version.
            size: How many turns.
            seed: The same seed draws the same turns.
            reviewer: Who has it drawn.
        """
        return _samples.draw_sample(self._database, narrow, size=size, seed=seed, reviewer=reviewer, now=self._clock())

    def samples(self, narrow: Filter) -> tuple[ReviewSample, ...]:
        """Gives the samples of exactly this tenant, agent, classifier and version, the newest first."""
        return self._fitting(narrow, ("exact",))

    def newest_reviewed(self, narrow: Filter, given: Iterable[Label] | None = None) -> Reviewed | None:
        """Gives the newest sample of this tenant, agent, classifier and version of which a turn is answered.

        Without one it gives the part that is of this traffic of a sample of more than it.
        """
        some = (
            self.labels(narrow.classifier, tenant=narrow.tenant, agent=narrow.agent) if given is None else tuple(given)
        )
        for sample in self._fitting(narrow, ("exact", "wider")):
            found = self._part(sample, scope_of(narrow), some)
            if found is not None and (found.stratified.size or found.contradictory):
                return found
        return None

    def others(self, narrow: Filter) -> tuple[ReviewSample, ...]:
        """Gives the samples of this classifier and version that are of other traffic, or of less than this."""
        return self._fitting(narrow, ("narrower", "other"))

    def for_replay(self, narrow: Filter) -> tuple[ReviewSample, ...]:
        """Gives the samples that may serve a comparison of this traffic: of just it, of more, of less; newest first."""
        return self._fitting(narrow, ("exact", "wider", "narrower"))

    def _fitting(self, narrow: Filter, fits: tuple[Fit, ...]) -> tuple[ReviewSample, ...]:
        with self._database.reading() as connection:
            found = _samples.samples(connection, narrow.classifier, narrow.version)
            return tuple(fitting(found, scope_of(narrow), fits))

    def turns(self, sample: ReviewSample) -> tuple[SampledTurn, ...]:
        """Gives the turns of a sample, in the order in which they are shown."""
        with self._database.reading() as connection:
            return _samples.turns_of(connection, sample)

    def sampled(self, classifier: str) -> frozenset[int]:
        """Gives the numbers of the turns in any sample of a classifier: they were not drawn with one chance."""
        with self._database.reading() as connection:
            return _samples.sampled(connection, classifier)

    def label(
        self, answers: Mapping[int, Answer], classifier: str, *, reviewer: str, source: LabelSource = "review"
    ) -> None:
        """Stores what one person said of turns, by their numbers; a later answer of the same person takes its place."""
        rows = [
            {
                "turn_n": key,
                "classifier": classifier,
                "reviewer": reviewer,
                "answer": answer,
                "source": source,
                "labelled_at": self._clock(),
            }
            for key, answer in answers.items()
        ]
        if rows:
            with self._database.writing() as connection:
                connection.execute(_UPSERT, rows)

    def labels(
        self, classifier: str | None = None, *, tenant: str | None = None, agent: str | None = None
    ) -> tuple[Label, ...]:
        """Gives labels by turn and reviewer, of turns whose text is gone as well."""
        pairs = ((labels.c.classifier, classifier), (turns.c.tenant, tenant), (turns.c.agent, agent))
        query = (
            select(labels, turns.c.tenant, turns.c.id.label("turn"))
            .join(turns, turns.c.n == labels.c.turn_n)
            .where(*[column == value for column, value in pairs if value is not None])
            .order_by(labels.c.turn_n, labels.c.classifier, labels.c.reviewer)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return tuple(
            Label(
                key=row["turn_n"],
                tenant=row["tenant"],
                turn=row["turn"],
                classifier=row["classifier"],
                reviewer=row["reviewer"],
                answer=row["answer"],
                source=row["source"],
                at=row["labelled_at"],
            )
            for row in rows
        )

    def turns_named(self, ids: Iterable[str], tenant: str | None = None) -> dict[str, list[tuple[str, int]]]:
        """Finds turns by id: for each id, the tenants that have such a turn, with its number."""
        wanted = list(dict.fromkeys(ids))
        found: dict[str, list[tuple[str, int]]] = {}
        with self._database.reading() as connection:
            for start in range(0, len(wanted), _SOME):
                named = turns.c.id.in_(wanted[start : start + _SOME])
                mine = named if tenant is None else and_(named, turns.c.tenant == tenant)
                for row in connection.execute(select(turns.c.id, turns.c.tenant, turns.c.n).where(mine)):
                    found.setdefault(row[0], []).append((row[1], row[2]))
        return found

    def answers(self, narrow: Filter, keys: Sequence[int]) -> dict[int, tuple[str, int | None]]:
        """Gives status and confidence of the judge's newest answer about turns, by their numbers."""
        found: dict[int, tuple[str, int | None]] = {}
        with self._database.reading() as connection:
            for start in range(0, len(keys), _SOME):
                columns = (judgements.c.turn_n, judgements.c.status, judgements.c.confidence)
                query = _samples.newest_answers(narrow, *columns)
                some = judgements.c.turn_n.in_(keys[start : start + _SOME])
                for key, status, confidence in connection.execute(query.where(some)):
                    found[key] = (status, confidence)
        return found

    def reviewed(self, sample: ReviewSample, given: Iterable[Label] | None = None) -> Reviewed:
        """Puts a sample together with what people said of its turns.

        Args:
            sample: The sample.
            given: The labels; all that are stored of its classifier, tenant and agent by default.
        """
        if given is None:
            given = self.labels(sample.classifier, tenant=sample.tenant, agent=sample.agent)
        found = self._part(sample, scope_of(sample), tuple(given))
        assert found is not None, "the whole of a sample is known"
        return found

    def _part(self, sample: ReviewSample, of: Scope, given: tuple[Label, ...]) -> Reviewed | None:
        """Puts the part of a sample that is of some traffic together with labels; None where it cannot be known."""
        with self._database.reading() as connection:
            frame = frame_of(connection, sample, of)
            members = tuple(one for one in _samples.turns_of(connection, sample) if of.holds(one.tenant, one.agent))
        truth, tied = majority(given)
        drawn = Counter((one.status, one.score) for one in members)
        if frame is None or any(number > frame.get(key, 0) for key, number in drawn.items()):
            return None
        inside = {one.key for one in members}
        told = [(one.status, one.score, truth[one.key]) for one in members if one.key in truth]
        labelled = {stratum_of(status, score) for status, score, _ in told}
        torn = {stratum_of(one.status, one.score) for one in members if one.key in tied} - labelled
        silent = [one for one in members if one.key not in truth and one.key not in tied]
        return Reviewed(
            sample=sample,
            turns=members,
            frame=frame,
            stratified=StratifiedSample(layers=layers_of(frame, iter(told), torn)),
            unlabelled=sum(one.readable for one in silent),
            unreadable=sum(not one.readable for one in silent),
            contradictory=len(tied & inside),
            strata_contradictory=len(torn),
            outside=len(truth.keys() - inside),
        )


def majority(given: Iterable[Label]) -> tuple[dict[int, bool], set[int]]:
    """Gives what most reviewers say of each turn, `unsure` left out, and the turns with as many yes as no."""
    votes: dict[int, int] = {}
    for label in given:
        if label.answer != "unsure":
            votes[label.key] = votes.get(label.key, 0) + (1 if label.answer == "yes" else -1)
    return {key: vote > 0 for key, vote in votes.items() if vote}, {key for key, vote in votes.items() if not vote}
