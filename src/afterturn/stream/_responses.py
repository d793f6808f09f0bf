"""Reads the events of OpenAI's responses, which name what they carry by their type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from afterturn.stream._pieces import Broken, Called, Piece, Said, Started, Stopped, Thought, get, number_of, text_of

RESPONSE = "response."


def response_event(event: object, kind: str) -> Iterator[Piece]:
    """Reads one event; most of them repeat what came before, and say nothing new."""
    read = _READ.get(kind.removeprefix(RESPONSE))
    if read is not None:
        yield from read(event)


def _began(event: object) -> Iterator[Piece]:
    yield Started(text_of(get(get(event, "response"), "id")))


def _said(event: object) -> Iterator[Piece]:
    yield Said(text_of(get(event, "delta")))


def _refused(event: object) -> Iterator[Piece]:
    yield Said(text_of(get(event, "delta")), refusal=True)


def _thought(event: object) -> Iterator[Piece]:
    yield Thought(text_of(get(event, "delta")))


def _item(event: object) -> Iterator[Piece]:
    item = get(event, "item")
    if text_of(get(item, "type")) == "function_call":
        call_id = text_of(get(item, "call_id")) or text_of(get(item, "id"))
        yield Called(number_of(get(event, "output_index")), call_id, text_of(get(item, "name")))


def _arguments(event: object) -> Iterator[Piece]:
    yield Called(number_of(get(event, "output_index")), arguments=text_of(get(event, "delta")))


def _ended(event: object) -> Iterator[Piece]:
    yield Stopped("stop")


def _cut(event: object) -> Iterator[Piece]:
    yield Stopped(text_of(get(get(get(event, "response"), "incomplete_details"), "reason")) or "length")


def _failed(event: object) -> Iterator[Piece]:
    yield Broken()


_READ: Mapping[str, Callable[[object], Iterator[Piece]]] = {
    "created": _began,
    "output_text.delta": _said,
    "refusal.delta": _refused,
    "reasoning_text.delta": _thought,
    "reasoning_summary_text.delta": _thought,
    "output_item.added": _item,
    "function_call_arguments.delta": _arguments,
    "completed": _ended,
    "incomplete": _cut,
    "failed": _failed,
}
