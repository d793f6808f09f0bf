"""Cleans a title that a model wrote: what it should be is a short noun phrase, what comes is often dressed up."""

from __future__ import annotations

import re
import unicodedata

from afterturn.language import without_markers

MAX_TITLE_CHARACTERS = 80

_THINKING = re.compile(
    r"(?s)<(think|thinking|reasoning)>.*?(?:</\1>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)|"
    r"<\|channel\|>[a-z]{1,16}|<\|[^|<>]{1,40}\|>"
)
_PREFIX = re.compile(
    r"(?i)^(?:(?:sure|okay|ok|certainly|voici|hier ist|aquí (?:tienes|está)|here(?:'s| is| are))\b[^:\n]{0,40}:|"
    r"(?:(?:the|a|an|suggested|conversation|chat|le|der|el|il|o)\s+)?"
    r"(?:title|titre|titel|título|titulo|titolo|tytuł|topic|subject|summary|betreff|objet|asunto|oggetto|заголовок|тема|"
    r"标题|主题|タイトル|件名|제목)"
    r"(?:\s+(?:of|for)\s+[^:\n]{0,40})?\s*(?:is\s*[:：]?|[:：]|\s[-–—]))\s*"
)
_MARKDOWN = re.compile(r"^(?:#{1,6}\s+|[-*•>]\s+|\d{1,2}[.)]\s+)|(?<!\w)[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}(?!\w)")
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]{0,15}>|\[/?THINK\]|◁/?think▷")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_QUOTES = "\"'`“”„‟‘’‚«»‹›「」『』《》〈〉＂＇"
_NOTHING = frozenset(
    {
        "null",
        "none",
        "n/a",
        "nil",
        "title",
        "untitled",
        "no title",
        "new chat",
        "new conversation",
        "summary of the turn",
    }
    | {"kein titel", "ohne titel", "sans titre", "aucun titre", "sin título", "sem título", "senza titolo", "无标题"}
)


def clean_title(raw: str, *, instruction: str = "") -> str | None:
    """Cleans a title: one line, no quotes, Markdown, prefix, citation or thinking text, at most 80 characters.

    Args:
        raw: What the judge gave.
        instruction: What it was told; words of it are no title.

    Returns:
        The title, or None where nothing of it is one.

    Example:
        >>> clean_title('Here is a title: **"Refund for a late parcel."**')
        'Refund for a late parcel'
    """
    text = without_markers(_THINKING.sub(" ", raw))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    text = next((line for line in lines if not line.endswith((":", "："))), "")
    previous = None
    while text != previous:  # prefixes, quotes and Markdown come nested in any order
        previous = text
        text = _LINK.sub(r"\1", _TAG.sub("", text))
        text = _MARKDOWN.sub("", text.strip())
        text = _PREFIX.sub("", text)
        text = _unquote(text.strip())
    text = " ".join("".join(map(_visible, text)).split())
    text = _cut(text.rstrip(" .。．,;:、，；："))
    folded = text.casefold()
    named = any(ch.isalnum() for ch in text) and folded not in _NOTHING
    return text if named and not (" " in folded and folded in instruction.casefold()) else None


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    return " " if kind == "Cc" else "" if kind in ("Cf", "Cs", "Co") else character


def _unquote(text: str) -> str:
    """Takes off quotation marks around the whole, and one left over at an end."""
    while text and text[0] in _QUOTES and (text[-1] in _QUOTES or text.count(text[0]) == 1):
        text = text[1:-1] if len(text) > 1 and text[-1] in _QUOTES else text[1:]
        text = text.strip()
    if text and text[-1] in '"”“«»」』' and sum(ch in '"”“«»„「『」』' for ch in text) == 1:
        text = text[:-1].rstrip()
    return text


def _cut(text: str) -> str:
    if len(text) <= MAX_TITLE_CHARACTERS:
        return text
    head = text[: MAX_TITLE_CHARACTERS - 1]
    space = head.rfind(" ")
    return (head[:space] if space > MAX_TITLE_CHARACTERS // 2 else head).rstrip(" ,;:-–—") + "…"
