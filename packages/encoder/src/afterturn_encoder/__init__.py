"""Holds the local encoder of Afterturn: its model file, its tokenizer, its trained heads, and what they must be.

Example:
    >>> tokenizer_path().name
    'tokenizer.json'
    >>> manifest().dimensions
    384
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Manifest", "heads_path", "manifest", "model_path", "tokenizer_path"]

_HERE = Path(__file__).parent


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """Is what a loader must know of the model, and what the files must hash to.

    Attributes:
        name: The model's name.
        version: Version of the model as Afterturn counts it; verdicts of two versions do not compare.
        licence: SPDX id of the weights and of the tokenizer.
        dimensions: Length of one vector.
        max_tokens: Tokens of one window, the two special tokens included.
        model_sha256: Hash of the model file.
        tokenizer_sha256: Hash of the tokenizer file.
        heads_sha256: Hash of the trained heads' file.
    """

    name: str
    version: str
    licence: str
    dimensions: int
    max_tokens: int
    model_sha256: str
    tokenizer_sha256: str
    heads_sha256: str


@cache
def manifest() -> Manifest:
    """Gives what the model is and what its files must hash to."""
    return Manifest(**json.loads((_HERE / "manifest.json").read_text(encoding="utf-8")))


def model_path() -> Path:
    """Gives the path of the ONNX model file; its hash is for the loader to check."""
    return _HERE / "model.onnx"


def tokenizer_path() -> Path:
    """Gives the path of the tokenizer file."""
    return _HERE / "tokenizer.json"


def heads_path() -> Path:
    """Gives the path of the file of the trained heads."""
    return _HERE / "heads.npz"
