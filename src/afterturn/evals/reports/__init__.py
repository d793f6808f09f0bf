"""Writes a run for others to read: HTML to look into, JUnit for CI, Markdown for a pull request, JSONL for analysis."""

from __future__ import annotations

from afterturn.evals.reports._open import open_writer, report_formats

__all__ = ["open_writer", "report_formats"]
