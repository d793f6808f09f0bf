"""Answers questions by small heads on the encoder's vectors of one text or two; training/encoder fits them.

A head is linear on the standardised vector of a text, on how like that is to the rows that the head keeps as anchors,
or on both; on two texts it sees both, their product and their distance. Probabilities are calibrated by a temperature;
between the bounds of its band a head is unsure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """Is what is known of one head.

    Attributes:
        labels: Its labels; the first means that nothing was found.
        temperature: Divides its scores.
        cut: From which probability of anything but the first label on there is a finding.
        unsure: A probability of a finding within these bounds is unsure.
    """

    labels: tuple[str, ...]
    temperature: float
    cut: float
    unsure: tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chances:
    """Are the probabilities of a head's labels for one text.

    Attributes:
        by_label: Probability of each label.
        task: The head.
        foreign: The text is in a language in which the head is not to be trusted.
    """

    by_label: Mapping[str, float]
    task: Task
    foreign: bool = False

    @property
    def finding(self) -> float:
        """The probability that there is a finding, whatever it is."""
        return 1.0 - self.by_label[self.task.labels[0]]

    @property
    def label(self) -> str:
        """The most probable label; the first where a finding is less probable than the cut."""
        if self.finding < self.task.cut:
            return self.task.labels[0]
        return max(self.task.labels[1:], key=self.by_label.__getitem__)

    @property
    def sure(self) -> float:
        """The probability that the answer is right."""
        return self.by_label[self.label] if self.label != self.task.labels[0] else 1.0 - self.finding

    @property
    def unsure(self) -> bool:
        """Whether the probability of a finding lies within the band, or says nothing in this language."""
        low, high = self.task.unsure
        return self.foreign or low <= self.finding <= high


@dataclass(frozen=True, kw_only=True, slots=True)
class _Anchors:
    """Are the rows that a head compares with.

    Attributes:
        rows: Their standardised vectors, shape (anchors, dimensions).
        squares: The square of each one's length.
        width: How fast likeness falls with the mean square distance.
    """

    rows: Vectors
    squares: Vectors
    width: float

    @classmethod
    def of(cls, numbers: Vectors, *, step: float, width: float) -> _Anchors:
        """Reads anchors from whole numbers of steps."""
        rows = numbers.astype(np.float32) * np.float32(step)
        return cls(rows=rows, squares=(rows**2).sum(axis=1), width=width / rows.shape[1])

    def likeness(self, texts: Vectors) -> Vectors:
        """Gives how like each text is to each anchor, 0 to 1, shape (texts, anchors).

        Not by `@`: for so little work BLAS wakes its threads, which then wait busily and take the time of others.
        """
        products = np.einsum("ij,kj->ik", texts, self.rows)
        apart = (texts**2).sum(axis=1)[:, None] + self.squares - 2 * products
        return cast(Vectors, np.exp(-self.width * np.maximum(apart, 0.0)))


class TaskHeads:
    """Are the heads of one file.

    Args:
        data: The bytes of an `.npz` file: `meta` (JSON: the tasks, and `step` and `width` of the anchors), for each
            task `weight` and `bias`, for some `anchors` (whole numbers of steps), and `leaning` (weights of the vector
            itself beside those of the anchors).
    """

    def __init__(self, data: bytes) -> None:
        with np.load(BytesIO(data), allow_pickle=False) as file:
            arrays = {name: cast(Vectors, file[name]) for name in file.files if name != "meta"}
            meta: dict[str, Any] = json.loads(str(file["meta"]))
        self._arrays = arrays
        self._anchors = {
            name.removesuffix(".anchors"): _Anchors.of(found, step=meta["step"], width=meta["width"])
            for name, found in arrays.items()
            if name.endswith(".anchors")
        }
        self._tasks = {
            name: Task(
                labels=tuple(found["labels"]),
                temperature=found["temperature"],
                cut=found["cut"],
                unsure=(found["unsure"][0], found["unsure"][1]),
            )
            for name, found in meta["tasks"].items()
        }

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks by name."""
        return self._tasks

    def chances(self, task: str, texts: Vectors, other: Vectors | None = None) -> list[Chances]:
        """Gives the probabilities for each text.

        Args:
            task: Name of the task.
            texts: Pooled vectors, shape (texts, dimensions).
            other: For tasks on two texts, the pooled vector of the other one, shape (dimensions,).
        """
        known = self._tasks[task]
        features = _standardised(texts)
        if other is not None:
            against = np.broadcast_to(_standardised(other[None]), features.shape)
            features = np.concatenate([features, against, features * against, np.abs(features - against)], axis=1)
        scores = self._scores(task, features) / known.temperature
        return [Chances(by_label=dict(zip(known.labels, row, strict=True)), task=known) for row in _softmax(scores)]

    def _scores(self, task: str, features: Vectors) -> Vectors:
        """Gives the score of each label, shape (texts, labels)."""
        weight, bias = self._arrays[f"{task}.weight"], self._arrays[f"{task}.bias"]
        anchors, leaning = self._anchors.get(task), self._arrays.get(f"{task}.leaning")
        if anchors is None:
            return features @ weight.T + bias
        scores = anchors.likeness(features) @ weight.T + bias
        return scores if leaning is None else scores + features @ leaning.T


def _standardised(vectors: Vectors) -> Vectors:
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    return cast(Vectors, centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-5))


def _softmax(scores: Vectors) -> Sequence[Sequence[float]]:
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return cast(Sequence[Sequence[float]], (shifted / shifted.sum(axis=1, keepdims=True)).tolist())
