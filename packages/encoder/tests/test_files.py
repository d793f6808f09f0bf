"""The package finds its files, and they are the files that the manifest promises."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from afterturn_encoder import heads_path, manifest, model_path, tokenizer_path

FILES = {"model_sha256": model_path(), "tokenizer_sha256": tokenizer_path(), "heads_sha256": heads_path()}


@pytest.mark.parametrize("key", FILES)
def test_a_file_is_the_one_of_the_manifest(key: str) -> None:
    assert hashlib.sha256(FILES[key].read_bytes()).hexdigest() == getattr(manifest(), key)


def test_model_tokenizer_and_heads_together_are_at_most_80_megabytes() -> None:
    assert sum(path.stat().st_size for path in FILES.values()) < 80_000_000


def test_the_files_lie_in_the_package() -> None:
    assert {path.parent.name for path in FILES.values()} == {"afterturn_encoder"}
    assert all(isinstance(path, Path) for path in FILES.values())
