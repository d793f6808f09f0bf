"""Keeps what verdicts lead to, as a trail that only grows: each decision with who, when, and on what evidence."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

from sqlalchemy import Connection, func, insert, select

from afterturn import failopen
from afterturn.calibration import ModeRule, Modes
from afterturn.errors import UsageError
from afterturn.store._codec import to_json
from afterturn.store._engine import Database
from afterturn.store._schema import modes
from afterturn.turns import JsonValue

READ_AGAIN_S = 2.0
_NONE = Modes()


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """Is what a decision rests on: a calibration.

    Attributes:
        digest: SHA-256 of the calibration as `afterturn calibrate --json` wrote it.
        figures: What it said: the promise, the labels, the period. Numbers, ids and codes, never text.
    """

    digest: str
    figures: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeChange:
    """Is one decision.

    Attributes:
        number: Its number in the store; they rise with time.
        rule: What holds from then on for its tenant, agent and classifier.
        before: What held there before; None where nothing did.
        by: Who decided.
        at: When.
        evidence: What it rests on, or None.
        without_evidence: Whether `enforce` was wanted without evidence, explicitly.
    """

    number: int
    rule: ModeRule
    before: ModeRule | None
    by: str
    at: datetime
    evidence: Evidence | None
    without_evidence: bool


class ModeTrail:
    """Is the decisions of a store.

    Args:
        database: The database.
        clock: Gives the time.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._reading = Lock()
        self._read: tuple[float, Modes] | None = None

    def set(
        self, rule: ModeRule, *, by: str, evidence: Evidence | None = None, without_evidence: bool = False
    ) -> ModeChange:
        """Adds a decision.

        Raises:
            UsageError: `enforce` is wanted without evidence, and not explicitly so.
        """
        if rule.mode == "enforce" and evidence is None and not without_evidence:
            raise UsageError("enforce needs evidence: a calibration; or say explicitly that there is none")
        row: dict[str, Any] = {
            "classifier": rule.classifier,
            "tenant": rule.tenant,
            "agent": rule.agent,
            "mode": rule.mode,
            "threshold": rule.threshold,
            "version": rule.version,
            "set_by": by,
            "set_at": self._clock(),
            "evidence_digest": evidence and evidence.digest,
            "evidence": evidence and to_json(dict(evidence.figures)),
            "without_evidence": rule.mode == "enforce" and evidence is None,
        }
        with self._database.writing() as connection:
            before = _last(connection, rule)
            row |= {"before_mode": before and before["mode"], "before_threshold": before and before["threshold"]}
            number = connection.execute(insert(modes).values(row).returning(modes.c.n)).scalar_one()
        self._read = None
        return _change(row | {"n": number})

    def history(
        self, *, tenant: str | None = None, agent: str | None = None, classifier: str | None = None
    ) -> tuple[ModeChange, ...]:
        """Gives the decisions, the oldest first."""
        pairs = ((modes.c.tenant, tenant), (modes.c.agent, agent), (modes.c.classifier, classifier))
        query = select(modes).where(*[column == value for column, value in pairs if value is not None])
        with self._database.reading() as connection:
            return tuple(map(_change, connection.execute(query.order_by(modes.c.n)).mappings()))

    def rules(self) -> tuple[ModeChange, ...]:
        """Gives the decisions that hold, one for each tenant, agent and classifier; those taken back are left out."""
        newest = select(func.max(modes.c.n)).group_by(modes.c.classifier, modes.c.tenant, modes.c.agent)
        query = select(modes).where(modes.c.n.in_(newest), modes.c.mode != "inherit")
        order = (modes.c.classifier, modes.c.tenant, modes.c.agent)
        with self._database.reading() as connection:
            return tuple(map(_change, connection.execute(query.order_by(*order)).mappings()))

    def current(self) -> Modes:
        """Gives the rules that hold, read again where they are some seconds old; the last known where that fails.

        A decision of another process is seen after `READ_AGAIN_S` seconds.
        """
        with self._reading:
            read = self._read
            if read is None or time.monotonic() - read[0] >= READ_AGAIN_S:
                last = read[1] if read else _NONE
                found = failopen.call("store.modes", lambda: Modes(one.rule for one in self.rules()), lambda _: last)
                read = self._read = (time.monotonic(), found)
            return read[1]


def _last(connection: Connection, rule: ModeRule) -> Mapping[str, Any] | None:
    pairs = ((modes.c.tenant, rule.tenant), (modes.c.agent, rule.agent))
    same = [column.is_(None) if value is None else column == value for column, value in pairs]
    query = select(modes).where(modes.c.classifier == rule.classifier, *same).order_by(modes.c.n.desc()).limit(1)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else dict(row)


def _change(row: Mapping[Any, Any]) -> ModeChange:
    scope = {name: row[name] for name in ("classifier", "tenant", "agent")}
    before = row["before_mode"]
    evidence = row["evidence_digest"]
    return ModeChange(
        number=row["n"],
        rule=ModeRule(**scope, mode=row["mode"], threshold=row["threshold"], version=row["version"]),
        before=None if before is None else ModeRule(**scope, mode=before, threshold=row["before_threshold"]),
        by=row["set_by"],
        at=row["set_at"],
        evidence=None if evidence is None else Evidence(digest=evidence, figures=json.loads(row["evidence"])),
        without_evidence=row["without_evidence"],
    )
