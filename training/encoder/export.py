"""Writes the trained model as files of `packages/encoder`: ONNX in int8, tokenizer; heads.py fits the heads to it.

Usage::

    python training/encoder/export.py [--out /tmp/afterturn-encoder]

Weights are int8, one scale a channel, the embeddings as well; the report says how near the int8 model's vectors are.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import rows
import torch
from base import Encoder, additive, kept, mean, read
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import Tensor, nn
from train import FROZEN, LAYERS, MAX_TOKENS, Net, unpacked

IN_FLOAT = (4, 5)
"""Layers whose second feed-forward multiplication is not made int8: a few of its inputs are so large that one scale for
all of them costs two hundredths of similarity, ten times as much as all the others together (measured one by one)."""

PACKAGE = rows.ROOT / "packages" / "encoder" / "src" / "afterturn_encoder"


class Whole(nn.Module):
    """Is the encoder as it is shipped: token ids in, the pooled vector and the unit vector of each text out."""

    def __init__(self, lower: Encoder, net: Net) -> None:
        super().__init__()
        self.lower, self.net = lower, net

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Reads a batch, shape (texts, tokens)."""
        x, added = self.lower.embed(input_ids), additive(attention_mask)
        for layer in (*self.lower.layers, *self.net.layers):
            x = layer(x, added)
        pooled = mean(x, attention_mask)
        projected = self.net.project(pooled)
        return pooled, projected / projected.norm(dim=-1, keepdim=True)


def export(out: Path) -> None:
    """Writes the files and prints sizes and how near int8 is to float."""
    weights = read(unpacked(out / "base"))
    lower = Encoder(weights, kept(out), FROZEN)
    upper = Encoder(weights, kept(out), LAYERS).layers[FROZEN:]
    net = Net(list(upper), weights.size)
    net.load_state_dict(torch.load(out / "net.pt")["net"])
    whole = Whole(lower, net).eval()
    example = (torch.randint(5, 9_000, (2, 9)), torch.ones(2, 9, dtype=torch.long))
    names = {"input_names": ["input_ids", "attention_mask"], "output_names": ["pooled", "vector"]}
    axes = {name: {0: "texts", 1: "tokens"} for name in names["input_names"]}
    axes |= {name: {0: "texts"} for name in names["output_names"]}
    torch.onnx.export(
        whole, example, str(out / "float.onnx"), dynamic_axes=axes, opset_version=17, dynamo=False, **names
    )
    quantize_dynamic(
        out / "float.onnx",
        PACKAGE / "model.onnx",
        per_channel=True,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        nodes_to_exclude=_left_in_float(out / "float.onnx", weights.wide),
    )
    shutil.copy(out / "tokenizer.json", PACKAGE / "tokenizer.json")
    _compare(out / "float.onnx")


def _left_in_float(model: Path, wide: int) -> list[str]:
    """Names the multiplications that stay in float."""
    graph = onnx.load(str(model)).graph
    sizes = {one.name: tuple(one.dims) for one in graph.initializer}
    back = [node.name for node in graph.node if node.op_type == "MatMul" and sizes.get(node.input[1], (0,))[0] == wide]
    return [back[at] for at in IN_FLOAT]


def _compare(reference: Path) -> None:
    made = Tokenizer.from_file(str(PACKAGE / "tokenizer.json"))
    sessions = [onnxruntime.InferenceSession(str(path)) for path in (reference, PACKAGE / "model.onnx")]
    near: list[float] = []
    for row in rows.jsonl(rows.OURS / "frustration.jsonl")[:200]:
        ids = made.encode(row["message"]).ids[:MAX_TOKENS]
        feed = {"input_ids": np.array([ids]), "attention_mask": np.ones((1, len(ids)), np.int64)}
        whole, small = (session.run(["vector"], feed)[0][0] for session in sessions)
        near.append(float(whole @ small))
    print("similarity of int8 and float vectors: mean", round(float(np.mean(near)), 4), "least", round(min(near), 4))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("/tmp/afterturn-encoder"))
    export(parser.parse_args().out)
