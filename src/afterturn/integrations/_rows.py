"""Makes a row of what another tool calls a case or a sample, opens the judge and asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from afterturn.calls import Judge
from afterturn.errors import JudgeError
from afterturn.evals import Grader, Reply, Row, Score, read_row
from afterturn.evals._faults import told_safely
from afterturn.formats import dump_json, to_plain

_OURS = ("criteria", "context", "tools")
_DEADLINE_S = 120.0
"""What `afterturn eval run` gives a judge for a row: its own default is for live turns, and far shorter."""


def row_of(asked: object, expected: object, metadata: object) -> Row:
    """Makes a row.

    Args:
        asked: A text or chat messages; anything else is written as JSON.
        expected: What a right reply holds, or None.
        metadata: May hold `criteria`, `context` and `tools`, which rubrics read; all of it stays metadata.

    Example:
        >>> row_of("1+1?", "2", {"criteria": "short"}).criteria
        ('short',)
    """
    known: Mapping[str, Any] = cast(Mapping[str, Any], metadata) if isinstance(metadata, Mapping) else {}
    wire: dict[str, Any] = {name: known[name] for name in _OURS if known.get(name)}
    wire["input"] = asked if isinstance(asked, str) or _is_chat(asked) else dump_json(to_plain(asked))
    if expected is not None:
        wire["expected"] = to_plain(expected)
    return read_row(wire)


def _is_chat(asked: object) -> bool:
    if not isinstance(asked, list) or not asked:
        return False
    return all(isinstance(one, Mapping) and "role" in one for one in cast(list[object], asked))


def opened_judge(judge: Judge | str) -> Judge:
    """Gives a judge, or the one that has the name, with the time that evals give."""
    from afterturn.judges import open_judge

    return open_judge(judge, deadline_s=_DEADLINE_S) if isinstance(judge, str) else judge


async def graded(grader: Grader, row: Row, reply: Reply) -> Score:
    """Scores a reply for a tool that stores what is raised: secrets are taken out of it, and nothing hangs on it.

    Raises:
        JudgeError: As the judge raised it, but for secrets.
    """
    try:
        return await grader.grade(row, reply)
    except JudgeError as error:
        error.hint = told_safely(error.hint)
        error.args = (error.hint,)
        raised = error
    raised.__context__ = raised.__cause__ = None  # the library's own error may hold the request
    raise raised
