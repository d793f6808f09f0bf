"""The encoder judge keeps the judge contract: off the loop, the same in parallel, a clear error where files are bad."""

from __future__ import annotations

import asyncio
import builtins
import contextvars
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from afterturn.calls import Answer, Call, Judge, Question
from afterturn.errors import JudgeMissingError, ProviderError
from afterturn.judges.encoder import EncoderJudge
from afterturn.judges.encoder import _load as loading
from afterturn.testing import check_judge

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder, TextVectors
    from afterturn.judges.encoder._task_heads import TaskHeads

MakeCall = Callable[..., Call]


async def test_it_keeps_the_contract_of_a_judge(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    judge = EncoderJudge(encoder)
    assert isinstance(judge, Judge)
    assert (judge.name, judge.location) == ("encoder", "local")
    await check_judge(judge, call=make_call("Where is my order?", "On its way."))


async def test_asks_in_parallel_answer_as_alone(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    names = ("Billing", "Shipping", "Returns")
    calls = [
        make_call(text, "I have noted it.", categories=names, heads=["title", "relevance", "concluded"])
        for text in ("My invoice is wrong", "Where is my parcel?", "I want to send the shoes back", "hello")
    ]
    judge, fresh = EncoderJudge(encoder), EncoderJudge(loading.load_encoder())
    together: Sequence[Answer] = await asyncio.gather(*map(judge.ask, calls), *map(fresh.ask, calls))
    alone = [await judge.ask(call) for call in calls]
    assert list(together) == alone * 2
    await judge.aclose()
    await fresh.aclose()


async def test_a_classifier_without_known_heads_is_named(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    call = make_call("Where is my order?", "On its way.")
    other = Question(classifier="safety", version="1", fields={"labels": {"type": "array"}}, instructions="")
    asked = Call(view=call.view, turn=call.turn, questions=(*call.questions, other), plan=call.plan)
    judge = EncoderJudge(encoder)
    found = await judge.ask(asked)
    assert (found.no_head, set(found.values)) == ({"safety"}, {"title"})
    await judge.aclose()


class _Recording:
    """Notes where it was asked, and answers as the encoder does."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self.heads: TaskHeads = encoder.heads
        self.seen: list[tuple[int, str]] = []

    def vectors(self, texts: Sequence[str]) -> list[TextVectors]:
        self.seen.append((threading.get_ident(), _request.get()))
        return self._encoder.vectors(texts)


_request = contextvars.ContextVar("request", default="none")


async def test_the_work_leaves_the_event_loop_and_keeps_context_variables(
    encoder: SentenceEncoder, make_call: MakeCall
) -> None:
    recording = _Recording(encoder)
    judge = EncoderJudge(recording)
    _request.set("r-1")
    await judge.ask(make_call("Where is my order?", "On its way."))
    assert recording.seen
    assert all(thread != threading.get_ident() and request == "r-1" for thread, request in recording.seen)
    await judge.aclose()


async def test_a_closed_judge_says_so(make_call: MakeCall) -> None:
    judge = EncoderJudge()
    await judge.aclose()
    with pytest.raises(JudgeMissingError, match="closed"):
        await judge.ask(make_call("hi", "hi"))


class _Panic(BaseException):
    """Stands for a panic in a library written in Rust."""


class _Broken:
    @property
    def heads(self) -> TaskHeads:
        raise _Panic

    def vectors(self, texts: Sequence[str]) -> list[TextVectors]:
        raise _Panic(texts[0])


async def test_a_panic_becomes_a_judge_error_without_any_text(make_call: MakeCall) -> None:
    judge = EncoderJudge(_Broken())
    with pytest.raises(ProviderError) as caught:
        await judge.ask(make_call("Where is my secret order?", "On its way."))
    assert caught.value.hint == "the encoder broke (_Panic)"
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    await judge.aclose()


@pytest.mark.parametrize("content", [b"", b"no model at all"])
def test_a_damaged_model_file_is_refused_with_what_to_do(
    encoder: SentenceEncoder, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(JudgeMissingError, match=r"model\.onnx .*damaged.*pip install"):
        loading.load_encoder(model_file=path)


def test_a_missing_model_file_is_refused_with_what_to_do(encoder: SentenceEncoder, tmp_path: Path) -> None:
    with pytest.raises(JudgeMissingError, match=r"pip install 'afterturn\[local\]'"):
        loading.load_encoder(model_file=tmp_path / "none.onnx")


@pytest.mark.parametrize("library", ["onnxruntime", "afterturn_encoder"])
async def test_a_missing_library_is_named_with_what_to_do(
    encoder: SentenceEncoder, make_call: MakeCall, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(loading, "_shared", [])
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(builtins, "__import__", without)
    judge = EncoderJudge()
    with pytest.raises(JudgeMissingError, match=rf"{library} is missing; .*pip install 'afterturn\[local\]'"):
        await judge.ask(make_call("Where is my order?", "On its way."))
    await judge.aclose()


def test_importing_the_judge_loads_nothing_heavy() -> None:
    code = (
        "import sys, afterturn.judges.encoder, afterturn.smalltalk; "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'onnxruntime', 'tokenizers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
