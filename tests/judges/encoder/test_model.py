"""The sentence encoder reads whole texts and gives the same vectors whatever it is asked beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterturn.judges.encoder._load import load_encoder

np = pytest.importorskip("numpy", reason="the local extra is not installed")

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder


def test_windows_cover_every_token_of_a_long_text_and_overlap(encoder: SentenceEncoder) -> None:
    text = " ".join(f"word{number}" for number in range(700))
    windows, whole = encoder.token_windows(text)
    inner = [window[1:-1] for window in windows]
    assert whole
    assert all(len(window) <= 112 for window in windows)
    joined = inner[0]
    for window in inner[1:]:
        assert joined[-32:] == window[:32]
        joined = joined + window[32:]
    short, _ = encoder.token_windows(" ".join(f"word{number}" for number in range(20)))
    assert joined[: len(short[0]) - 2] == short[0][1:-1]
    tail, _ = encoder.token_windows("word699")
    assert joined[-(len(tail[0]) - 2) :] == tail[0][1:-1]


def test_an_endless_text_is_read_from_start_to_end_and_said_not_to_be_whole(
    encoder: SentenceEncoder,
) -> None:
    windows, whole = encoder.token_windows("far " * 20_000 + "end")
    assert (len(windows), whole) == (112, False)
    assert windows[-1][-2] == encoder.token_windows("end")[0][0][1]


def test_what_stands_at_the_end_of_a_long_text_is_found(encoder: SentenceEncoder) -> None:
    text = "The weather was fine and we went for a walk. " * 60 + "My credit card was stolen."
    long_text, wanted = encoder.vectors([text, "stolen credit card"])
    assert len(long_text.windows) > 1
    near = long_text.windows @ wanted.mean
    assert int(near.argmax()) == len(near) - 1


def test_vectors_have_unit_length(encoder: SentenceEncoder) -> None:
    for vectors in encoder.vectors(["", "a refund", "\ud800", "x" * 5000]):
        assert np.allclose(np.linalg.norm(vectors.windows, axis=1), 1, atol=1e-5)
        assert np.isclose(np.linalg.norm(vectors.mean), 1, atol=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours_in_a_batch() -> None:
    texts = ["Billing", "I want to cancel my reservation for Monday", "The place is nice. " * 30, "ok"]
    together = load_encoder().vectors(texts)
    fresh = load_encoder()
    for text, vectors in zip(texts, together, strict=True):
        assert np.allclose(fresh.vectors([text])[0].mean, vectors.mean, atol=1e-5)


def test_meaning_is_near_to_meaning(encoder: SentenceEncoder) -> None:
    card, lost, weather = (v.mean for v in encoder.vectors(["lost card", "I cannot find my bank card", "sunny day"]))
    assert card @ lost > card @ weather
