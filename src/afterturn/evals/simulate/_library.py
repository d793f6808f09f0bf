"""Finds personas: those that come with Afterturn by name, one's own in a YAML file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from afterturn.errors import UnreadableInputError, UsageError
from afterturn.evals.simulate._persona import SCRIPT, Persona, read_persona
from afterturn.formats import FormatProblem, is_list, is_object, to_plain
from afterturn.turns import JsonValue

FOLDER = Path(__file__).parent / "personas"
ALL = "all"
_ENDINGS = (".yaml", ".yml", ".json")


@lru_cache(maxsize=1)
def library() -> dict[str, Persona]:
    """The personas that come with Afterturn, by id."""
    found = (persona for path in sorted(FOLDER.glob("*.yaml")) for persona in _read(path))
    return {persona.id: persona for persona in found}


def load_personas(spec: str) -> tuple[Persona, ...]:
    """Loads personas.

    Args:
        spec: A YAML or JSON file with one persona, a list of them, or `personas:` over such a list; or ids of
            personas that come with Afterturn with commas between, or `all` for all of those.

    Raises:
        UnreadableInputError: The file cannot be read, or holds what is no persona; says where.
        UsageError: No persona has the name.

    Example:
        >>> [persona.language for persona in load_personas("angry_fr,brief_ar")]
        ['fr', 'ar']
    """
    if spec.lower().endswith(_ENDINGS):
        return tuple(_read(Path(spec)))
    names = [name.strip() for name in spec.split(",") if name.strip()]
    if not names:
        raise UsageError("no persona is named; give a YAML file, or ids of `afterturn personas list`")
    return tuple(library().values()) if names == [ALL] else find(names, ())


def find(names: Iterable[str], given: Iterable[Persona]) -> tuple[Persona, ...]:
    """Finds personas by id, first among those that were given, then in the library.

    Raises:
        UsageError: No persona has the name.
    """
    known = {**library(), **{persona.id: persona for persona in given}}
    wanted = tuple(names)
    for name in wanted:
        if name not in known:
            raise UsageError(f"no persona is called {name!r}; there are {', '.join(known)}, or give a YAML file")
    return tuple(known[name] for name in wanted)


def _read(path: Path) -> list[Persona]:
    found: list[Persona] = []
    for number, item in enumerate(_items(_document(path), path), start=1):
        try:
            found.append(read_persona(item, f"persona {number}"))
        except FormatProblem as problem:
            raise UnreadableInputError(f"{path}: {problem}") from None
    for name, count in Counter(persona.id for persona in found).items():
        if count > 1 or name == SCRIPT:
            raise UnreadableInputError(f"{path}: the id {name!r} is taken; give each persona an id of its own")
    return found


def _items(document: JsonValue, path: Path) -> Sequence[JsonValue]:
    if is_object(document) and set(document) == {"personas"}:
        document = document["personas"]
    items: Sequence[JsonValue] = document if is_list(document) else [document]
    if not items or items[0] is None:
        raise UnreadableInputError(f"{path} holds no persona; write `- id: …` and what is known of them")
    return items


def _document(path: Path) -> JsonValue:
    import yaml

    try:
        value: Any = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
        return to_plain(value)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read: {error.strerror}; check the path and its rights") from None
    except (ValueError, RecursionError, yaml.YAMLError, FormatProblem):
        raise UnreadableInputError(f"{path} is no valid YAML; mend it") from None
