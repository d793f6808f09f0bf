"""Runs the encoder: text in, vectors out, whole texts in overlapping windows; one pass a window for all questions.

The model gives two vectors a window: the mean over its tokens, which the trained heads read, and a unit vector whose
products are similarities. Texts longer than one window are never cut: they become several windows, and only beyond
`MAX_WINDOWS` are windows left out, evenly over the text, which `TextVectors.whole` tells.
"""

from __future__ import annotations

import hashlib
import importlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from afterturn.judges.encoder._task_heads import TaskHeads

Vectors = NDArray[np.float32]

MAX_WINDOWS = 112
OVERLAP_TOKENS = 32
_CACHED_TEXTS = 2048


@dataclass(frozen=True, kw_only=True, slots=True)
class TextVectors:
    """Are the vectors of one text.

    Attributes:
        windows: One unit vector a window, shape (windows, dimensions); an empty text has one window.
        mean: The unit vector of the whole text, shape (dimensions,).
        pooled: What the trained heads read, one vector a window, of any length, shape (windows, dimensions).
        whole: False where windows were left out.
    """

    windows: Vectors
    mean: Vectors
    pooled: Vectors
    whole: bool


class Embedder(Protocol):
    """Turns texts into vectors; what the heads need of a model."""

    @property
    def heads(self) -> TaskHeads:
        """The trained heads of the model."""
        ...

    def vectors(self, texts: Sequence[str]) -> list[TextVectors]:
        """Gives the vectors of each text, in order."""
        ...


class _Session(Protocol):
    def run(self, names: Sequence[str] | None, feed: Mapping[str, NDArray[np.int64]]) -> list[Vectors]: ...


class SentenceEncoder:
    """Is a sentence encoder on the CPU; safe to share between threads.

    Args:
        model: The bytes of the ONNX model.
        tokenizer: The bytes of the tokenizer's JSON.
        heads: The bytes of the trained heads' file.
        max_tokens: Length of one window, the two special tokens included.
    """

    def __init__(self, model: bytes, tokenizer: bytes, heads: bytes, *, max_tokens: int) -> None:
        runtime: Any = importlib.import_module("onnxruntime")  # it has no type stubs
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # the judge shares the machine with what it judges
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._session = cast(_Session, runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"]))
        self._tokenizer = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.heads = TaskHeads(heads)
        self._max_tokens = max_tokens
        self._cls = self._special("<s>")
        self._sep = self._special("</s>")
        self._cache: OrderedDict[bytes, TextVectors] = OrderedDict()
        self._cache_lock = threading.Lock()

    def vectors(self, texts: Sequence[str]) -> list[TextVectors]:
        """Gives the vectors of each text, in order; repeated and recent texts cost nothing.

        Example:
            >>> encoder.vectors(["hello", "hello"])[1].windows.shape  # doctest: +SKIP
            (1, 384)
        """
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        found = self._recall(keys)
        todo = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if todo:
            fresh = dict(zip(todo, self._compute(list(todo.values())), strict=True))
            self._remember(fresh)
            found |= fresh
        return [found[key] for key in keys]

    def token_windows(self, text: str) -> tuple[list[list[int]], bool]:
        """Cuts a text into windows of token ids that overlap by `OVERLAP_TOKENS`.

        Returns:
            The windows with their special tokens, and whether they cover the whole text.
        """
        clean = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate would raise in the tokenizer
        ids = self._tokenizer.encode(clean, add_special_tokens=False).ids
        room = self._max_tokens - 2
        starts = list(range(0, max(len(ids) - OVERLAP_TOKENS, 1), room - OVERLAP_TOKENS))
        whole = len(starts) <= MAX_WINDOWS
        if not whole:
            step = (len(starts) - 1) / (MAX_WINDOWS - 1)
            starts = [starts[round(index * step)] for index in range(MAX_WINDOWS)]
        return [[self._cls, *ids[start : start + room], self._sep] for start in starts], whole

    def _special(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"the tokenizer has no token {token}")
        return number

    def _recall(self, keys: Sequence[bytes]) -> dict[bytes, TextVectors]:
        with self._cache_lock:
            found = {key: self._cache[key] for key in keys if key in self._cache}
            for key in found:
                self._cache.move_to_end(key)
        return found

    def _remember(self, fresh: Mapping[bytes, TextVectors]) -> None:
        """Keeps vectors under hashes of their texts: the cache holds no word of a conversation."""
        with self._cache_lock:
            self._cache.update(fresh)
            while len(self._cache) > _CACHED_TEXTS:
                self._cache.popitem(last=False)

    def _compute(self, texts: Sequence[str]) -> list[TextVectors]:
        cut = [self.token_windows(text) for text in texts]
        made: list[TextVectors] = []
        for windows, whole in cut:
            read = [self._run(window) for window in windows]
            pooled, unit = (np.concatenate(part) for part in zip(*read, strict=True))
            made.append(TextVectors(windows=unit, mean=_unit(unit.mean(axis=0)), pooled=pooled, whole=whole))
        return made

    def _run(self, window: Sequence[int]) -> tuple[Vectors, Vectors]:
        """Reads one window: the mean over its tokens, and the unit vector, shape (1, dimensions) each.

        One at a time: int8 scales are taken over a whole batch, so that a text's vector would depend on its neighbours.
        """
        ids = np.array([window], dtype=np.int64)
        pooled, unit = self._session.run(["pooled", "vector"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return pooled, unit


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.maximum(norms, 1e-9)).astype(np.float32)
