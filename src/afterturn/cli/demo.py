"""`afterturn demo`: the main job on a recorded conversation, without a key and without a network."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import configured, json_line, note

if TYPE_CHECKING:
    from rich.console import Console

    from afterturn.config import Config


def demo_command(
    db: Annotated[
        str | None, typer.Option(help="Keep the turns in this database; else they are gone at the end.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who answers: encoder, llama:PATH or provider:model (openai:gpt-…).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line with everything, last.")] = False,
) -> None:
    """Replays a recorded conversation: what the customer saw, sources, title, categories, verdicts, what each cost."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 110)
    with tempfile.TemporaryDirectory(prefix="afterturn-demo-") as folder:
        config = configured(db=db or str(Path(folder) / "demo.db"), judge=judge or "encoder")
        line = asyncio.run(show(config, console))
    if db is not None:
        note(f"the turns are in {db}; see: afterturn verdicts --db {db}")
    if as_json:
        sys.stdout.write(json_line(line) + "\n")


async def show(config: Config, console: Console) -> dict[str, object]:
    """Replays the recording, prints each turn once it is judged, and gives everything as JSON."""
    from afterturn.cli._timeline import render
    from afterturn.demo import replay
    from afterturn.embedded import Afterturn

    turns: list[dict[str, object]] = []
    async with Afterturn(config=config) as at:
        async for turn in replay(at):
            console.print(render(turn))
            turns.append(turn.to_json())
    return {"judge": config.judge, "turns": turns}
