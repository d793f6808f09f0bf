"""Reads policies from YAML files, and says line, field and what to do where one is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from afterturn._unreadable import why_unreadable
from afterturn.errors import ConfigError
from afterturn.guard._lists import check
from afterturn.guard._policy import Policy

_POLICIES = TypeAdapter(Policy)
_HINTS = {
    "unexpected_keyword_argument": "there is no such field; check the spelling, or see docs/policies.md",
    "missing": "the field is missing; add it",
    "literal_error": "the value is none of those that are known",
    "tuple_type": "a list is needed; begin its lines with `- `",
    "dict_type": "a map is needed; write `name: value` lines",
    "mapping_type": "a map is needed; write `name: value` lines",
    "dataclass_type": "a map of fields is needed; write `name: value` lines",
    "string_type": "a text is needed",
    "int_parsing": "a whole number is needed",
    "float_parsing": "a number is needed",
}


def library() -> tuple[str, ...]:
    """Gives the names of the policies that come with Afterturn, sorted."""
    folder = resources.files("afterturn.guard").joinpath("policies")
    return tuple(sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml")))


def load(source: str | Path) -> Policy:
    """Reads a policy from a file, or from the library by its name.

    Raises:
        ConfigError: It cannot be read or is no policy.
    """
    if isinstance(source, str) and source in library():
        return parse(source_text(source), f"policy {source}", name=source)
    return parse(source_text(source), str(source), name=Path(source).stem)


def source_text(source: str | Path) -> str:
    """Gives a policy as it is written, comments included.

    Raises:
        ConfigError: There is none, or it cannot be read.
    """
    if isinstance(source, str) and source in library():
        return resources.files("afterturn.guard").joinpath("policies", f"{source}.yaml").read_text(encoding="utf-8")
    try:
        return Path(source).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(
            f"policy {source}: there is no such file, and no policy of this name; "
            f"give a path, or one of {', '.join(library())}"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"policy {source}: cannot be read: {why_unreadable(error)}") from None


def parse(text: str, where: str, *, name: str) -> Policy:
    """Reads a policy from YAML.

    Args:
        text: The YAML.
        where: The file, for messages.
        name: The policy's name where it gives none.

    Raises:
        ConfigError: It is no policy.
    """
    root = _composed(text, where)
    if root is None or not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{where}: the file holds no policy; write `name: value` lines, see docs/policies.md")
    _refuse_doubles(root, where)
    try:
        policy = _POLICIES.validate_python({"name": name} | _plain(root))
        problems = check(policy)
    except ValidationError as error:
        told = [(problem["loc"], _told(problem["type"], problem["msg"])) for problem in error.errors()]
        raise ConfigError("; ".join(_placed(root, where, loc, problem) for loc, problem in told)) from None
    if problems:
        raise ConfigError("; ".join(_placed(root, where, loc, problem) for loc, problem in problems))
    return policy


def _composed(text: str, where: str) -> yaml.Node | None:
    # BaseLoader takes every scalar as a string: `no` stays a word and 2026-12-31 what was written.
    try:
        return yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"{where}{line}: no valid YAML; mend this line (quote what holds `: ` or `#`)") from None
    except (yaml.YAMLError, RecursionError):
        raise ConfigError(f"{where}: no valid YAML; it holds characters or nesting that YAML does not allow") from None


def _plain(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {key.value: _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return tuple(_plain(value) for value in node.value)
    return node.value


def _refuse_doubles(node: yaml.Node, where: str) -> None:
    """Refuses a key that stands twice: YAML would silently take the last."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ConfigError(f"{where}:{key.start_mark.line + 1}: a field's name must be a word; mend this line")
            if key.value in seen:
                raise ConfigError(f"{where}:{key.start_mark.line + 1}: a field stands twice; join them")
            seen.add(key.value)
            _refuse_doubles(value, where)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_doubles(value, where)


def _told(kind: str, message: str) -> str:
    """Says what is wrong and what to do, without the wrong value."""
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    if kind == "literal_error":
        return f"{_HINTS[kind]}: {message.removeprefix('Input should be ')}"
    return _HINTS.get(kind, message)


def _placed(root: yaml.Node, where: str, loc: Sequence[int | str], problem: str) -> str:
    """Puts the line and the field before a problem."""
    node, line, field = root, root.start_mark.line, ""
    for step in loc:
        below = _below(node, step)
        if below is None:
            field += "" if step == "[key]" else f".{step}"
            break
        node, line = below
        field += f"[{step}]" if isinstance(step, int) else f".{step}"
    return f"{where}:{line + 1}: {field.lstrip('.') or 'the policy'}: {problem}"


def _below(node: yaml.Node, step: int | str) -> tuple[yaml.Node, int] | None:
    """Gives what stands under a key or at a place in a list, with its line."""
    if isinstance(node, yaml.MappingNode):
        return next(((value, key.start_mark.line) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step].start_mark.line
    return None
