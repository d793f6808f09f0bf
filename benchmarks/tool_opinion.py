"""Makes examples of tool choices that fit or do not, and measures the encoder's opinion on them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tool_rows import GOLD_ONLY, WORKBENCH, as_reply, read

from afterturn.evals import Reply, Row
from afterturn.evals._opinion import Opinion, ToolOpinion
from afterturn.evals._rows import read_row
from afterturn.judges.encoder._load import shared_encoder

ROLES = {"user": "user", "agent": "assistant"}
SEED = 17


@dataclass(frozen=True, kw_only=True)
class Example:
    """Is a reply with whether its tools were well chosen.

    Attributes:
        source: The file that it is of.
        kind: Whose calls they are: a model's, the gold ones, or wrong ones made of those.
        row: The row.
        reply: The reply.
        fits: Whether the tools were well chosen.
    """

    source: str
    kind: str
    row: Row
    reply: Reply
    fits: bool


def examples(split: str) -> Iterator[Example]:
    """Gives WorkBench's outputs, and for the other files the gold calls and wrong ones made of them."""
    for item in read(WORKBENCH, split):
        reply = as_reply(item, item["calls"])
        yield Example(source=WORKBENCH, kind="model", row=_row(item), reply=reply, fits=item["appropriate"])
    chance = random.Random(SEED)
    for source in GOLD_ONLY:
        for item in read(source, split):
            row = _row(item)
            # Without arguments: made calls have none, and a model would learn to tell the two apart by that.
            gold = [{"name": call["name"], "arguments": {}} for call in item["expected_calls"]]
            yield Example(source=source, kind="gold", row=row, reply=as_reply(item, gold), fits=True)
            for kind, calls in _wrong(item, gold, chance):
                yield Example(source=source, kind=kind, row=row, reply=as_reply(item, calls), fits=False)


def opinion(split: str) -> list[dict[str, Any]]:
    """Measures the balanced accuracy of the opinion in each file; saying "appropriate" always has 0.5."""
    judge = ToolOpinion(shared_encoder)
    found: dict[str, list[tuple[bool, bool]]] = {}
    for example in examples(split):
        said: Opinion = judge.opinion(example.row, example.reply)
        found.setdefault(example.source, []).append((example.fits, said.fits))
    return [
        {"rows_of": source, "rows": len(pairs), "balanced": balanced(pairs), "always": 0.5}
        for source, pairs in found.items()
    ]


def balanced(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Gives the mean of the shares of right answers among the right and among the wrong."""
    return (
        sum(
            sum(guess == truth for truth, guess in pairs if truth == label)
            / max(sum(truth == label for truth, _ in pairs), 1)
            for label in (True, False)
        )
        / 2
    )


def _row(item: dict[str, Any]) -> Row:
    said = [turn for turn in item.get("turns", ()) if turn["role"] in ROLES] or [
        {"role": "user", "text": item["request"]}
    ]
    messages = [{"role": ROLES[turn["role"]], "content": turn["text"]} for turn in said]
    return read_row({"id": item["id"], "input": messages})


def _wrong(item: dict[str, Any], gold: list[dict[str, Any]], chance: random.Random) -> Iterator[tuple[str, Any]]:
    """Makes wrong choices: a needed call dropped, a tool that is not needed called besides or instead."""
    wanted = {call["name"] for call in gold}
    others = [tool["name"] for tool in item["tools"] if tool["name"] not in wanted]
    call: Callable[[], dict[str, Any]] = lambda: {"name": chance.choice(others), "arguments": {}}  # noqa: E731
    if others:
        yield "extra", [*gold, call()]
    if gold:
        index = chance.randrange(len(gold))
        yield "dropped", [*gold[:index], *gold[index + 1 :]]
        if others:
            yield "wrong tool", [*gold[:index], call(), *gold[index + 1 :]]
