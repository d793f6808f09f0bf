"""Takes turns in and judges them in the background, in the process of the host."""

from afterturn.worker._hooks import Hooks
from afterturn.worker._ingest import ingest, ingest_many, same_as_stored
from afterturn.worker._judging import Broken, JudgeTurn, judged
from afterturn.worker._worker import Worker

__all__ = ["Broken", "Hooks", "JudgeTurn", "Worker", "ingest", "ingest_many", "judged", "same_as_stored"]
