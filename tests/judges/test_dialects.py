from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from afterturn.judges import dialects
from afterturn.judges.dialects import dialect_of
from afterturn.judges.dialects._base import BOUNDS
from afterturn.judges.dialects.anthropic import bare, prose
from afterturn.judges.dialects.compatible import grammar
from afterturn.judges.dialects.google import LONG_ENUM, reduced, strings
from afterturn.judges.dialects.openai import strict
from afterturn.turns import JsonObject

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "title": {"anyOf": [{"type": "string", "maxLength": 80, "minLength": 1}, {"type": "null"}]},
        "categoryNames": {
            "type": "array",
            "items": {"type": "string", "enum": ("Billing", "Shipping")},
            "maxItems": 5,
            "uniqueItems": True,
            "description": "Categories",
        },
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "pattern": {"type": "boolean"},
        "summary": {"type": "string", "maxLength": 2000},
    },
    "required": ["title", "categoryNames", "score", "pattern", "summary"],
    "additionalProperties": False,
}


def keywords(schema: Any) -> set[str]:
    """All keywords of a schema; names of properties are none."""
    if isinstance(schema, list | tuple):
        return set[str]().union(*(keywords(part) for part in cast(list[Any], schema)))
    if not isinstance(schema, dict):
        return set()
    found = set[str]()
    for key, value in cast(dict[str, Any], schema).items():
        found |= {key}.union(*(keywords(part) for part in (value.values() if key == "properties" else [value])))
    return found


@pytest.mark.parametrize(
    ("provider", "own_server", "name"),
    [
        ("openai", False, "openai"),
        ("openai", True, "compatible"),
        ("openai-chat", True, "compatible"),
        ("openai-responses", False, "other"),
        ("azure", False, "openai"),
        ("anthropic", False, "anthropic"),
        ("anthropic", True, "anthropic"),
        ("google", False, "google"),
        ("google-cloud", False, "google"),
        ("ollama", True, "ollama"),
        ("vllm", True, "compatible"),
        ("groq", False, "other"),
    ],
)
def test_a_provider_is_found_by_name(provider: str, own_server: bool, name: str) -> None:
    assert dialect_of(provider, own_server=own_server).name == name


def test_every_dialect_file_ends_its_ladder_with_the_schema_in_the_prompt() -> None:
    for path in Path(str(dialects.__file__)).parent.glob("[a-z]*.py"):
        module = __import__(f"afterturn.judges.dialects.{path.stem}", fromlist=["DIALECT"])
        last = module.DIALECT.rungs[-1]
        assert module.DIALECT.name == path.stem
        assert (last.format, last.via, last.schema_in_prompt) == ("json_object", "json_object", True)
        assert [rung.format for rung in module.DIALECT.rungs[:2]] == ["json_schema", "json_schema_reduced"]


def test_every_shape_leaves_the_schema_itself_alone_and_gives_plain_json() -> None:
    before = repr(SCHEMA)
    for provider in ("openai", "anthropic", "google", "ollama", "vllm", "groq"):
        for rung in dialect_of(provider, own_server=True).rungs:
            shaped = rung.shape(SCHEMA)
            assert json.loads(json.dumps(shaped))["required"] == SCHEMA["required"]
    assert repr(SCHEMA) == before


def test_openai_keeps_the_bounds_and_drops_what_would_turn_strict_off() -> None:
    assert keywords(SCHEMA) - keywords(strict(SCHEMA)) == {"uniqueItems"}


def test_anthropic_gets_bounds_as_prose_and_closed_objects() -> None:
    shaped = prose({"type": "object", "properties": {"in": {"type": "object", "properties": {}}}})
    assert shaped["additionalProperties"] is False
    assert prose(SCHEMA)["properties"] == {
        "title": {"anyOf": [{"type": "string", "description": "maxLength 80, minLength 1"}, {"type": "null"}]},
        "categoryNames": {
            "type": "array",
            "items": {"type": "string", "enum": ["Billing", "Shipping"]},
            "description": "Categories (maxItems 5, uniqueItems True)",
        },
        "score": {"type": "integer", "description": "minimum 0, maximum 100"},
        "pattern": {"type": "boolean"},
        "summary": {"type": "string", "description": "maxLength 2000"},
    }
    assert keywords(bare(SCHEMA)) & (BOUNDS | {"description"}) == set()


def test_gemini_gets_enums_of_strings_and_no_long_enum_when_reduced() -> None:
    assert strings({"enum": [1, "a"]}) == {"enum": ["1", "a"], "type": "string"}
    long: JsonObject = {"type": "string", "enum": [f"k{n}" for n in range(LONG_ENUM)]}
    assert reduced({"type": "array", "items": long, "maxItems": 5}) == {"type": "array", "items": {"type": "string"}}
    assert keywords(reduced(SCHEMA)) & BOUNDS == set()
    assert "enum" in keywords(reduced(SCHEMA))


def test_a_grammar_gets_no_unique_items_and_no_very_long_string() -> None:
    shaped = grammar(SCHEMA)
    assert "uniqueItems" not in keywords(shaped)
    properties = shaped["properties"]
    assert isinstance(properties, dict)
    assert properties["summary"] == {"type": "string"}
    assert properties["title"] == {"anyOf": [{"type": "string", "maxLength": 80, "minLength": 1}, {"type": "null"}]}


def test_a_property_named_like_a_keyword_stays() -> None:
    for shape in (strict, prose, bare, strings, reduced, grammar):
        properties = shape(SCHEMA)["properties"]
        assert isinstance(properties, dict)
        assert set(properties) == {"title", "categoryNames", "score", "pattern", "summary"}
