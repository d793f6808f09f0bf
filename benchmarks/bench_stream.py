"""Measures the stream filter against counterparts in the same run: `python benchmarks/bench_stream.py [--json]`.

Every figure is a ratio of two times measured in turns in this process, so that it means the same on any machine.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter

from afterturn.stream import StreamFilter

ALIASES = ["c1", "c2", "c3", "c12"]
TOOLS = ["search", "log_case", "get_weather"]
PROSE = (
    "Boilers are serviced every spring, and the parts are free for two years. To get a case logged, call the front "
    "desk or write to them; they will search their files and get back to you within a week. It's that simple.\n"
)
CITED = "Boilers are serviced every spring [c1]. Parts are free for two years [c1, c3], and (so [c2]) is the visit.\n"
BUDGET_S = 1.0  # for one row; a disturbed machine needs many tries for one that is not
MOST_TRIES, FEWEST_TRIES = 400, 5


@dataclass(frozen=True, kw_only=True)
class Row:
    """Is one comparison: how many times what is measured takes the time of its counterpart."""

    what: str
    counterpart: str
    ratio: float
    at_most: float | None
    time_us: float
    counterpart_us: float


def compare(
    what: str,
    counterpart: str,
    measured: Callable[[], object],
    other: Callable[[], object],
    *,
    per: int = 1,
    at_most: float | None = None,
) -> Row:
    """Times two things in turns and takes the best time of each, which disturbance by other processes cannot lower.

    Args:
        what: What is measured.
        counterpart: What it is compared with.
        measured: Does it once.
        other: Does the counterpart once.
        per: How many units of work each does once; the times are given for one.
        at_most: The ratio that the project allows.
    """
    times: tuple[list[float], list[float]] = ([], [])
    end = perf_counter() + BUDGET_S
    while len(times[0]) < FEWEST_TRIES or (perf_counter() < end and len(times[0]) < MOST_TRIES):
        for work, taken in zip((measured, other), times, strict=True):
            start = perf_counter()
            work()
            taken.append(perf_counter() - start)
    ours, theirs = (min(taken) / per for taken in times)
    return Row(
        what=what,
        counterpart=counterpart,
        ratio=round(ours / theirs, 2),
        at_most=at_most,
        time_us=round(ours * 1e6, 3),
        counterpart_us=round(theirs * 1e6, 3),
    )


def filter_deltas(deltas: list[str]) -> Callable[[], object]:
    """Gives the work of the whole chain over deltas, as a host does it."""

    def work() -> None:
        chain = StreamFilter(ALIASES, TOOLS)
        for delta in deltas:
            chain.feed(delta)
        chain.close()

    return work


def look_for_bracket(deltas: list[str]) -> Callable[[], object]:
    """Gives the least that any filter of markers must do."""

    def work() -> None:
        for delta in deltas:
            _ = "[" in delta

    return work


def pieces(text: str, size: int) -> list[str]:
    """Cuts a text into deltas of one size."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def tokens(text: str) -> list[str]:
    """Cuts a text as tokenizers do: words with the space before them, and punctuation; only those of 4 to 20."""
    return [token for token in re.findall(r"\s?\w+|[^\w\s]|\s", text) if 4 <= len(token) <= 20]


def rows() -> list[Row]:
    """Measures everything."""
    found: list[Row] = []
    plain = {"tokens": tokens(PROSE * 400), **{f"{n} characters": pieces(PROSE * 400, n) for n in (4, 8, 12, 20)}}
    for name, deltas in plain.items():
        found.append(
            compare(
                f"plain delta, {name}",
                "'[' in delta",
                filter_deltas(deltas),
                look_for_bracket(deltas),
                per=len(deltas),
                at_most=25,
            )
        )
    for name, text in {"prose": PROSE, "cited reply": CITED, "code": f"```py\n{PROSE}```\n"}.items():
        megabyte = (text * (1_000_000 // len(text) + 1))[:1_000_000]
        whole, half = pieces(megabyte, 4), pieces(megabyte[:500_000], 4)
        found.append(compare(f"1 MB of {name}", "0.5 MB", filter_deltas(whole), filter_deltas(half), at_most=2.3))
    cited = CITED * 100
    deltas = re.findall(r"\s?\w+|[^\w\s]|\s", cited)
    strip = re.compile(r" ?\[c\d+(?:, c\d+)*\]")
    found.append(
        compare(
            "cited reply, token by token",
            "re.sub over the finished text",
            filter_deltas(deltas),
            lambda: strip.sub("", cited),
            per=len(deltas),
        )
    )
    return found


def main() -> int:
    """Prints the table, or JSON; says 1 where a ratio is above what the project allows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object a row")
    as_json = parser.parse_args().json
    measured = rows()
    if not as_json:
        print(f"{'what':34} {'counterpart':30} {'ratio':>7} {'at most':>8} {'µs':>12} {'µs':>12}")
    for row in measured:
        if as_json:
            print(json.dumps(asdict(row)))
        else:
            limit = "" if row.at_most is None else f"{row.at_most:g}"
            print(
                f"{row.what:34} {row.counterpart:30} {row.ratio:7.2f} {limit:>8} "
                f"{row.time_us:12.3f} {row.counterpart_us:12.3f}"
            )
    return int(any(row.at_most is not None and row.ratio > row.at_most for row in measured))


if __name__ == "__main__":
    sys.exit(main())
