"""Asks other scanners about a text, each as its own documentation says, where it is installed.

None of them is a dependency of Afterturn. To have them in the same run, make an environment for this alone::

    python -m venv /tmp/peers && . /tmp/peers/bin/activate
    pip install -e '.[fast]' stackone-defender toolwall-guard plumblint safepaste unplug-ai openai-guardrails
    pip install --no-deps llamafirewall   # its pattern scanner needs none of torch, transformers and the rest
    python benchmarks/bench_guard.py

Every one is used without its models: no tier 2 or 3, no judge, no download. Where a scanner keeps a cache or counts
what a session said before, it is asked without, since Afterturn has neither. Each answer has two readings: what the
scanner decides by its own threshold, and whether it noticed anything at all.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple


class Saw(NamedTuple):
    """Is what a scanner says of a text: its decision, and whether it noticed anything."""

    decided: bool
    noticed: bool


Scan = Callable[[str, str], Saw]
"""Reads a text that came through a channel: message, tool_output or passage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """Is another scanner.

    Attributes:
        name: Its package, and which part of it.
        package: What to install.
        reads: What it looks for; only those that read for injection are compared in speed.
        load: Imports it and gives its scan.
    """

    name: str
    package: str
    reads: str
    load: Callable[[], Scan]


INJECTION = "injection"


def installed() -> tuple[dict[str, tuple[Peer, Scan]], dict[str, str]]:
    """Loads the peers of this interpreter.

    Returns:
        Those that work, by name; and for each of the others the reason.
    """
    logging.getLogger("unplug").setLevel(logging.CRITICAL)  # it writes a line for each text it blocks
    found: dict[str, tuple[Peer, Scan]] = {}
    absent: dict[str, str] = {}
    for peer in PEERS:
        try:
            name = f"{peer.name} {version(peer.package)}"
            scan = peer.load()
            scan("The parcel is on its way.", "message")
        except PackageNotFoundError:
            absent[peer.name] = "not installed"
        except Exception as error:  # whatever a stranger's import raises, the others are still measured
            absent[peer.name] = f"does not start: {type(error).__name__}: {error}"
        else:
            found[name] = (peer, scan)
    return found, absent


def _stackone() -> Scan:
    from stackone_defender import create_prompt_defense

    defense = create_prompt_defense(enable_tier2=False, block_high_risk=True)

    def scan(text: str, channel: str) -> Saw:
        result = defense.defend_tool_result(text, "search")
        return Saw(not result.allowed, bool(result.detections))

    return scan


def _stackone_analyze() -> Scan:
    from stackone_defender import create_prompt_defense

    defense = create_prompt_defense(enable_tier2=False)

    def scan(text: str, channel: str) -> Saw:
        result = defense.analyze(text)
        return Saw(result.suggested_risk in ("high", "critical"), bool(result.matches))

    return scan


def _toolwall() -> Scan:
    from toolwall import Policy
    from toolwall.detect import CompositeDetector

    detector = CompositeDetector(use_judge=False)
    threshold = Policy.model_fields["response_ipi_threshold"].default

    def scan(text: str, channel: str) -> Saw:
        score, hits = detector.score(text)
        return Saw(score >= threshold, bool(hits))

    return scan


def _plumblint() -> Scan:
    import plumblint

    def scan(text: str, channel: str) -> Saw:
        verdict = plumblint.scan(text).verdict
        return Saw(verdict == "injection", verdict != "clean")

    return scan


def _safepaste() -> Scan:
    import safepaste

    def scan(text: str, channel: str) -> Saw:
        result = safepaste.scan_prompt(text)
        return Saw(result.flagged, bool(result.matches))

    return scan


def _unplug() -> Scan:
    from unplug import Guard, GuardConfig, Source
    from unplug.api.types import ScanRequest
    from unplug.config.cache import CacheConfig

    guard = Guard(config=GuardConfig(cache=CacheConfig(enabled=False)))
    sources = {"message": Source.USER, "tool_output": Source.TOOL_OUTPUT, "passage": Source.RETRIEVED}

    def scan(text: str, channel: str) -> Saw:
        result = guard.scan_request(ScanRequest(text=text, source=sources[channel]), isolated=True)
        return Saw(not result.safe, bool(result.findings))

    return scan


def _secret_keys() -> Scan:
    from guardrails.checks.text.secret_keys import SecretKeysCfg, secret_keys

    config = SecretKeysCfg()

    def scan(text: str, channel: str) -> Saw:
        tripped = _done(secret_keys(None, text, config)).tripwire_triggered
        return Saw(tripped, tripped)

    return scan


def _llamafirewall() -> Scan:
    from llamafirewall import ScanDecision, ToolMessage, UserMessage
    from llamafirewall.scanners.regex_scanner import RegexScanner

    scanner = RegexScanner()

    def scan(text: str, channel: str) -> Saw:
        message = UserMessage(content=text) if channel == "message" else ToolMessage(content=text)
        blocked = _done(scanner.scan(message)).decision == ScanDecision.BLOCK
        return Saw(blocked, blocked)

    return scan


def _done(work: Coroutine[Any, Any, Any]) -> Any:
    """Gives the result of a coroutine that waits for nothing, without the cost of an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    raise RuntimeError("the scanner waits for something")


PEERS = (
    Peer(name="stackone-defender tier 1", package="stackone-defender", reads=INJECTION, load=_stackone),
    Peer(
        name="stackone-defender analyze()",
        package="stackone-defender",
        reads="injection, patterns alone",
        load=_stackone_analyze,
    ),
    Peer(name="toolwall-guard", package="toolwall-guard", reads=INJECTION, load=_toolwall),
    Peer(name="plumblint", package="plumblint", reads=INJECTION, load=_plumblint),
    Peer(name="safepaste", package="safepaste", reads=INJECTION, load=_safepaste),
    Peer(name="unplug-ai", package="unplug-ai", reads=INJECTION, load=_unplug),
    Peer(
        name="openai-guardrails secret keys",
        package="openai-guardrails",
        reads="secret keys",
        load=_secret_keys,
    ),
    Peer(
        name="llamafirewall regex scanner",
        package="llamafirewall",
        reads="two phrases, personal data",
        load=_llamafirewall,
    ),
)
"""In the order of the table."""
