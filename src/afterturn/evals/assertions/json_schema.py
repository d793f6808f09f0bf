"""Checks that the whole reply is JSON that fits a schema: `json_schema:FILE`, or in a row the schema as `value`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from afterturn.errors import UnreadableInputError, UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals._schemas import bounded_validator
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._equal import PATH_CHARACTERS, join
from afterturn.evals.assertions._options import check_options, flag, label_of
from afterturn.evals.assertions._seen import seen
from afterturn.formats import is_object
from afterturn.turns import JsonObject, JsonValue

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, ValidationError

MOST_LISTED = 20
_FENCE = re.compile(r"```[ \t]*(?:json|JSON)?[ \t]*\r?\n(.*)\n[ \t]*```\Z", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonSchema:
    """Reads the reply as JSON and holds it against a schema.

    Attributes:
        name: The name in results.
        validator: The schema.
        fence: Whether one code fence around the whole reply is taken off.
    """

    name: str
    validator: Draft202012Validator
    fence: bool = True

    def check(self, row: Row, reply: Reply) -> AssertionResult:
        """Checks a reply.

        Raises:
            UsageError: The schema refers to what is not in it, or a pattern of it takes too long.
        """
        try:
            value = self._read(reply.text)
        except ValueError:
            try:
                value = self._read(seen(row, reply).text)
            except ValueError:
                return AssertionResult(name=self.name, passed=False, reason="not_json")
        errors = self._errors(value)
        if not errors:
            return AssertionResult(name=self.name, passed=True)
        wrong = [{"path": _path(error), "rule": str(error.validator)} for error in errors]
        return AssertionResult(name=self.name, passed=False, reason="does_not_fit", details={"wrong": wrong})

    def _errors(self, value: Any) -> list[ValidationError]:
        from referencing.exceptions import Unresolvable

        validator = cast(Any, self.validator)  # its types are partly unknown
        try:
            return list(islice(validator.iter_errors(value), MOST_LISTED))
        except Unresolvable as error:
            raise UsageError(f"the schema of {self.name} has a reference that is not in it: {error.ref}") from None

    def _read(self, text: str) -> Any:
        body = text.strip()
        found = _FENCE.match(body) if self.fence else None
        try:
            return json.loads(found.group(1) if found else body, parse_constant=_not_json)
        except RecursionError:
            raise ValueError("JSON deeper than anything that is meant") from None


def _not_json(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are no JSON")


def _path(error: ValidationError | SchemaError) -> str:
    path = ""
    for step in error.absolute_path:
        path = f"{path}[{step}]" if isinstance(step, int) else join(path, str(step))
    return path[:PATH_CHARACTERS]


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion; a schema's references are looked up in the schema alone, never on a network.

    Raises:
        UsageError: There is no schema, or it is none.
        UnreadableInputError: Its file cannot be read.
    """
    from jsonschema import Draft202012Validator, SchemaError  # here, since importing afterturn must stay light
    from referencing import Registry

    check_options(name, options, ("fence",))
    schema = _read_file(name, argument) if isinstance(argument, str) else argument
    if not is_object(schema):
        raise UsageError(f"{name} takes a JSON schema: {name}:FILE, or in a row the schema as `value`")
    try:
        Draft202012Validator.check_schema(cast(Any, schema))
    except SchemaError as error:
        raise UsageError(f"the schema of {name} is none: {error.message} at {_path(error) or 'its top'}") from None
    return JsonSchema(
        name=label_of(name, options),
        validator=bounded_validator(schema, registry=cast(Any, Registry)()),
        fence=flag(f"{name}.fence", options.get("fence", True)),
    )


def _read_file(name: str, path: str) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise UnreadableInputError(
            f"{name}: cannot read {path} ({error.strerror}); give a file with the schema"
        ) from None
    except ValueError:
        raise UnreadableInputError(f"{name}: {path} is no JSON; give a file with the schema") from None
