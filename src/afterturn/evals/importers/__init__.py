"""Datasets of other tools as rows: Inspect, promptfoo, deepeval, OpenAI evals, and finished turns."""

from __future__ import annotations

from afterturn.evals.importers._base import Importer
from afterturn.evals.importers._open import OWN, detect, format_names, open_importer

__all__ = ["OWN", "Importer", "detect", "format_names", "open_importer"]
