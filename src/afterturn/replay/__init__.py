"""Judges stored turns anew under another version or judge, beside the old verdicts, and shows what would change.

Nothing is switched by it: sessions, titles, categories, conclusions, hooks and sinks hear nothing of a replay.
"""

from afterturn.replay._diff import Answers, Band, Diff, Labelled, compare
from afterturn.replay._judged import Labels, NewScores, new_scores
from afterturn.replay._replay import Replay, ReplayCounts, differences

__all__ = [
    "Answers",
    "Band",
    "Diff",
    "Labelled",
    "Labels",
    "NewScores",
    "Replay",
    "ReplayCounts",
    "compare",
    "differences",
    "new_scores",
]
