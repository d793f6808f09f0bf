"""A recorded conversation with a real model, replayed through everything that a live turn goes through."""

from __future__ import annotations

from afterturn.demo._replay import Cost, Replayed, replay

__all__ = ["Cost", "Replayed", "replay"]
