"""`afterturn modes`: what verdicts lead to, by tenant, agent and classifier, and who decided it on what evidence."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterturn.calibration import ModeRule, RuleMode
from afterturn.cli._common import configured, json_line, note, printable
from afterturn.cli._evidence import check_about, evidence_for, read_calibration, unproven
from afterturn.cli._reviewer import check_reviewer
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.store import Evidence, ModeChange, Store

modes_app = typer.Typer(
    help="What verdicts lead to: nothing yet (shadow), advice (advise), or that the host shall act (enforce).",
    no_args_is_help=True,
)

_Db = Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")]
_Tenant = Annotated[str | None, typer.Option(help="Only this tenant.")]
_Agent = Annotated[str | None, typer.Option(help="Only this agent.")]
_Json = Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")]


@modes_app.command("list")
def list_command(db: _Db = None, as_json: _Json = False) -> None:
    """Lists the decisions that hold. The most special one decides: of an agent, of a tenant, of all."""
    from afterturn.store import open_store

    config = configured(db=db)
    with open_store(config.db, create=False) as store:
        _print(store.modes.rules(), as_json=as_json)


@modes_app.command("set")
def set_command(
    classifier: Annotated[str, typer.Argument(help="Name of the classifier.")],
    mode: Annotated[
        RuleMode, typer.Argument(help="What its verdicts lead to; `inherit` takes the decision for this scope back.")
    ],
    by: Annotated[str, typer.Option("--by", help="Who decides; it is stored with the decision.")],
    tenant: Annotated[str | None, typer.Option(help="For this tenant; for all by default.")] = None,
    agent: Annotated[str | None, typer.Option(help="For this agent of the tenant; for all by default.")] = None,
    threshold: Annotated[
        int | None, typer.Option(min=1, max=100, help="Score from which on a verdict counts; every finding by default.")
    ] = None,
    evidence: Annotated[
        Path | None, typer.Option(help="What it rests on: a file that `afterturn calibrate --json` wrote.")
    ] = None,
    without_evidence: Annotated[
        bool, typer.Option("--without-evidence", help="Enforce all the same; the trail says so.")
    ] = False,
    db: _Db = None,
    as_json: _Json = False,
) -> None:
    """Decides what the verdicts of a classifier lead to; the decision is added to a trail that is never changed.

    Running processes follow within seconds.
    """
    from afterturn.store import Filter, open_store

    config = configured(db=db)
    who = check_reviewer(by, "--by")
    report = None if evidence is None else read_calibration(evidence)
    if report is not None and threshold is None:
        threshold = report["threshold"]
    version = None if report is None else report["version"]
    rule = _rule(classifier=classifier, mode=mode, tenant=tenant, agent=agent, threshold=threshold, version=version)
    proof = _proof(rule, report, without_evidence=without_evidence)
    _check(rule.mode, proof, without_evidence=without_evidence)
    with open_store(config.db, create=False) as store:
        unheard = not store.histograms(Filter(classifier=classifier))
        if unheard:
            _check_name(store, classifier)
        change = store.modes.set(rule, by=who, evidence=proof, without_evidence=without_evidence)
    if unheard:
        note(f"there is no verdict of {printable(classifier)} yet; check the name")
    if report is not None and report["tenant"] != tenant:
        note("the evidence is about all tenants together; one of them may differ")
    _print([change], as_json=as_json)


@modes_app.command("history")
def history_command(
    classifier: Annotated[str | None, typer.Option(help="Only this classifier.")] = None,
    tenant: _Tenant = None,
    agent: _Agent = None,
    db: _Db = None,
    as_json: _Json = False,
) -> None:
    """Shows every decision there was, the oldest first: who, when, from what to what, on what evidence."""
    from afterturn.store import open_store

    config = configured(db=db)
    with open_store(config.db, create=False) as store:
        _print(store.modes.history(tenant=tenant, agent=agent, classifier=classifier), as_json=as_json)


def _rule(**parts: Any) -> ModeRule:
    try:
        return ModeRule(**parts)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _check_name(store: Store, classifier: str) -> None:
    """Refuses a name that nothing was ever heard of: the decision would hold for no verdict."""
    from afterturn.classifiers import BLOCKED_TOPICS, BUILT_IN, INJECTION

    known = sorted({*(one.name for one in BUILT_IN), BLOCKED_TOPICS, INJECTION})
    if classifier not in known and not store.modes.history(classifier=classifier):
        raise UsageError(
            f"there is no verdict of {printable(classifier)} yet; check the name: built in are {', '.join(known)}, "
            "and one of your own must have judged a turn before"
        )


def _proof(rule: ModeRule, report: dict[str, Any] | None, *, without_evidence: bool) -> Evidence | None:
    """Gives the evidence; of a calibration that proves nothing the threshold alone is taken, if that is wanted."""
    if report is None:
        return None
    why = unproven(report)
    if why is None or rule.mode != "enforce" or not without_evidence:
        return evidence_for(rule, report)
    check_about(rule, report)
    note("the evidence proves nothing; its threshold is enforced without evidence, and the trail says so")
    return None


def _check(mode: RuleMode, proof: Evidence | None, *, without_evidence: bool) -> None:
    if without_evidence and (mode != "enforce" or proof is not None):
        raise UsageError("--without-evidence is for enforce, where there is none; leave it out")
    if mode == "enforce" and proof is None and not without_evidence:
        raise UsageError(
            "enforce needs evidence: give --evidence FILE, which `afterturn calibrate --json` wrote, or say "
            "--without-evidence"
        )


def _print(changes: Iterable[ModeChange], *, as_json: bool) -> None:
    if as_json or not sys.stdout.isatty():
        for change in changes:
            sys.stdout.write(json_line(_json(change)) + "\n")
        return
    from rich.console import Console
    from rich.table import Table

    table = Table()
    for name in ("classifier", "tenant / agent", "before", "mode", "by", "at", "evidence"):
        table.add_column(name, overflow="fold")
    for change in changes:
        rule, before = change.rule, change.before
        table.add_row(
            printable(rule.classifier),
            printable(f"{rule.tenant or 'all'} / {rule.agent or 'all'}"),
            _words(before.mode, before.threshold) if before else "-",
            _words(rule.mode, rule.threshold),
            printable(change.by),
            change.at.strftime("%Y-%m-%d %H:%M:%S"),
            _rests_on(change),
        )
    Console(markup=False, emoji=False, highlight=False).print(table)


def _json(change: ModeChange) -> dict[str, Any]:
    rule, before, evidence = change.rule, change.before, change.evidence
    return {
        "number": change.number,
        "classifier": rule.classifier,
        "tenant": rule.tenant,
        "agent": rule.agent,
        "mode": rule.mode,
        "threshold": rule.threshold,
        "version": rule.version,
        "before": None if before is None else {"mode": before.mode, "threshold": before.threshold},
        "by": change.by,
        "at": change.at.isoformat(),
        "evidence": None if evidence is None else {"digest": evidence.digest, **evidence.figures},
        "without_evidence": change.without_evidence,
    }


def _words(mode: str, threshold: int | None) -> str:
    return mode if threshold is None else f"{mode} from {threshold}"


def _rests_on(change: ModeChange) -> str:
    if change.evidence is not None:
        return f"calibration {change.evidence.digest[:12]}"
    return "NONE, explicitly" if change.without_evidence else "-"
