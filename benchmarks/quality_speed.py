"""Measures what the encoder costs: a text with all its heads beside all-MiniLM-L6-v2, passes of a turn, memory.

The injection question on a text stands beside stackone-defender, each on one core, text by text in turn; that
runs in the interpreter that `AFTERTURN_PEERS` names (injection_peers.py).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from injection_peers import BOTH_TIERS, TIER_2, Scorer
from quality_figures import Figure
from quality_tasks import jsonl

from afterturn import Afterturn, Agent, Turn
from afterturn.judges.encoder._classified import injection
from afterturn.judges.encoder._load import shared_encoder
from afterturn.judges.encoder._model import SentenceEncoder
from afterturn.turns import Message, Passage

CATEGORIES = [f"{word} {kind}" for word in ("card", "loan", "account", "travel", "tax") for kind in "abcd"]
PAIRS = frozenset({"injection_given", "scope", "topic", "support"})
TIMES = 60


def speed(encoder: SentenceEncoder, data: Path) -> Iterator[Figure]:
    """Times a text of about 500 characters, and counts the passes of a typical turn."""
    texts = [row["text"] for row in jsonl(Path(__file__).parent / "corpus" / "trigger_words.jsonl")]
    texts = [" ".join(texts[at : at + 6])[:500] for at in range(0, 6 * TIMES, 6) if at + 6 < len(texts)]
    tasks = [name for name in encoder.heads.tasks if name not in PAIRS]

    def ours(text: str) -> None:
        (read,) = encoder.vectors([text])
        for task in tasks:
            encoder.heads.chances(task, read.pooled)

    runs: dict[str, Callable[[str], None]] = {"ours": ours}
    if folder := os.environ.get("AFTERTURN_MINILM"):
        runs["minilm"] = _minilm(Path(folder))
    times = _interleaved(runs, texts)
    if "minilm" in times:
        ratio = times["ours"] / times["minilm"]
        yield Figure(
            "speed", "texts of 500 characters", len(texts), "all heads, of MiniLM-L6 alone", ratio, (), "≤ 1.3"
        )
    yield Figure("speed", "texts of 500 characters", len(texts), "milliseconds of CPU, all heads", times["ours"])
    yield from _beside_stackone(encoder, texts)
    yield Figure("speed", "a typical turn, the second of a session", 1, "passes", passes(), (), "≤ 12")
    yield Figure("speed", "a process that judges a turn", 1, "megabytes at most", megabytes(), (), "≤ 350")


def _beside_stackone(encoder: SentenceEncoder, texts: list[str]) -> Iterator[Figure]:
    """Times the injection question alone beside stackone-defender: with both of its tiers, and the second's model."""
    interpreter = os.environ.get("AFTERTURN_PEERS")
    for peer, asked in ((BOTH_TIERS, "≥ 6"), (TIER_2, "")) if interpreter else ():
        own, other = list[float](), list[float]()
        with Scorer(str(interpreter), peer, one_core=True) as scorer:
            if scorer.name is None:
                return
            for text in texts:
                started = time.process_time()
                injection(f"{text} {len(peer)}", encoder)  # a text that no cache has
                own.append(1000 * (time.process_time() - started))
                other.append(1000 * scorer(text).seconds)
        ours, theirs = statistics.median(own), statistics.median(other)
        beside = (("ours ms", ours), ("its ms", theirs))
        measure = f"injection alone, times faster than {scorer.name}"
        yield Figure("speed", "texts of 500 characters", len(texts), measure, theirs / ours, beside, asked)


def megabytes() -> float:
    """Gives the largest resident memory of a fresh process that judges the typical turn."""
    code = "import quality_speed; quality_speed.judge_one()\n"  # its VmHWM; ru_maxrss would be the parent's as well
    code += "print([line for line in open('/proc/self/status') if line.startswith('VmHWM')][0].split()[1])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    return float(run.stdout.split()[-1]) / 1024


def judge_one() -> None:
    """Judges the typical turn."""
    Afterturn().classify(_turn(1, ()))


def _interleaved(runs: dict[str, Callable[[str], None]], texts: list[str]) -> dict[str, float]:
    """Gives the median CPU milliseconds of each run, text by text in turn."""
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for text in texts:
        for name, run in runs.items():
            started = time.process_time()
            run(text)
            spent[name].append(1000 * (time.process_time() - started))
    return {name: statistics.median(values) for name, values in spent.items()}


def _minilm(folder: Path) -> Callable[[str], None]:
    import onnxruntime
    from tokenizers import Tokenizer

    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session: Any = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    wanted = {one.name for one in session.get_inputs()}

    def run(text: str) -> None:
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        session.run(None, {name: value for name, value in feed.items() if name in wanted})

    return run


def passes() -> int:
    """Counts the passes of the second turn of a session: 20 categories, 5 new passages of 60 words, all questions."""
    encoder, count = shared_encoder(), 0
    run = encoder._session.run

    def counted(*given: Any) -> Any:
        nonlocal count
        count += 1
        return run(*given)

    at = Afterturn()
    at.classify(_turn(1, ()))
    encoder._session.run = counted  # type: ignore[method-assign]
    try:
        before = (
            Message(role="user", text=_said(1)),
            Message(role="assistant", text=_reply(1)),
        )
        at.classify(_turn(2, before))
    finally:
        encoder._session.run = run  # type: ignore[method-assign]
    return count


def _turn(number: int, before: tuple[Message, ...]) -> Turn:
    text = "Trips can be moved once without a fee. The price difference is charged to the card on file. " * 3
    passages = tuple(Passage(alias=f"c{i}", text=f"Paragraph {number}.{i}. {text}") for i in range(5))
    agent = Agent("travel", instructions="You help with trips, cards and taxes. No refunds.", categories=CATEGORIES)
    said = (Message(role="user", text=_said(number)), Message(role="assistant", text=_reply(number)))
    return Turn(messages=(*before, *said), agent=agent, passages=passages, session="s", id=f"t{number}")


def _said(number: int) -> str:
    return f"Hello, I would like to move my trip number {number} to the week after, what does that cost me?"


def _reply(number: int) -> str:
    return f"You can move trip {number} once without a fee. The difference in price is charged to your card."
