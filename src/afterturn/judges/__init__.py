"""Who answers calls: models of any provider, a GGUF in this process, the local encoder; and judges around a judge.

Registries hold names: nothing heavy is imported before a judge is asked.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from afterturn.judges._open import PROVIDERS, open_judge
from afterturn.judges._prompt import BOUNDARY_BYTES, Prompt, render
from afterturn.judges._schema import WireSchema, wire_schema
from afterturn.judges.wrap import Cost, Deadline, Price, Residency, Retry, Spend, Trace, allows

if TYPE_CHECKING:
    from afterturn.judges.llama import LlamaJudge
    from afterturn.judges.model import ModelJudge

__all__ = [
    "BOUNDARY_BYTES",
    "PROVIDERS",
    "Cost",
    "Deadline",
    "LlamaJudge",
    "ModelJudge",
    "Price",
    "Prompt",
    "Residency",
    "Retry",
    "Spend",
    "Trace",
    "WireSchema",
    "allows",
    "open_judge",
    "render",
    "wire_schema",
]

_LAZY = {"LlamaJudge": "afterturn.judges.llama", "ModelJudge": "afterturn.judges.model"}


def __getattr__(name: str) -> Any:
    """Imports a judge's module when its class is first used."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
