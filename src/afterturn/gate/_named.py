"""Finds the files that a gate's configuration names, also where the configuration cannot be used."""

from __future__ import annotations

from pathlib import Path

import yaml


def named_files(config: Path) -> tuple[Path, ...]:
    """Gives the files that are there and whose names stand in a configuration; none where it cannot be read."""
    found: list[Path] = []
    try:
        # Tokens: what was read before a mistake counts, and an alias is never unfolded.
        for token in yaml.scan(config.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader):
            if isinstance(token, yaml.ScalarToken) and _is_file(config.parent / token.value):
                found.append(config.parent / token.value)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        pass  # whoever loads it says what is wrong
    return tuple(found)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no name of a file: too long, or with a NUL in it
        return False
