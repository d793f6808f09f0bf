"""Claims about the room as a whole."""

from __future__ import annotations

import subprocess
import sys

from afterturn import formats


def test_the_public_names_are_listed_in_order_and_all_there() -> None:
    assert formats.__all__ == sorted(formats.__all__)
    assert all(hasattr(formats, name) for name in formats.__all__)


def test_importing_the_room_imports_nothing_heavy() -> None:
    heavy = {"pyarrow", "numpy", "openai", "anthropic", "pydantic"}
    code = f"import sys, afterturn.formats; print({heavy} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
