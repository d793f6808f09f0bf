"""Reads whole texts in windows by our encoder or by all-MiniLM-L6-v2, and keeps the vectors between runs."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training" / "encoder"))

from attacks import MOST_WINDOWS, starts

from afterturn.judges.encoder._load import load_encoder
from afterturn.judges.encoder._task_heads import _standardised

Reader = Callable[[str], NDArray[np.float64]]
"""Gives the vectors of a text's windows, shape (windows, dimensions)."""

_MINILM_TOKENS = 126


def own(texts: Sequence[str], cache: Path) -> Reader:
    """Reads by the encoder of the package, standardised as the heads read it."""
    encoder = load_encoder()
    digest = hashlib.sha256(encoder.vectors(["a fingerprint of the model"])[0].pooled.tobytes()).hexdigest()[:12]

    def read(text: str) -> NDArray[np.float32]:
        windows = encoder.vectors([text])[0].pooled
        kept_of = np.linspace(0, len(windows) - 1, min(len(windows), MOST_WINDOWS)).round().astype(int)
        return _standardised(windows[kept_of])

    return kept(texts, read, cache / f"own-{digest}.npz")


def minilm(texts: Sequence[str], folder: Path, cache: Path) -> Reader:
    """Reads by all-MiniLM-L6-v2, frozen; unit vectors times their length, as the baseline of the data has them."""
    session: Any = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    wanted = {one.name for one in session.get_inputs()}

    def read(text: str) -> NDArray[np.float32]:
        ids = tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        begins = starts(len(ids), _MINILM_TOKENS)
        return _standardised(np.stack([pooled([101, *ids[at : at + _MINILM_TOKENS], 102]) for at in begins]))

    def pooled(ids: list[int]) -> NDArray[np.float32]:
        tokens = np.array([ids], np.int64)
        feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        found = session.run(None, {name: value for name, value in feed.items() if name in wanted})[0]
        return found[0].mean(axis=0) if found.ndim == 3 else found[0]

    return kept(texts, read, cache / "minilm.npz")


def kept(texts: Sequence[str], read: Callable[[str], NDArray[np.float32]], file: Path) -> Reader:
    """Reads all texts, or takes from the file what an earlier run read."""
    known: dict[str, NDArray[np.float64]] = {}
    keys = {text: hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest() for text in set(texts)}
    if file.exists():
        with np.load(file) as stored:
            known = {name: stored[name].astype(np.float64) for name in stored.files}
    missing = [text for text, key in keys.items() if key not in known]
    for text in missing:
        known[keys[text]] = read(text).astype(np.float64)
    if missing:
        np.savez(file, **{name: value.astype(np.float16) for name, value in known.items()})  # type: ignore[arg-type]
    return lambda text: known[keys[text]]
