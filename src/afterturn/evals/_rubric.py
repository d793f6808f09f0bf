"""Loads rubrics: Markdown files whose front matter says what a judge is shown and what it answers beside the score."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

import yaml

from afterturn._unreadable import why_unreadable
from afterturn.errors import UsageError
from afterturn.evals._records import Reply, Row
from afterturn.evals._run_records import RubricRef
from afterturn.turns import JsonObject, JsonValue
from afterturn.verdicts import is_code

Slot = Literal["conversation", "expected", "criteria", "context", "tools", "calls", "reply"]
SLOTS: tuple[Slot, ...] = get_args(Slot)
NEEDS = ("expected", "criteria", "context", "tools")
FOLDER = Path(__file__).parent / "rubrics"
OWN_FIELDS = ("reasoning", "score")
MAX_CHARS = 20_000

_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,39}$"},
        "version": {"type": ["integer", "string"]},
        "needs": {"type": "array", "items": {"type": "string"}},
        "shows": {"type": "array", "items": {"enum": list(SLOTS)}, "minItems": 1, "uniqueItems": True},
        "fields": {"type": "object", "additionalProperties": {"type": "object"}, "maxProperties": 10},
    },
    "required": ["name", "shows"],
    "additionalProperties": False,
}
"""What the front matter of a rubric looks like."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rubric:
    """Is how replies are scored.

    Attributes:
        name: A code; the name in results and reports.
        text: What the judge is told: the bands, and what counts.
        shows: What it is shown.
        needs: What a row must have, else the rubric skips it; `a|b` is one of both.
        fields: JSON schema by name of what the judge answers beside `reasoning` and `score`. `enum: $called` stands for
            the tools that were called, `enum: $offered` for those on offer.
        digest: Hash of the file (16 hex digits).
        path: The file of a custom one, or None.
    """

    name: str
    text: str
    shows: tuple[Slot, ...]
    needs: tuple[str, ...] = ()
    fields: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    digest: str = ""
    path: str | None = None

    @property
    def ref(self) -> RubricRef:
        """How a run refers to it."""
        return RubricRef(name=self.name, digest=self.digest, path=self.path)

    def skips(self, row: Row, reply: Reply | None) -> str | None:
        """Gives the code of the reason why it cannot score a row, or None.

        Args:
            row: The row.
            reply: The reply, or None before the agent was asked: what only the reply can bring is then not missed.
        """
        for need in self.needs:
            if not any(_has(row, reply, one) for one in need.split("|")):
                return f"no_{need.split('|')[0]}"
        return None


def rubric_names() -> tuple[str, ...]:
    """The names of the rubrics that come with Afterturn."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.md")))


def load_rubric(name: str) -> Rubric:
    """Loads a rubric by its name, or a custom one from its file (`….md`).

    Raises:
        UsageError: There is no such rubric, or its front matter is wrong; says what.

    Example:
        >>> load_rubric("tool_selection").shows
        ('tools', 'conversation', 'criteria', 'calls')
    """
    custom = name.endswith(".md") or "/" in name
    path = Path(name) if custom else FOLDER / f"{name}.md"
    if not custom and name not in rubric_names():
        raise UsageError(f"no rubric is called {name!r}; there are {', '.join(rubric_names())}, or give a file NAME.md")
    try:
        source = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"rubric {name} cannot be read: {why_unreadable(error)}") from None
    return _parsed(source, str(path), custom=custom)


def _parsed(source: str, path: str, *, custom: bool) -> Rubric:
    head, text = _split(source, path)
    _check(head, path)
    needs = tuple(head.get("needs", ()))
    unknown = [one for need in needs for one in need.split("|") if one not in NEEDS]
    fields = head.get("fields", {})
    if unknown:
        raise UsageError(f"{path}: `needs` knows {', '.join(NEEDS)}, and two of them with | between")
    if not text or len(text) > MAX_CHARS:
        raise UsageError(f"{path}: the text for the judge is empty or over {MAX_CHARS:,} characters; write the bands")
    _check_fields(fields, path)
    return Rubric(
        name=head["name"],
        text=text,
        shows=tuple(head["shows"]),
        needs=needs,
        fields=fields,
        digest=hashlib.sha256(source.encode()).hexdigest()[:16],
        path=path if custom else None,
    )


def _split(source: str, path: str) -> tuple[dict[str, Any], str]:
    parts = source.replace("\r\n", "\n").split("---\n", 2)
    if len(parts) < 3 or parts[0].strip():
        raise UsageError(f"{path}: a rubric begins with front matter between two lines of ---; see docs/evals.md")
    try:
        head: Any = yaml.safe_load(parts[1])
    except yaml.YAMLError:
        raise UsageError(f"{path}: the front matter is no valid YAML; mend it") from None
    return cast(dict[str, Any], head) if isinstance(head, dict) else {}, parts[2].strip()


def _check(head: Mapping[str, Any], path: str) -> None:
    from jsonschema import Draft202012Validator

    validator: Any = Draft202012Validator(_SCHEMA)
    for error in validator.iter_errors(head):
        place = ".".join(map(str, error.absolute_path)) or "the front matter"
        raise UsageError(f"{path}: {place} is wrong ({error.validator}); see docs/evals.md for its keys")


def _check_fields(fields: Mapping[str, JsonObject], path: str) -> None:
    from jsonschema import Draft202012Validator, SchemaError

    for name, schema in fields.items():
        if name in OWN_FIELDS or not is_code(name):
            raise UsageError(f"{path}: a further field cannot be called {name!r}")
        try:
            Draft202012Validator.check_schema(with_names(schema, ("a",), ("a",)))
        except SchemaError:
            raise UsageError(f"{path}: the field {name} is no JSON schema; mend it") from None


def with_names(schema: JsonObject, called: tuple[str, ...], offered: tuple[str, ...]) -> dict[str, JsonValue]:
    """Puts the names of tools in the place of `$called` and `$offered`."""
    lists = {"$called": called, "$offered": offered}
    filled: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "enum" and isinstance(value, str) and value in lists:
            filled[key] = list(lists[value])
        else:
            filled[key] = with_names(value, called, offered) if isinstance(value, Mapping) else value
    return filled


def _has(row: Row, reply: Reply | None, need: str) -> bool:
    if need == "expected":
        return row.expected is not None
    if need == "criteria":
        return bool(row.criteria)
    if reply is None:
        return True
    if need == "context":
        return row.context is not None or reply.passages is not None
    return bool(row.tools or reply.agent.tools or reply.tool_calls)
