"""Assertions: what must hold of a reply, without a judge."""

from __future__ import annotations

from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._open import assertion_names, check_row, open_assertion, own_assertions

__all__ = ["Assertion", "assertion_names", "check_row", "open_assertion", "own_assertions"]
