"""Draws docs/timeline.svg: the last two turns of the demo, as the terminal shows them.

Usage: python tools/picture.py
"""

from __future__ import annotations

import asyncio
import io
import re
import tempfile
from pathlib import Path

from rich.console import Console

from afterturn.cli._timeline import render
from afterturn.config import Config
from afterturn.demo import Replayed, replay
from afterturn.embedded import Afterturn

OUT = Path(__file__).parents[1] / "docs" / "timeline.svg"


async def turns() -> list[Replayed]:
    """Replays the demo."""
    with tempfile.TemporaryDirectory() as folder:
        async with Afterturn(config=Config(db=str(Path(folder) / "demo.db"), judge="encoder")) as at:
            return [turn async for turn in replay(at)]


def main() -> None:
    """Writes the picture."""
    console = Console(record=True, width=108, file=io.StringIO(), highlight=False)
    for turn in asyncio.run(turns())[2:]:
        console.print(render(turn))
    svg = console.export_svg(title="afterturn demo", unique_id="demo")
    OUT.write_text(re.sub(r"(?s)@font-face \{.*?\}\s*", "", svg), encoding="utf-8")  # no font from elsewhere


if __name__ == "__main__":
    main()
