"""`afterturn forget`: removes a person's text, and proves it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterturn.cli._common import configured, json_line, printable
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.config import Config
    from afterturn.store import Store
    from afterturn.verdicts import Verdict

SHOWN = 20
_HELD = "the files could NOT be emptied, another process uses the database; stop it and run this again"
_LAST = {
    True: "none is left in the session or in free space",
    False: "NOT all is gone, or it cannot be told",
    None: "the log was emptied and the file written anew: text that was removed earlier is in neither",
}


def forget_command(
    session: Annotated[str | None, typer.Option(help="Remove all text of this session.")] = None,
    tenant: Annotated[
        str | None, typer.Option(help="The session's tenant; `default` by default. With --expired: only this one.")
    ] = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="Remove the text that is older than `retention_days` allows.")
    ] = False,
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")] = False,
) -> None:
    """Removes text from the database; ids and verdicts stay.

    What was said in a session, what was found in it in words, its title, handoff and timeline data go. Then every text
    column and the files themselves are searched for the removed texts. The exit code is 1 where the session or free
    space still holds one, or where another process keeps the database's log from being emptied. A session that holds no
    text any more leaves nothing to search for: that run empties the files and proves nothing. Copies elsewhere
    (exports, backups, the host's own) are not seen.
    """
    from afterturn.store import open_store

    if (session is None) == (not expired):
        raise typer.BadParameter("give one of --session and --expired", param_hint="--session")
    config = configured(db=db)
    as_json = as_json or not sys.stdout.isatty()
    with open_store(config.db, create=False) as store:
        if session is None:
            told = _forget_expired(store, config, tenant)
        else:
            told = _forget_session(store, config, tenant or "default", session)
    sys.stdout.write(json_line(told) + "\n" if as_json else _text(told))
    if told.get("gone", told.get("emptied")) is False:
        raise typer.Exit(1)


def _forget_session(store: Store, config: Config, tenant: str, session: str) -> dict[str, Any]:
    forgotten = store.forget(tenant, session)
    if forgotten is None:
        raise UsageError(f"tenant {printable(tenant)} has no session {printable(session)}; check both ids")
    _publish(forgotten.verdicts, config)
    proof = store.prove(forgotten, tenant=tenant, session=session)
    told = {"tenant": tenant, "session": session, "turns": forgotten.turns, "closed": len(forgotten.verdicts)}
    return told | {"gone": proof.gone, "proof": asdict(proof)}


def _forget_expired(store: Store, config: Config, tenant: str | None) -> dict[str, Any]:
    def days_for(of: str) -> int | None:
        return config.retention_days_for(of) if tenant in (None, of) else None

    if not config.expires:
        raise UsageError("no text expires: set `retention_days` in the configuration, for all or for a tenant")
    turns = closed = 0
    while (gone := store.forget_expired(days_for)).turns:
        _publish(gone.verdicts, config)
        turns, closed = turns + gone.turns, closed + len(gone.verdicts)
    return {"turns": turns, "closed": closed, "emptied": store.empty_log()}


def _publish(verdicts: Sequence[Verdict], config: Config) -> None:
    from afterturn.ledger import close, open_sinks, publish

    if verdicts:
        sinks = open_sinks(config.sinks, config.event_names)
        publish(verdicts, sinks)
        close(sinks)


def _text(told: dict[str, Any]) -> str:
    lines = [f"text of {told['turns']} turns removed, {told['closed']} open questions closed"]
    if "proof" in told:
        lines += _proved(told["proof"], gone=told["gone"])
    elif not told["emptied"]:
        lines.append(_HELD)
    return "\n".join(lines) + "\n"


def _proved(proof: dict[str, Any], *, gone: bool | None) -> list[str]:
    if proof["texts"]:
        lines = [
            f"searched for {proof['texts']} removed texts in {proof['columns']} text columns of {proof['rows']} rows "
            f"and in {', '.join(map(printable, proof['files']))}"
        ]
    else:
        lines = ["nothing to search for: this run proves nothing"]
    if proof["short"]:
        lines.append(f"{proof['short']} texts are too short to search for; they were removed with the rest")
    lines += [f"STILL in the session: {_place(place)}" for place in proof["own"]]
    lines += [f"the same words elsewhere: {_place(place)}" for place in proof["elsewhere"][:SHOWN]]
    if len(proof["elsewhere"]) > SHOWN:
        lines.append(f"… and in {len(proof['elsewhere']) - SHOWN} places more; --json has them all")
    if proof["residue"]:
        left = f"STILL in free space of the files: {proof['residue']} pieces"
        lines.append(f"{left}; stop what else uses the database and run this again: it empties that space")
    if not proof["emptied"]:
        lines.append(_HELD)
    lines.append(_LAST[gone])
    return lines


def _place(place: dict[str, Any]) -> str:
    whose = f", tenant {printable(place['tenant'])}" if place["tenant"] else ""
    whose += f", session {printable(place['session'])}" if place["session"] else ""
    return f"{place['table']}.{place['column']}{whose}"
