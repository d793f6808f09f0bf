"""Takes turns in and judges them in the background, in the process of the host."""

from afterturn.worker._hooks import Hooks
from afterturn.worker._ingest import ingest, ingest_many
from afterturn.worker._judging import JudgeTurn
from afterturn.worker._worker import Worker

__all__ = ["Hooks", "JudgeTurn", "Worker", "ingest", "ingest_many"]
