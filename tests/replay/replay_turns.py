"""Is the process that the kill test kills: replays the turns of a database and says each call on standard output.

Usage: replay_turns.py DATABASE
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace

from afterturn.calls import Answer, Call, Location
from afterturn.classifiers import SAFETY
from afterturn.config import Config
from afterturn.replay import Replay
from afterturn.store import open_store


class Slow:
    """Answers every field after a moment."""

    name = "new"
    location: Location = "local"

    async def ask(self, call: Call) -> Answer:
        await asyncio.sleep(0.003)  # what a judge takes; the test waits for lines, never for time
        return Answer(values={"title": None, "categoryNames": [], "safetySignal": "none"})

    async def aclose(self) -> None:
        """Holds nothing."""


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


async def main(database: str) -> None:
    config = Config(db=database, judge="live", classifiers=("conversation", "safety"))
    with open_store(database) as store:
        asked = [replace(SAFETY, version="2")]
        replay = Replay(store, config, asked, judge="new", open_judge=lambda _: Slow(), lease_s=1, poll_s=0.05)
        counts = await replay.run(lambda: say("turn"))
    say(f"done {counts.judged} {counts.known}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
