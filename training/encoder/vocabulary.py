"""Chooses the pieces of the vocabulary that stay: 250,000 are most of the model, and most are of other languages.

Weighed are the pieces of frequent words of sixteen languages (`wordfreq`), a little those of a dozen more, interface
texts, and the training texts. Single characters that occur anywhere stay, so that other words can be spelled.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import wordfreq
from base import Weights, tokenizer

PIECES = 54_000
MAIN = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "zh", "ja", "ko"]
OTHERS = ["sv", "da", "nb", "cs", "ro", "el", "he", "fa", "id", "vi", "fi", "hu", "ca", "bg"]
_WITHOUT_CASE = frozenset(("zh", "ja", "ko", "hi", "ar", "he", "fa"))
_SPECIAL = 4


def choose(weights: Weights, ui: dict[str, list[str]], texts: list[str], folder: Path) -> list[int]:
    """Gives the numbers of the pieces that stay, and writes them to `keep.json` and the tokenizer to `tokenizer.json`.

    Args:
        weights: The model.
        ui: Sentences by language.
        texts: Training texts.
        folder: Where to write.
    """
    whole = tokenizer(weights.pieces)
    use = np.zeros(len(weights.pieces))

    def count(text: str, weight: float) -> None:
        for number in whole.encode(text, add_special_tokens=False).ids:
            use[number] += weight

    for language in (*MAIN, *OTHERS):
        main = language in MAIN
        for rank, word in enumerate(wordfreq.top_n_list(language, 60_000 if main else 12_000, wordlist="best")):
            weight = (2.0 if language == "en" else 1.0 if main else 0.25) / (rank + 30)
            for form in {word} if language in _WITHOUT_CASE else {word, word.capitalize()}:
                count(form, weight)
    for language, sentences in ui.items():
        for sentence in sentences:
            count(sentence, 8e-6 if language in ("zh", "ja", "ko", "ru") else 4e-6)
    for text in texts:
        count(text[:2_000], 3e-8)
    single = {at for at, (piece, _) in enumerate(weights.pieces) if len(piece) == 1 and use[at] > 0}
    keep = sorted({*range(_SPECIAL), *map(int, np.argsort(-use)[:PIECES]), *single})
    (folder / "keep.json").write_text(json.dumps(keep))
    tokenizer([weights.pieces[at] for at in keep]).save(str(folder / "tokenizer.json"))
    return keep
