"""Loads the encoder's files: located, hashed, opened; whatever is wrong with them is one `JudgeMissingError`."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from afterturn.errors import JudgeMissingError

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder

INSTALL_HINT = "install the local encoder: pip install 'afterturn[local]'"

_lock = threading.Lock()
_shared: list[SentenceEncoder] = []


def shared_encoder() -> SentenceEncoder:
    """Gives the process's one encoder, loaded on first use; a failed load is tried again at the next call.

    Raises:
        JudgeMissingError: Where a library or a file is missing or damaged.
    """
    with _lock:
        if not _shared:
            _shared.append(load_encoder())
        return _shared[0]


def load_encoder(
    model_file: Path | None = None, tokenizer_file: Path | None = None, heads_file: Path | None = None
) -> SentenceEncoder:
    """Loads an encoder from the packaged files, or from copies of them.

    Args:
        model_file: The ONNX file; None means the packaged one.
        tokenizer_file: The tokenizer's JSON file; None means the packaged one.
        heads_file: The trained heads' file; None means the packaged one.

    Raises:
        JudgeMissingError: Where a library or a file is missing, or a file is not the one that the manifest names.
    """
    try:
        import afterturn_encoder

        from afterturn.judges.encoder._model import SentenceEncoder
    except ImportError as error:
        raise JudgeMissingError(f"{error.name or 'a library'} is missing; {INSTALL_HINT}") from error
    manifest = afterturn_encoder.manifest()
    try:
        model = _verified(model_file or afterturn_encoder.model_path(), manifest.model_sha256)
        tokenizer = _verified(tokenizer_file or afterturn_encoder.tokenizer_path(), manifest.tokenizer_sha256)
        heads = _verified(heads_file or afterturn_encoder.heads_path(), manifest.heads_sha256)
        return SentenceEncoder(model, tokenizer, heads, max_tokens=manifest.max_tokens)
    except ImportError as error:
        raise JudgeMissingError(f"{error.name or 'a library'} is missing; {INSTALL_HINT}") from error
    except OSError as error:
        raise JudgeMissingError(f"a file of the encoder cannot be read; {INSTALL_HINT}") from error


def _verified(path: Path, sha256: str) -> bytes:
    """Reads a file and checks its hash, so that what is opened is what was checked."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise JudgeMissingError(
            f"{path.name} of the encoder is not the file of its manifest (damaged or replaced); reinstall it: "
            "pip install --force-reinstall 'afterturn[local]'"
        )
    return data
