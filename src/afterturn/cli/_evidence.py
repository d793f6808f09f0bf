"""Turns a calibration into evidence that a decision can point to, and checks it when it comes back."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterturn._unreadable import why_unreadable
from afterturn.errors import UnreadableInputError, UsageError

if TYPE_CHECKING:
    from afterturn.calibration import ModeRule
    from afterturn.store import Evidence

DIGEST = "digest"
UNLIKELY = 0.01
"""Is the p-value up to which labels are not taken for a random draw."""

_FIGURES = ("classifier", "version", "tenant", "agent", "from", "to", "answered", "labels", "target", "threshold")


def with_digest(report: dict[str, Any]) -> dict[str, Any]:
    """Adds the SHA-256 of a report to it, keys in their order and without white space."""
    return report | {DIGEST: digest_of(report)}


def digest_of(report: dict[str, Any]) -> str:
    """Gives the digest of a report without the digest that it may hold."""
    bare = {key: value for key, value in report.items() if key != DIGEST}
    return sha256(json.dumps(bare, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def refuted(looks_random: dict[str, float] | None) -> bool:
    """Says whether the scores of labelled turns speak against their random draw, which every promise rests on."""
    return looks_random is not None and looks_random["p_value"] <= UNLIKELY


def read_calibration(file: Path) -> dict[str, Any]:
    """Reads what `afterturn calibrate --json` wrote.

    Raises:
        UnreadableInputError: The file cannot be read.
        UsageError: It holds no calibration, or one that was changed.
    """
    try:
        loaded: object = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableInputError(f"{file}: cannot be read: {why_unreadable(error)}") from None
    except ValueError:
        loaded = None
    if not isinstance(loaded, dict) or not isinstance(loaded.get(DIGEST), str):  # pyright: ignore[reportUnknownMemberType]
        raise UsageError(f"{file}: no calibration; give what `afterturn calibrate … --json` wrote")
    report: dict[str, Any] = loaded  # pyright: ignore[reportUnknownVariableType]
    if digest_of(report) != report[DIGEST]:
        raise UsageError(f"{file}: it was changed after `afterturn calibrate` wrote it; calibrate again")
    return report


def evidence_for(rule: ModeRule, report: dict[str, Any]) -> Evidence:
    """Gives the evidence for a rule.

    Raises:
        UsageError: The calibration is about something else, proves nothing, or gives another threshold.
    """
    from afterturn.store import Evidence

    check_about(rule, report)
    why = unproven(report)
    if why is not None:
        raise UsageError(why)
    figures = {name: report[name] for name in _FIGURES}
    figures["at_threshold"] = {name: report["at_threshold"][name] for name in ("recall", "false_alarms", "precision")}
    figures["alerts_a_day"] = report["alerts"]["a_day"]
    return Evidence(digest=report[DIGEST], figures=figures)


def unproven(report: dict[str, Any]) -> str | None:
    """Says why a calibration proves nothing; None where it proves something."""
    looks = report["labels"].get("looks_random")
    if looks is not None and refuted(looks):
        return (
            f"the evidence proves nothing: its labelled turns were not drawn at random (p at most "
            f"{looks['p_value']:.2g}); calibrate on turns that afterturn review draws, or say --without-evidence"
        )
    if report["guarantee"] is None:
        return "the evidence proves nothing: give a calibration with --target-fpr or --target-precision"
    return None


def check_about(rule: ModeRule, report: dict[str, Any]) -> None:
    """Checks that a calibration is about what a rule decides.

    Raises:
        UsageError: It is about something else, or gives another threshold.
    """
    if report["classifier"] != rule.classifier:
        raise UsageError(f"the evidence is about {report['classifier']}, not about {rule.classifier}")
    for name in ("tenant", "agent"):
        if report[name] not in (None, getattr(rule, name)):
            raise UsageError(f"the evidence is about {name} {report[name]} alone; calibrate on what the rule is for")
    if report["threshold"] != rule.threshold:
        raise UsageError(f"the evidence is for a threshold of {report['threshold']}; leave --threshold out, or agree")
