"""Compares the citation stage with a reference that sees the whole text: slow, simple, and written another way."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterturn.stream import StreamFilter

B = "[\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
BREAK = "[\n\r\v\f\x85\u2028\u2029]"
C, A, N, D = "[cCｃＣ]", "[aAａＡ]", "[nNｎＮ]", "[dDｄＤ]"
AND = f"{A}{N}{D}"
ITEM = rf"{C}\d{{1,4}}(?:{B}*[-–—‑]{B}*{C}?\d{{1,4}})?"
BETWEEN = rf"(?:{B}*[;&；]{B}*|{B}*[,，、]{B}*(?:{AND}{B}+)?|{B}+{AND}{B}+|{B}+)"
TRAILING = rf"(?:{B}*[;&；]|{B}*[,，、](?:{B}*{AND})?|{B}+{AND})?"
LIST = rf"{B}*{ITEM}(?:{BETWEEN}{ITEM})*{TRAILING}{B}*"
MARKERS = [
    re.compile(f"{re.escape(o * n)}({LIST}){re.escape(c * n)}") for n in (2, 1) for o, c in ("[]", "【】", "［］")
]
GAP = rf"(?:{B}*[;&；]{B}*|{B}*(?:[,，、]{B}*)?(?:{AND}{B}*)?)"
M = "\ue000"
GROUP = f"{M}(?:{GAP}{M})*"
WRAPPED = rf"\({B}*{GROUP}{B}*\)|（{B}*{GROUP}{B}*）|\*\*{GROUP}\*\*|\*{GROUP}\*|{GROUP}"
GROUPS = re.compile(f"(?:{WRAPPED})+")  # side by side they leave one gap
CLOSING = set(".,;:!?)]}'\"*_~»«’‘”“‛‟›‹–—―…。、，．；：！？）］｝」』】》〉〕，،؛؟۔")

Marks = list[tuple[str, int, int]]


def aliases_of(items: str) -> Iterator[str]:
    for item in re.finditer(rf"{C}(\d{{1,4}})(?:{B}*[-–—‑]{B}*{C}?(\d{{1,4}}))?", items):
        low, high = (None if g is None else "".join(str(int(d)) for d in g) for g in item.groups())
        assert low is not None
        if high is None:
            yield f"c{low}"
        elif 0 < int(high) - int(low) <= 20:
            yield f"c{low}"
            yield from (
                f"c{n}".replace("c", "c" + "0" * (len(low) - len(str(n)))) if low[0] == "0" else f"c{n}"
                for n in range(int(low) + 1, int(high))
            )
            yield f"c{high}"
        else:
            yield from (f"c{low}", f"c{high}")


def marker_at(text: str, at: int) -> re.Match[str] | None:
    for pattern in MARKERS:
        if (found := pattern.match(text, at)) and found.end() - at <= 48:
            return found
    return None


def runs_in(text: str, start: int) -> list[tuple[int, int, int]]:
    """Gives (place, length, length as an opener) of every run of backticks."""
    found = re.finditer(r"(\\*)(`+)", text)
    return [(start + m.start(2), len(m[2]), len(m[2]) - len(m[1]) % 2) for m in found]


def in_inline_code(before: str, after: str) -> bool:
    runs = runs_in(before, -len(before) - 1) + [run for run in runs_in(after, 0) if run[0] <= 120]
    at = 0
    while at < len(runs):
        place, _, opens = runs[at]
        partner = next((n for n in range(at + 1, len(runs)) if opens and runs[n][1] == opens), None)
        if place >= 0:
            return False
        if partner is not None and runs[partner][0] >= 0:
            return True
        at = at + 1 if partner is None else partner + 1
    return False


def pieces(text: str) -> Iterator[str | tuple[str, ...]]:
    """Gives characters that stay, and markers as tuples of aliases."""
    at, line, dropped, fence = 0, "", 0, ""
    while at < len(text):
        line_end = re.compile(f"{BREAK}|\\Z").search(text, at)
        assert line_end
        rest = text[at : line_end.start()]
        if not fence and (found := marker_at(text, at)):
            escaped = (len(line) - len(line.rstrip("\\"))) % 2 == 1
            link = text[at] == "[" and re.compile(r"\]?\(").match(text, found.end())
            if not escaped and link:
                yield from text[at : found.end()]
                line += found[0]
                at = found.end()
                continue
            whole = line + rest
            opens = re.fullmatch(f"(?:{B}|>)*`{{3,}}[^`]*", whole) and "`" in line
            opens = opens or re.match(f"(?:{B}|>)*~~~", line)
            after = text[found.end() : line_end.start()]
            code = opens or in_inline_code(line[dropped:], after)
            if not escaped and not code:
                yield tuple(aliases_of(found[1]))
                line += M
                dropped = len(line)
                at = found.end()
                continue
            if code and not escaped:
                yield from found[0]
                line += found[0]
                at = found.end()
                continue
        yield text[at]
        if re.match(BREAK, text[at]):
            if fence:
                if re.fullmatch(f"(?:{B}|>)*{fence[0]}{{{len(fence)},}}{B}*", line):
                    fence = ""
            elif opening := re.fullmatch(f"(?:{B}|>)*(`{{3,}})[^`]*|(?:{B}|>)*(~{{3,}}).*", line):
                fence = opening[1] or opening[2]
            line, dropped = "", 0
        else:
            line += text[at]
        at += 1


def reference(text: str) -> tuple[str, list[str], Marks]:
    """Cleans a whole text: finds the markers, then groups and wrappers, then joins what is left."""
    found = list(pieces(text))
    items = [piece for piece in found if isinstance(piece, tuple)]
    coded = "".join(M if isinstance(piece, tuple) else piece for piece in found)
    out, at, marks = "", 0, list[tuple[str, int, int]]()
    for group in GROUPS.finditer(coded):
        out += coded[at : group.start()]
        at = group.end()
        left = re.search(f"{B}*\\Z", out)
        right = re.compile(f"{B}*").match(coded, at)
        assert left
        assert right
        before, following = out[: left.start()], coded[right.end() : right.end() + 1]
        if not before or re.match(BREAK, before[-1]):
            place, at = out, right.end()
        elif right[0] or not following or re.match(BREAK, following) or following in CLOSING:
            place = out = before
        else:
            place = out
        for _ in range(group[0].count(M)):
            units = len(place.encode("utf-16-le")) // 2
            marks += [(alias, len(place), units) for alias in items.pop(0)]
    return out + coded[at:], list(dict.fromkeys(alias for alias, _, _ in marks)), marks


PARTS = [
    *(
        "[c1]",
        "[c2, c3]",
        "[[c1]]",
        "【c2】",
        "［c3］",
        "[c1-c3]",
        "[c1–4]",
        "[C2 ; c3]",
        "[c1 and c2]",
        "[c1, and c2]",
    ),
    *("[", "]", "【", "】", "［", "］", "[[", "]]", "c", "c1", "1", "23", "and", "And", ",", ";", "&", "、", "-", "–"),
    *(" ", "  ", "\t", "\u00a0", "\u3000", "\n", "\r\n", "\n\n", "\u2028"),
    *("(", ")", "（", "）", "*", "**", "***", "_", "~", "~~~", "`", "``", "```", "````", "\\", ">", "> "),
    *(
        "word",
        "x",
        ".",
        ",",
        "!",
        "。",
        "“",
        "”",
        "—",
        "](",
        "](u)",
        "(u)",
        "文字",
        "😀",
        "é",
        "٣",
        "ｃ",
        "２",
        "ａｎｄ",
    ),
    *("y" * 60, " " * 44, "c1, " * 11, "```py\n", "~~~\n"),
]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=24).map("".join)
EXAMPLES = int(os.environ.get("AFTERTURN_FUZZ_EXAMPLES", "400"))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_the_citation_stage_gives_what_the_reference_gives(text: str) -> None:
    chain = StreamFilter(aliases=[])
    clean = chain.feed(text) + chain.close()
    assert (clean, chain.unknown, [tuple(mark) for mark in chain.marks]) == reference(text)
