"""Writes the untrained base as ONNX, so that benchmarks can set it beside what training made of it.

Usage::

    python training/encoder/export_base.py FOLDER [--layers 7] [--out /tmp/afterturn-encoder]

FOLDER gets `model.onnx` (float, the unit vector of each text) and `tokenizer.json`; needs what `train.py` has left in
`--out`.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch
from base import Encoder, additive, kept, mean, read
from torch import Tensor, nn
from train import LAYERS, unpacked


class Untrained(nn.Module):
    """Is the first layers of the base: token ids in, the unit vector of each text out."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Reads a batch, shape (texts, tokens)."""
        x, added = self.encoder.embed(input_ids), additive(attention_mask)
        for layer in self.encoder.layers:
            x = layer(x, added)
        pooled = mean(x, attention_mask)
        return pooled / pooled.norm(dim=-1, keepdim=True)


def export(out: Path, folder: Path, layers: int) -> None:
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    model = Untrained(Encoder(read(unpacked(out / "base")), kept(out), layers)).eval()
    example = (torch.randint(5, 9_000, (2, 9)), torch.ones(2, 9, dtype=torch.long))
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "texts", 1: "tokens"} for name in names} | {"vector": {0: "texts"}}
    torch.onnx.export(
        model, example, str(folder / "model.onnx"), dynamic_axes=axes, opset_version=17, dynamo=False,
        input_names=names, output_names=["vector"],
    )  # fmt: skip
    shutil.copy(out / "tokenizer.json", folder / "tokenizer.json")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.add_argument("--out", type=Path, default=Path("/tmp/afterturn-encoder"))
    options = parser.parse_args()
    export(options.out, options.folder, options.layers)
