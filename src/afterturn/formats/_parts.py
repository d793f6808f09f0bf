"""Reads the content of a message where it is a list of parts."""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.formats._problem import wrong_type
from afterturn.formats._values import is_list, is_object
from afterturn.turns import JsonValue, Role

_TEXT_TYPES = ("text", "input_text", "output_text")


def read_content(content: JsonValue, role: Role, path: str) -> tuple[str, tuple[JsonValue, ...]]:
    """Reads the `content` of a message: a string, a list of parts, one part, or null.

    Returns:
        The text, and the parts as they came (empty for a string).
    """
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    parts = (content,) if is_object(content) else content
    if not is_list(parts):
        raise wrong_type(path, content, "a string, a list of parts, or null")
    return text_of(parts, role), tuple(parts)


def text_of(parts: Sequence[JsonValue], role: Role) -> str:
    """Joins the text parts of a message.

    An assistant's text parts that follow each other are one text, cut where a citation begins or ends, and are joined
    without anything between. Everybody else's parts, and parts with something else between them, stand on lines of
    their own.
    """
    pieces: list[str] = []
    adjacent = False
    for part in parts:
        text = part_text(part)
        if text is None:
            adjacent = False
            continue
        if pieces and not (adjacent and role == "assistant"):
            pieces.append("\n")
        pieces.append(text)
        adjacent = True
    return "".join(pieces)


def part_text(part: JsonValue) -> str | None:
    """Takes the text of a text part; None for any other part."""
    if isinstance(part, str):
        return part
    if not is_object(part) or part.get("type", "text") not in _TEXT_TYPES:
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None


def part_refusal(part: JsonValue) -> str | None:
    """Takes the text of a refusal part; None for any other part."""
    if not is_object(part) or part.get("type") != "refusal":
        return None
    refusal = part.get("refusal")
    return refusal if isinstance(refusal, str) else None


def refusal_of(parts: Sequence[JsonValue]) -> str | None:
    """Joins the refusal parts of a message; None where there is none."""
    found = [refusal for part in parts if (refusal := part_refusal(part))]
    return "\n".join(found) if found else None


def without_gaps(kept: Sequence[JsonValue | None], *, by_assistant: bool) -> list[JsonValue]:
    """Closes the gaps (None) of blocks that were taken out, so that the text of the rest still reads the same."""
    content: list[JsonValue] = []
    gap = False
    for block in kept:
        if block is None:
            gap = True
            continue
        if gap and by_assistant and content and part_text(block) is not None:
            content[-1] = _with_line_break(content[-1])
        content.append(block)
        gap = False
    return content


def _with_line_break(part: JsonValue) -> JsonValue:
    """Ends the text of a text part with a line break, where a part that followed it is taken out of the list."""
    text = part_text(part)
    if text is None:
        return part
    return {**part, "text": f"{text}\n"} if is_object(part) else f"{text}\n"
