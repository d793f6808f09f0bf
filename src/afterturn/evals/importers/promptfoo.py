"""Reads tests of promptfoo: a configuration with `prompts` and `tests`, or the tests alone.

What an assertion of promptfoo means is kept where Afterturn has the same one; the types of all others are named under
`unsupported_assert` in the row's metadata, so that nobody takes a row for checked that is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from afterturn.evals.importers._base import Importer, first_present, row
from afterturn.formats import is_list, is_object
from afterturn.turns import JsonObject, JsonValue

UNSUPPORTED = "unsupported_assert"
_PROMPT = "__prompt__"
_VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_][\w.]*)\s*-?\}\}")
_INPUTS = ("prompt", "input", "question", "query", "message", "user_input")
_SAME: dict[str, tuple[str, JsonObject]] = {  # our name, and what goes with it; there, case counts unless it says `i`
    "equals": ("equals", {"case": True}),
    "contains": ("contains", {"case": True}),
    "icontains": ("contains", {}),
    "contains-all": ("contains", {"case": True}),
    "icontains-all": ("contains", {}),
    "not-contains": ("not_contains", {"case": True}),
    "not-icontains": ("not_contains", {}),
    "regex": ("regex", {}),
    "not-regex": ("not_regex", {}),
    "latency": ("latency", {}),
    "cost": ("cost", {}),
    "is-json": ("json_schema", {}),
}
_ANY_JSON: JsonObject = {}
_FOR_A_JUDGE = ("llm-rubric", "model-graded-closedqa", "g-eval")


def _detects(record: JsonObject) -> bool:
    return is_object(record.get("vars")) or (is_list(record.get("tests")) and "prompts" in record)


def _unpack(document: JsonObject) -> Iterable[JsonObject] | None:
    tests = document.get("tests")
    if not is_list(tests):
        return None
    common = document.get("defaultTest")
    return _tests(tests, _prompts(document.get("prompts")), common if is_object(common) else {})


def _tests(tests: Iterable[JsonValue], prompts: list[JsonValue], common: JsonObject) -> Iterator[JsonObject]:
    for test in tests:
        if not is_object(test):
            yield {"input": None}  # a file or a script that makes tests; told as a bad row
            continue
        merged = {**common, **test}
        for key in ("vars", "metadata"):
            merged[key] = {**_object(common.get(key)), **_object(test.get(key))}
        merged["assert"] = [*_list(common.get("assert")), *_list(test.get("assert"))]
        for prompt in prompts or [None]:
            yield {**merged, _PROMPT: prompt}


def _convert(record: JsonObject) -> Iterable[JsonObject]:
    variables = _object(record.get("vars"))
    asserted, criteria, expected, unsupported = _assertions(_list(record.get("assert")), variables)
    prompt = record.get(_PROMPT)
    asked = first_present(variables, *_INPUTS) if prompt is None else _filled(prompt, variables)
    if asked is None:
        asked = next((value for value in variables.values() if isinstance(value, str)), None)
    metadata = {"vars": variables, **_object(record.get("metadata"))}
    if unsupported:
        metadata[UNSUPPORTED] = unsupported
    yield row(
        {**record, "metadata": metadata},
        ("id", "vars", "assert", _PROMPT, "input"),
        id=record.get("id"),
        input=asked,
        expected=expected,
        criteria=criteria or None,
        **{"assert": asserted or None},
    )


def _assertions(
    items: Iterable[JsonValue], variables: JsonObject
) -> tuple[list[JsonValue], list[JsonValue], JsonValue, list[JsonValue]]:
    """Sorts assertions into ours, criteria for a judge, the expected answer, and types that are not supported."""
    ours: list[JsonValue] = []
    criteria: list[JsonValue] = []
    unsupported: list[JsonValue] = []
    expected: JsonValue = None
    for item in items:
        kind, value = (item.get("type"), item.get("value")) if is_object(item) else (None, None)
        value = _filled(value, variables)
        if isinstance(kind, str) and kind in _SAME:
            threshold = item.get("threshold") if is_object(item) else None
            given = threshold if value is None else value
            name, options = _SAME[kind]
            ours.append(
                {"name": name, "value": _ANY_JSON if name == "json_schema" and given is None else given, **options}
            )
        elif kind in _FOR_A_JUDGE and isinstance(value, str):
            criteria.append(value)
        elif kind == "factuality" and isinstance(value, str):
            expected = value
        else:
            unsupported.append(str(kind))
    return ours, criteria, expected, unsupported


def _prompts(value: JsonValue) -> list[JsonValue]:
    """Takes the prompts that stand in the file; those in files of their own are not followed."""
    items = [value] if isinstance(value, str) else _list(value)
    texts = [item.get("raw", item.get("prompt")) if is_object(item) else item for item in items]
    return [text for text in texts if isinstance(text, str | list) and not str(text).startswith("file://")]


def _filled(prompt: JsonValue, variables: JsonObject) -> JsonValue:
    if isinstance(prompt, str):
        return _VARIABLE.sub(lambda found: str(variables.get(found[1], found[0])), prompt)
    if is_list(prompt):
        return [_filled(item, variables) for item in prompt]
    if is_object(prompt):
        return {key: _filled(item, variables) for key, item in prompt.items()}
    return prompt


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return dict(value) if is_object(value) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return list(value) if is_list(value) else []


IMPORTER = Importer(detects=_detects, convert=_convert, unpack=_unpack)
