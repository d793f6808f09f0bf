"""Keeps the shipped rules worked out, so that the first check of a process need not parse YAML and 500 patterns.

Run `python -m afterturn.guard._parsed` after a change of the rules; a test says so where it was forgotten, and until
then the rules are read from YAML.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import fields
from importlib import resources
from pathlib import Path
from typing import Any, cast

from afterturn.guard import _fold, _kernel, _literals, _rarity, _shapes, _syntax, _ways
from afterturn.guard._kernel import Kernel
from afterturn.guard._rules import Pattern, Rule, yaml_rules

_NAME = "rules.json"


def read(files: Mapping[str, bytes]) -> tuple[Rule, ...] | None:
    """Reads the rules that were worked out before, or None where the files, or the code that reads them, changed.

    Args:
        files: The rule files, by name.
    """
    kept = resources.files("afterturn.guard").joinpath(_NAME)
    if not kept.is_file():
        return None
    document = json.loads(kept.read_bytes())
    return tuple(map(_rule, document["rules"])) if document["digest"] == digest(files) else None


def written(files: Mapping[str, bytes]) -> str:
    """Works the rules out; what it gives is the content of the file."""
    rules = [{field.name: _plain(getattr(rule, field.name)) for field in fields(rule)} for rule in yaml_rules(files)]
    return json.dumps({"digest": digest(files), "rules": rules}, ensure_ascii=False, separators=(",", ":")) + "\n"


def digest(files: Mapping[str, bytes]) -> str:
    """Names the content of the rule files and of the code that works them out."""
    hashed = hashlib.sha256()
    for name in sorted(files):
        hashed.update(name.encode() + b"\0" + files[name] + b"\0")
    for module in (_fold, _kernel, _literals, _rarity, _shapes, _syntax, _ways):
        hashed.update(inspect.getsource(module).encode())
    return hashed.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Pattern):
        return [value.text, [[sorted(group) for group in way] for way in value.needs], value.width, value.kernel]
    if isinstance(value, frozenset):
        return sorted(cast(frozenset[str], value))
    if isinstance(value, tuple):
        return [_plain(entry) for entry in cast(tuple[object, ...], value)]
    return value


def _rule(kept: dict[str, Any]) -> Rule:
    patterns = (
        Pattern(
            text=text,
            needs=tuple(tuple(map(frozenset[str], way)) for way in needs),
            width=width,
            kernel=Kernel(*part) if part else None,
        )
        for text, needs, width, part in kept.pop("patterns")
    )
    listed: dict[str, Any] = {name: tuple(kept.pop(name)) for name in ("languages", "positive", "negative")}
    known: dict[str, Any] = {**kept, **listed, "patterns": tuple(patterns), "cut": frozenset(kept.pop("cut"))}
    return Rule(**known)


def _files() -> dict[str, bytes]:
    folder = Path(__file__).parent / "rules"
    return {path.name: path.read_bytes() for path in folder.glob("*.yaml")}


if __name__ == "__main__":
    (Path(__file__).parent / _NAME).write_text(written(_files()), "utf-8")
