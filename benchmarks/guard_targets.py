"""Holds the figures of a run against what the guard is meant to reach; what was not measured is said, not passed."""

from __future__ import annotations

from typing import Any

from guard_peers import INJECTION

PER_PEER = {"500 characters": 15, "8 KB": 30}
"""How many times faster than the fastest peer that reads for injection."""
WORST_MS, LINEAR = 10.0, 2.4
"""Twice the length takes twice as long; some room is for the clock."""

Line = dict[str, Any]


def held_against(tables: dict[str, Any]) -> list[Line]:
    """Gives a line for each target: what, got, target, met (None where it was not measured)."""
    return [
        *_frozen(tables.get("lists", {}).get("frozen")),
        *_peers(tables.get("peers")),
        *_adversarial(tables.get("adversarial")),
        *_shared(tables.get("shared")),
    ]


def fastest(peers: list[Line], size: str) -> Line | None:
    """Gives the fastest peer that reads for injection with all that it has."""
    reading = [peer for peer in peers if peer["reads"] == INJECTION]
    return min(reading, key=lambda peer: peer["us"][size], default=None)


def _frozen(counts: dict[str, Any] | None) -> list[Line]:
    if counts is None:
        return []
    return [
        _share("frozen attacks caught", counts["attack"], at_least=0.75),
        _share("frozen look-alikes flagged", counts["benign"], at_most=0.01),
    ]


def _peers(table: dict[str, Any] | None) -> list[Line]:
    lines: list[Line] = []
    for size, times in PER_PEER.items() if table is not None else ():
        peer = fastest(table["peers"], size) if table else None
        what = f"{size} beside the fastest peer that reads for injection"
        if peer is None:
            lines.append({"what": what, "got": "no peer installed", "target": f"at most 1/{times}", "met": None})
            continue
        ratio = peer["us"][size] / table["afterturn"]["us"][size]
        lines.append(
            {"what": what, "got": f"1/{ratio:.1f} of {peer['name']}", "target": f"1/{times}", "met": ratio >= times}
        )
    return lines


def _adversarial(table: dict[str, Any] | None) -> list[Line]:
    lines: list[Line] = []
    for scope, times in (table or {}).items():
        slow = max(times, key=lambda name: times[name]["cpu_ms"])
        steep = max(times, key=lambda name: times[name]["growth"])
        lines += [
            _number(f"worst of {len(times)} adversarial inputs, {scope}", times[slow]["cpu_ms"], slow, WORST_MS, " ms"),
            _number(f"growth from half the length, {scope}", times[steep]["growth"], steep, LINEAR, ""),
        ]
    return lines


def _shared(table: dict[str, Any] | None) -> list[Line]:
    if table is None:
        return []
    if "skipped" in table:
        return [{"what": "shared data", "got": table["skipped"], "target": "", "met": None}]
    rules, dev = table["train"], table["dev"]
    precise = {
        "what": f"train: of {rules['judged']} rules with ten or more rows, under 90 % attacks",
        "got": str(len(rules["below"])),
        "target": "0",
        "met": not rules["below"],
    }
    return [
        precise,
        _share("dev: benign rows flagged, all but the encoded set", dev["all but encoded, benign"], at_most=0.005),
        _share("dev: injection rows caught, all but the encoded set", dev["all but encoded, injection"], at_least=0.25),
        _share("dev: encoded attacks caught", dev["encoded, injection"], at_least=0.8),
        _share("dev: benign encoded rows flagged", dev["encoded, benign"], at_most=0.02),
    ]


def _share(what: str, count: dict[str, int], *, at_least: float | None = None, at_most: float | None = None) -> Line:
    share = count["flagged"] / count["of"]
    met = share >= at_least if at_least is not None else at_most is None or share <= at_most
    target = f"at least {at_least:.0%}" if at_least is not None else f"at most {at_most:.1%}"
    return {"what": what, "got": f"{count['flagged']} of {count['of']} ({share:.1%})", "target": target, "met": met}


def _number(what: str, got: float, name: str, most: float, unit: str) -> Line:
    return {"what": what, "got": f"{got:.2f}{unit} ({name})", "target": f"at most {most:g}{unit}", "met": got <= most}
