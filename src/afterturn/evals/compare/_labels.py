"""Reads what people say of the replies of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from afterturn._unreadable import why_unreadable
from afterturn.errors import UnreadableInputError


@dataclass(frozen=True, kw_only=True, slots=True)
class HumanLabel:
    """Is what one person says of one reply: a score, or whether it passes."""

    row: str
    repeat: int
    rater: str
    score: int | None
    passed: bool | None

    def passes(self, threshold: int) -> bool:
        """Whether the reply is good enough: what was said, or whether the score reaches the threshold."""
        return self.passed if self.passed is not None else (self.score or 0) >= threshold


def read_human_labels(path: Path, tell: Callable[[str], None]) -> Iterator[HumanLabel]:
    """Reads labels, JSONL: `{"row", "score" or "pass", "rater", "repeat"}`; the last two may be missing.

    Args:
        path: The file.
        tell: Is told of each line that is no label, which is passed over.

    Raises:
        UnreadableInputError: The file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    found = _label(line)
                    if isinstance(found, str):
                        tell(f"{path}:{number}: {found}")
                    else:
                        yield found
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInputError(f"{path} cannot be read: {why_unreadable(error)}") from None


def _label(line: str) -> HumanLabel | str:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return "no JSON; write one object a line"
    if not isinstance(value, dict):
        return 'no object; write {"row": …, "score": …}'
    fields = cast(dict[str, Any], value)
    row, repeat, rater = fields.get("row"), fields.get("repeat", 1), fields.get("rater", "")
    score, passed = fields.get("score"), fields.get("pass")
    if not isinstance(row, str) or type(repeat) is not int or not isinstance(rater, str):
        return "`row` and `rater` are texts, `repeat` is a number"
    if score is not None and (type(score) is not int or not 0 <= score <= 100):
        return "`score` is no integer from 0 to 100"
    if passed is not None and not isinstance(passed, bool):
        return "`pass` is neither true nor false"
    if score is None and passed is None:
        return "there is neither `score` nor `pass`"
    return HumanLabel(row=row, repeat=repeat, rater=rater, score=score, passed=passed)
