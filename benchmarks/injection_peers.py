"""Scores texts by other scanners, in an interpreter of their own, each text once: what was scored is kept in a file.

`AFTERTURN_PEERS` names that interpreter; benchmarks/guard_peers.py says how to make one, and the ONNX tier needs
`onnxruntime` and `tokenizers` there as well. Run by it, this file is the scorer: a line of JSON in (a text), a line out
(score, 0 or 1 for its decision at its default, seconds of processor time). A scanner that is absent scores nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

Scan = Callable[[str], tuple[float, bool]]
"""Gives a score, the higher the more of an attack, and what the scanner decides by its own threshold."""


@dataclass(frozen=True)
class Scored:
    """Is what a scanner says of a text: a score, whether it flags it, and what that cost.

    Attributes:
        score: The higher the more of an attack.
        flagged: What it decides at its default.
        seconds: Processor time.
    """

    score: float
    flagged: bool
    seconds: float = 0.0


def _stackone_tier_1() -> Scan:
    from stackone_defender import create_prompt_defense

    defense = create_prompt_defense(enable_tier2=False, block_high_risk=True)

    def scan(text: str) -> tuple[float, bool]:
        result = defense.defend_tool_result(text, "search")
        return float(_RISKS.index(result.risk_level)), not result.allowed

    return scan


def _stackone_tier_2() -> Scan:
    """Its two tiers as they come; the score is that of the ONNX tier."""
    from stackone_defender import create_prompt_defense

    defense = create_prompt_defense(require_tier2=True, block_high_risk=True)
    defense.warmup_tier2()

    def scan(text: str) -> tuple[float, bool]:
        result = defense.defend_tool_result(text, "search")
        return result.tier2_score or 0.0, not result.allowed

    return scan


def _stackone_onnx() -> Scan:
    """The classifier of its second tier alone, as it cuts a text, for the time that it takes."""
    from stackone_defender.classifiers.tier2_classifier import create_tier2_classifier

    tier = create_tier2_classifier()
    tier.warmup()
    high = tier.get_config()["high_risk_threshold"]

    def scan(text: str) -> tuple[float, bool]:
        score = tier.classify_by_chunks(text)["score"]
        return score, score >= high

    return scan


def _toolwall() -> Scan:
    from toolwall import Policy
    from toolwall.detect import CompositeDetector

    detector = CompositeDetector(use_judge=False)
    threshold = Policy.model_fields["response_ipi_threshold"].default

    def scan(text: str) -> tuple[float, bool]:
        score, _ = detector.score(text)
        return float(score), score >= threshold

    return scan


def _plumblint() -> Scan:
    import plumblint

    def scan(text: str) -> tuple[float, bool]:
        found = plumblint.scan(text)
        return float(found.score), found.verdict == "injection"

    return scan


def _safepaste() -> Scan:
    import safepaste

    def scan(text: str) -> tuple[float, bool]:
        found = safepaste.scan_prompt(text)
        return float(found.score), found.flagged

    return scan


def _unplug() -> Scan:
    from unplug import Guard, GuardConfig, Source
    from unplug.api.types import ScanRequest
    from unplug.config.cache import CacheConfig

    guard = Guard(config=GuardConfig(cache=CacheConfig(enabled=False)))

    def scan(text: str) -> tuple[float, bool]:
        found = guard.scan_request(ScanRequest(text=text, source=Source.USER), isolated=True)
        return float(found.risk_score), not found.safe

    return scan


def _llamafirewall() -> Scan:
    from llamafirewall import ScanDecision, UserMessage
    from llamafirewall.scanners.regex_scanner import RegexScanner

    scanner = RegexScanner()

    def scan(text: str) -> tuple[float, bool]:
        work = scanner.scan(UserMessage(content=text))
        try:
            work.send(None)  # it waits for nothing: no event loop needed
        except StopIteration as end:
            blocked = end.value.decision == ScanDecision.BLOCK
            return float(blocked), blocked
        raise RuntimeError("the scanner waits for something")

    return scan


BOTH_TIERS = "stackone-defender tiers 1 and 2"
TIER_2 = "stackone-defender tier 2 alone"
"""For speed alone: its scores are those of both tiers."""

_ONE_CORE = "--one-core"
_RISKS = ("low", "medium", "high", "critical")
PEERS: dict[str, tuple[str, Callable[[], Scan]]] = {
    "stackone-defender tier 1": ("stackone-defender", _stackone_tier_1),
    BOTH_TIERS: ("stackone-defender", _stackone_tier_2),
    TIER_2: ("stackone-defender", _stackone_onnx),
    "llamafirewall regex scanner": ("llamafirewall", _llamafirewall),
    "safepaste": ("safepaste", _safepaste),
    "toolwall-guard": ("toolwall-guard", _toolwall),
    "plumblint": ("plumblint", _plumblint),
    "unplug-ai": ("unplug-ai", _unplug),
}


def peers(texts: Sequence[str], cache: Path) -> Iterator[tuple[str, dict[str, Scored]]]:
    """Gives each scanner that is there, with its version, and what it says of each text.

    Args:
        texts: The texts.
        cache: A folder for what was scored.
    """
    interpreter = os.environ.get("AFTERTURN_PEERS")
    for peer in PEERS if interpreter else ():
        if peer == TIER_2:
            continue
        with Scorer(str(interpreter), peer) as scorer:
            if scorer.name is None:
                continue
            file = cache / f"peer-{scorer.name.replace(' ', '-')}.jsonl"
            yield scorer.name, _kept(texts, scorer, file)


class Scorer:
    """Is one scanner, running in the interpreter of the scanners; leave it by `with`.

    Args:
        interpreter: The interpreter.
        peer: Name of the scanner in `PEERS`.
        one_core: Whether it has one core, so that its time is comparable with ours.

    Attributes:
        name: Its name with its version; None where it is absent or does not start.
    """

    def __init__(self, interpreter: str, peer: str, *, one_core: bool = False) -> None:
        quiet = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        self._process = subprocess.Popen(
            [interpreter, __file__, peer, *([_ONE_CORE] if one_core else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=quiet,
        )
        self.name: str | None = json.loads(self._said() or "null")

    def __call__(self, text: str) -> Scored:
        """Scores a text."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        score, flagged, seconds = json.loads(self._said())
        return Scored(score=score, flagged=flagged, seconds=seconds)

    def __enter__(self) -> Scorer:
        """Gives itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process."""
        self._process.communicate()

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def _kept(texts: Sequence[str], scan: Scorer, file: Path) -> dict[str, Scored]:
    """Scores what the file does not have yet; it is written text by text, so that a broken run goes on."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    known = {key: Scored(*values) for key, *values in map(json.loads, lines)}
    keys = {text: hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest() for text in texts}
    with file.open("a", encoding="utf-8") as out:
        for text, key in keys.items():
            if key not in known:
                one = known[key] = scan(text)
                out.write(json.dumps([key, one.score, one.flagged, one.seconds]) + "\n")
    return {text: known[key] for text, key in keys.items()}


def main() -> None:
    """Serves one scanner: its name first, then a line for each line."""
    package, load = PEERS[sys.argv[1]]
    if _ONE_CORE in sys.argv:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    answers, sys.stdout = sys.stdout, sys.stderr  # what a scanner prints is no answer
    try:
        scan = load()
        scan("The parcel is on its way.")
    except (ImportError, PackageNotFoundError):
        print("null", file=answers, flush=True)
        return
    print(json.dumps(f"{sys.argv[1]} {version(package)}"), file=answers, flush=True)
    for line in sys.stdin:
        text = json.loads(line)
        started = time.process_time()
        score, flagged = scan(text)
        print(json.dumps([score, bool(flagged), time.process_time() - started]), file=answers, flush=True)


if __name__ == "__main__":
    main()
