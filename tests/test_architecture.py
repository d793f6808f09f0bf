"""What holds for the package as a whole: its rooms say what is in them, stay small, and cost nothing to import."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import afterturn

ROOT = Path(afterturn.__file__).parent
ROOMS = sorted(ROOT.rglob("__init__.py"))
HEAVY = ("pydantic", "sqlalchemy", "onnxruntime", "numpy", "pydantic_ai", "openai", "structlog", "matplotlib", "regex")
"""What takes long to import, or is not there without an extra."""

MOST_LINES = 400
MOST_NAMES = 40


def _name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Gives the statements of a module, those for type checkers included."""
    for statement in tree.body:
        yield statement
        if isinstance(statement, ast.If):
            yield from statement.body


def _public(tree: ast.Module) -> set[str]:
    """Gives the public names that a module makes or takes from the package."""
    names: list[str] = []
    for statement in _statements(tree):
        match statement:
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] == "afterturn":
                names += [alias.asname or alias.name for alias in statement.names]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
            case _:
                pass
    return {name for name in names if not name.startswith("_")}


def _in_order(name: str) -> tuple[int, str]:
    """Sorts as ruff does: constants, then classes, then the rest."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


@pytest.mark.parametrize("room", ROOMS, ids=_name_of)
def test_a_room_lists_exactly_what_it_exports_in_order(room: Path) -> None:
    exported = _public(ast.parse(room.read_text(encoding="utf-8")))
    module = importlib.import_module(_name_of(room))
    listed = [name for name in getattr(module, "__all__", ()) if name != "__version__"]
    assert listed == sorted(exported, key=_in_order)
    assert [name for name in listed if not hasattr(module, name)] == []


def test_the_top_level_has_few_names() -> None:
    assert len(afterturn.__all__) <= MOST_NAMES


def test_every_file_is_small() -> None:
    lines = {_name_of(path): len(path.read_bytes().splitlines()) for path in ROOT.rglob("*.py")}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def _loaded_by(*modules: str) -> list[str]:
    """Gives what of `HEAVY` a new process has loaded once it has imported the modules."""
    code = (
        f"import importlib, json, sys; [importlib.import_module(name) for name in {modules!r}]; "
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert _loaded_by("afterturn") == []


def test_importing_the_commands_loads_nothing_heavy() -> None:
    commands = [_name_of(path) for path in (ROOT / "cli").glob("*.py")]
    assert "afterturn.cli.classify" in commands
    assert _loaded_by(*commands) == []


def test_a_heavy_import_would_be_seen() -> None:
    assert _loaded_by("afterturn.embedded", "afterturn.store") == ["pydantic", "sqlalchemy"]
