"""Reads human language just enough for rules: words in any script, sentences, function words, tables of phrases."""

from afterturn.language._human import asks_for_human
from afterturn.language._model import ngrams, probability
from afterturn.language._names import language_name
from afterturn.language._tables import Phrase, lines, phrases
from afterturn.language._text import (
    QUESTION_MARKS,
    Token,
    fold,
    grouped,
    is_cjk,
    plain,
    sentences,
    tokens,
    without_markers,
    words,
)
from afterturn.language._words import content_tokens, languages, may_hold, stems, weight

__all__ = [
    "QUESTION_MARKS",
    "Phrase",
    "Token",
    "asks_for_human",
    "content_tokens",
    "fold",
    "grouped",
    "is_cjk",
    "language_name",
    "languages",
    "lines",
    "may_hold",
    "ngrams",
    "phrases",
    "plain",
    "probability",
    "sentences",
    "stems",
    "tokens",
    "weight",
    "without_markers",
    "words",
]
