"""`afterturn worker`: judges the stored turns that wait."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Generator
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import configured, note

if TYPE_CHECKING:
    from afterturn.config import Config
    from afterturn.embedded import Afterturn
    from afterturn.ledger import MetricsServer
    from afterturn.store import Funnel, Store


def worker_command(
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who answers: encoder, llama:PATH or provider:model (openai:gpt-…).")
    ] = None,
    drain: Annotated[bool, typer.Option("--drain", help="End once nothing waits any more.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the funnel at the end as one line of JSON.")] = False,
) -> None:
    """Judges stored turns until it is stopped (Ctrl-C); what is under way then falls due again."""
    from afterturn.store import open_store

    config = configured(db=db, judge=judge)
    with open_store(config.db, create=False):  # a wrong path must not look like a database where all is done
        pass
    asyncio.run(_work(config, drain=drain, as_json=as_json))


async def _work(config: Config, *, drain: bool, as_json: bool) -> None:
    from dataclasses import asdict

    from afterturn.cli._common import json_line
    from afterturn.ledger import dropped, serve_metrics

    server = None if config.metrics_port is None else serve_metrics(config.metrics_port)
    with nullcontext() if server is None else closing(server):
        funnel = await _judge(config, server, drain=drain)
    if as_json:
        typer.echo(json_line(asdict(funnel)))
    note(f"{funnel.judged} judged, {funnel.skipped} skipped, {funnel.failed} failed, {funnel.open} still open")
    for sink, count in dropped.items():
        note(f"sink {sink} missed {count} verdicts; the database has them all")


async def _judge(config: Config, server: MetricsServer | None, *, drain: bool) -> Funnel:
    from afterturn.embedded import Afterturn

    async with Afterturn(config=config) as at:
        with _shown(server, config, at.store):
            return await _until_stopped(at, drain=drain)


@contextmanager
def _shown(server: MetricsServer | None, config: Config, store: Store) -> Generator[None]:
    """Shows what the database holds among the metrics, where there are any."""
    from afterturn.ledger import stored_verdicts

    if server is None:
        yield
        return
    with stored_verdicts(store, event_names=config.event_names):
        note(f"metrics are on http://127.0.0.1:{server.port}/metrics")
        yield


async def _until_stopped(at: Afterturn, *, drain: bool) -> Funnel:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    stopped = asyncio.create_task(stop.wait())
    drained = asyncio.create_task(at.drain())  # this starts the worker
    await asyncio.wait([stopped, drained] if drain else [stopped], return_when=asyncio.FIRST_COMPLETED)
    for task in (stopped, drained):
        task.cancel()
    await asyncio.gather(stopped, drained, return_exceptions=True)
    return await asyncio.to_thread(at.store.funnel)
