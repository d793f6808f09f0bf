"""A trained head is linear on one vector or two, or compares with anchors, and says when it is unsure."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from afterturn.judges.encoder._task_heads import TaskHeads


def made(task: str, labels: list[str], *, unsure: tuple[float, float] = (0.4, 0.6), **arrays: object) -> TaskHeads:
    tasks = {task: {"labels": labels, "temperature": 2.0, "cut": 0.5, "unsure": unsure}}
    meta = {"tasks": tasks, "step": 0.125, "width": 1.0}
    buffer = BytesIO()
    values: dict[str, Any] = {f"{task}.{name}": np.asarray(value, dtype=np.float32) for name, value in arrays.items()}
    np.savez(buffer, meta=np.array(json.dumps(meta)), **values)
    return TaskHeads(buffer.getvalue())


def vector(*values: float) -> np.ndarray:
    return np.array([values], dtype=np.float32)


def test_scores_are_divided_by_the_temperature_before_they_become_probabilities() -> None:
    heads = made("mood", ["none", "bad"], weight=np.zeros((2, 2)), bias=[0.0, 2.0])
    (found,) = heads.chances("mood", vector(1.0, -1.0))
    assert found.by_label["bad"] == pytest.approx(1 / (1 + np.exp(-1.0)), abs=1e-6)
    assert (found.label, found.unsure) == ("bad", False)
    assert found.sure == found.by_label["bad"]


def test_a_vector_is_standardised_so_that_its_length_says_nothing() -> None:
    heads = made("mood", ["none", "bad"], weight=[[0.0, 0.0], [1.0, 0.0]], bias=[0.0, 0.0])
    (one,), (long,) = heads.chances("mood", vector(2.0, 0.0)), heads.chances("mood", vector(20.0, 0.0))
    assert one.by_label["bad"] == pytest.approx(long.by_label["bad"], abs=1e-4)


def test_under_the_cut_is_no_finding_and_within_the_band_is_unsure() -> None:
    heads = made("mood", ["none", "bad", "worse"], weight=np.zeros((3, 2)), bias=[1.0, 0.0, 0.0])
    (found,) = heads.chances("mood", vector(1.0, -1.0))
    assert found.finding == pytest.approx(2 / (2 + np.exp(0.5)), abs=1e-6)
    assert (found.label, found.unsure) == ("bad", True)


def test_a_head_on_two_texts_tells_the_same_text_from_another() -> None:
    distance = [0.0] * 6 + [1.0, 1.0]
    heads = made("alike", ["yes", "no"], weight=[[0.0] * 8, distance], bias=[2.0, 0.0])
    other = np.array([1.0, -1.0], dtype=np.float32)
    (same,) = heads.chances("alike", vector(1.0, -1.0), other)
    (apart,) = heads.chances("alike", vector(-1.0, 1.0), other)
    assert (same.label, apart.label) == ("yes", "no")


def test_a_head_with_anchors_asks_which_of_them_a_text_is_like() -> None:
    anchors = [[8, -8], [-8, 8]]  # steps of an eighth: standardised vectors of one apart from nought
    heads = made("mood", ["none", "bad"], anchors=anchors, weight=[[1.0, 0.0], [0.0, 1.0]], bias=[0.0, 0.0])
    (near,) = heads.chances("mood", vector(1.0, -1.0))
    (far,) = heads.chances("mood", vector(-3.0, 3.0))
    score = (1 - np.exp(-4.0)) / 2  # like itself 1, like the other exp(-width * mean square distance), temperature 2
    assert near.by_label["none"] == pytest.approx(1 / (1 + np.exp(-score)), abs=1e-4)
    assert far.by_label["bad"] == pytest.approx(near.by_label["none"], abs=1e-4)


def test_a_head_may_count_where_a_text_leans_beside_what_it_is_like() -> None:
    parts: dict[str, Any] = {"anchors": [[8, -8]], "weight": [[0.0], [1.0]], "bias": [0.0, 0.0]}
    alike = made("mood", ["none", "bad"], **parts)
    both = made("mood", ["none", "bad"], **parts, leaning=[[0.0, 0.0], [-1.0, 1.0]])
    ((one,), (other,)) = (heads.chances("mood", vector(1.0, -1.0)) for heads in (alike, both))
    assert one.by_label["bad"] == pytest.approx(1 / (1 + np.exp(-0.5)), abs=1e-4)
    assert other.by_label["bad"] == pytest.approx(1 / (1 + np.exp(0.5)), abs=1e-4)


def test_an_object_in_the_file_is_not_read() -> None:
    buffer = BytesIO()
    np.savez(buffer, meta=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        TaskHeads(buffer.getvalue())
