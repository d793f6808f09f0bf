"""Makes texts of others harmless where they stand in Markdown and in XML."""

from __future__ import annotations

import re

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = re.compile(r"([\\`*_\[\]<>|#&~@])")


def words(text: str) -> str:
    r"""Makes a text one line in which Markdown and HTML mean nothing, and which calls nobody.

    Example:
        >>> words("a|b\n<b> @all")
        'a\\|b &lt;b&gt; \\@all'
    """
    escaped = _MARKS.sub(r"\\\1", " ".join(text.split()))
    return escaped.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def xml_text(text: str) -> str:
    """Replaces what XML cannot hold; marking up is the writer's."""
    return _NOT_XML.sub("\ufffd", text)
