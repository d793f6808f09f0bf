"""The questions asked about a turn, one file each. Each is data; `run` plans, asks and reads them.

A new question is a new file here and one name in `BUILT_IN`; the host's own go to `Afterturn(classifiers=…)`.
"""

from __future__ import annotations

from afterturn.classifiers._base import Checked, Classifier, Reading, list_of, nullable
from afterturn.classifiers._views import Views, project, shorten
from afterturn.classifiers.blocked_topics import BLOCKED_TOPICS, topic_opinion
from afterturn.classifiers.conclusion import CONCLUSION
from afterturn.classifiers.conversation import CONVERSATION
from afterturn.classifiers.frustration import AI_FRUSTRATION
from afterturn.classifiers.injection import INJECTION, message_of, second_pass
from afterturn.classifiers.safety import SAFETY
from afterturn.classifiers.scope_drift import SCOPE_DRIFT
from afterturn.classifiers.sources import SOURCES

__all__ = [
    "AI_FRUSTRATION",
    "BLOCKED_TOPICS",
    "BUILT_IN",
    "CONCLUSION",
    "CONVERSATION",
    "INJECTION",
    "SAFETY",
    "SCOPE_DRIFT",
    "SOURCES",
    "Checked",
    "Classifier",
    "Reading",
    "Views",
    "list_of",
    "message_of",
    "nullable",
    "project",
    "second_pass",
    "shorten",
    "topic_opinion",
]

BUILT_IN: tuple[Classifier, ...] = (CONVERSATION, SOURCES, CONCLUSION, SAFETY, AI_FRUSTRATION, SCOPE_DRIFT)
"""The classifiers that are on by default, in the order in which their fields are asked.

Where a policy blocks topics, `blocked_topics` is on as well."""
