"""Prints the figures of the guard's benchmark as Markdown tables, so that they can be pasted into the docs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def print_tables(tables: dict[str, Any]) -> None:
    """Prints what was measured, the targets last."""
    if tables["quick"]:
        print("A quick run: every tenth shared row, few rounds. For a look, not for a figure.")
    for name, counts in tables.get("lists", {}).items():
        _list(name, counts)
    if "shared" in tables:
        _shared(tables["shared"])
    if "plain_us" in tables:
        _plain(tables["plain_us"])
    for scope, times in tables.get("adversarial", {}).items():
        _adversarial(scope, times)
    if "peers" in tables:
        _peers(tables["peers"])
    marks = {True: "yes", False: "**no**", None: "not measured"}
    _table(
        "Targets",
        ("what", "got", "target", "met"),
        ((line["what"], line["got"], line["target"], marks[line["met"]]) for line in tables["targets"]),
    )


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(f"\n{title}\n")
    print(f"| {' | '.join(head)} |")
    print(f"|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def _list(name: str, counts: dict[str, Any]) -> None:
    keys = sorted({key.partition(", ")[2] for key in counts if ", " in key}, key=lambda key: (len(key) == 2, key))
    rows = [
        (key, *(_of(counts.get(f"{label}, {key}")) for label in ("attack", "benign")))
        for key in keys
        if f"attack, {key}" in counts or counts[f"benign, {key}"]["flagged"]
    ]
    whole = ("**all**", _of(counts["attack"]), _of(counts["benign"]))
    _table(f"{name}: flagged (blocked) of", ("category or language", "attacks", "look-alikes"), (whole, *rows))


def _of(count: dict[str, int] | None) -> str:
    return f"{count['flagged']} ({count['blocked']}) of {count['of']}" if count else ""


def _shared(table: dict[str, Any]) -> None:
    if "skipped" in table:
        print(f"\nShared data: {table['skipped']}")
        return
    train = table["train"]
    _table(
        f"Train: of {train['judged']} rules that flag ten rows or more, those with less than 90 % attacks",
        ("rule", "attacks", "rows flagged"),
        ((rule, count["attacks"], count["of"]) for rule, count in train["below"].items()),
    )
    sources = sorted({key.rpartition(", ")[0] for key in table["dev"]}, key=lambda name: (" " in name, name))
    labels = ("injection", "jailbreak", "benign")
    rows = ((source, *(_share(table["dev"].get(f"{source}, {label}")) for label in labels)) for source in sources)
    _table("Dev: rows flagged, by data set", ("data set", *labels), rows)


def _share(count: dict[str, int] | None) -> str:
    return f"{count['flagged']} of {count['of']} ({count['flagged'] / count['of']:.1%})" if count else ""


def _plain(table: dict[str, Any]) -> None:
    names = list(next(iter(table.values())))
    rows = ((size, *(times[name] for name in names)) for size, times in table.items())
    _table("Plain texts, microseconds of the processor", ("text", *names), rows)


def _adversarial(scope: str, table: dict[str, Any]) -> None:
    rows = (
        (name, f"{times['cpu_ms']:.2f}", f"{times['ms']:.2f}", f"{times['growth']:.2f}")
        for name, times in sorted(table.items(), key=lambda item: -item[1]["cpu_ms"])
    )
    title = f"Adversarial, 40,000 characters, {scope}: slowest first; growth is that from 20,000 characters"
    _table(title, ("text", "ms of the processor", "ms on the wall", "growth"), rows)


def _peers(table: dict[str, Any]) -> None:
    us = table["afterturn"]["us"]
    ours = {"name": "**afterturn**", "reads": "injection", **table["afterturn"]}
    times = (
        (peer["name"], *(f"{peer['us'][size]:.1f} ({peer['us'][size] / us[size]:.1f})" for size in us), _worst(peer))
        for peer in (ours, *table["peers"])
    )
    head = ("scanner", *(f"{size}, µs" for size in us), "worst of the adversarial at 8 KB")
    _table("Peers in the same run (in brackets: how many times ours)", head, times)
    seen = ((peer["name"], peer["reads"], *_seen(peer["frozen"])) for peer in (ours, *table["peers"]))
    absent = ((name, why, "", "") for name, why in table["absent"].items())
    head = ("scanner", "reads for", "attacks decided (noticed)", "look-alikes decided (noticed)")
    _table("Peers on the frozen list", head, (*seen, *absent))


def _worst(peer: dict[str, Any]) -> str:
    worst = peer["worst_at_8_kb"]
    if worst is None:
        return "not in a quick run"
    if worst["limit_reached"]:
        return f"over {worst['ms']:.0f} ms on {worst['limit_reached']} of them"
    return f"{worst['ms']:.1f} ms ({worst['text']})"


def _seen(frozen: dict[str, int]) -> tuple[str, str]:
    return (
        f"{frozen['decided']} ({frozen['noticed']}) of {frozen['attacks']}",
        f"{frozen['false']} ({frozen['false noticed']}) of {frozen['look-alikes']}",
    )
