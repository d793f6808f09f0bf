"""Imports what a user names as `module:name` or `file.py:name`, the current folder included."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import reduce
from pathlib import Path
from types import ModuleType

from afterturn.errors import UsageError


def imported(spec: str) -> object:
    """Imports an object.

    Args:
        spec: `module:name`, `file.py:name`; the name may have dots.

    Raises:
        UsageError: There is no such module or name; an error inside the module says its class and place.
    """
    place, colon, name = spec.rpartition(":")
    if not (place and colon and name):
        raise UsageError(f"{spec!r} names no callable; write module:callable")
    module = _module(place)
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError:
        raise UsageError(f"{place} has no {name!r}; check the name after the colon") from None


def _module(place: str) -> ModuleType:
    try:
        if place.endswith(".py"):
            return _from_file(Path(place))
        if "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"no module {error.name!r} for the target {place}; run it where the module can be found"
        ) from None
    except (ImportError, SyntaxError, OSError) as error:
        raise UsageError(f"{place} cannot be imported: {type(error).__name__}; mend it") from None
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # the module's own code broke
        raise UsageError(f"{place} broke while it was imported: {type(error).__name__}; mend it") from error


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {path}; check the path")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # so that its dataclasses and pickles find it
    spec.loader.exec_module(module)
    return module
