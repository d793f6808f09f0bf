"""Asks a GGUF model in this process, through llama.cpp's own server code (`xllamacpp`): no key, no text leaves.

One model, one request at a time, one decoding thread by default: with as many threads as cores, every step waits for
the slowest core, and this work stands behind the conversation.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any, cast

from afterturn import failopen
from afterturn.calls import Answer, Call, Location
from afterturn.errors import JudgeError, ProviderError
from afterturn.judges._faults import missing
from afterturn.judges._llama_reply import Gathered
from afterturn.judges._logprobs import told_confidence
from afterturn.judges._parse import json_text, parse_reply
from afterturn.judges._prompt import Prompt, render
from afterturn.judges._request import OBJECT_NAME, TOP_LOGPROBS
from afterturn.judges._schema import WireSchema, wire_schema
from afterturn.judges.dialects.compatible import grammar
from afterturn.turns import JsonObject, JsonValue
from afterturn.verdicts import JudgeParams, Usage


class LlamaJudge:
    """Judges with a GGUF file in this process.

    The model loads at the first question, in a thread of its own that also decodes. A call that is cancelled stops
    decoding at its next token.

    Args:
        path: The GGUF file.
        threads: Decoding threads.
        context_tokens: How long prompt and answer may be together.
    """

    def __init__(self, path: str | os.PathLike[str], *, threads: int = 1, context_tokens: int = 8_192) -> None:
        self._path = Path(path).expanduser()
        self._threads = threads
        self._context_tokens = context_tokens
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="afterturn-llama")
        self._server: Any = None
        self._closed = False

    @property
    def name(self) -> str:
        """`llama:` and the file's name."""
        return f"llama:{self._path.name}"

    @property
    def location(self) -> Location:
        """Always `local`."""
        return "local"

    async def ask(self, call: Call) -> Answer:
        """Answers one call after those before it.

        Raises:
            JudgeError: With the code of what went wrong; `judge_missing` where package or file are.
        """
        failure: JudgeError | None = None
        try:
            return await self._ask(call)
        except BaseException as error:  # the library may raise anything; swallows() decides
            if not failopen.swallows(error):
                raise
            failure = error if isinstance(error, JudgeError) else ProviderError(f"{type(error).__name__} in llama.cpp")
        failure.__cause__ = failure.__context__ = None
        raise failure  # here, so that nothing of the library's error stays in its context

    async def aclose(self) -> None:
        """Frees the model, after the call that runs."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._worker, self._free)
        self._worker.shutdown(wait=False)

    async def _ask(self, call: Call) -> Answer:
        if self._closed:
            raise missing("this judge is closed; open it again")
        wire, prompt = wire_schema(call), render(call)
        stop = Event()
        work = asyncio.get_running_loop().run_in_executor(self._worker, self._decode, wire, prompt, stop)
        try:
            reply = await asyncio.shield(work)
        except asyncio.CancelledError:
            stop.set()  # the thread sees it at its next token
            work.add_done_callback(_forget)
            raise
        return _answer(reply, wire, prompt)

    def _decode(self, wire: WireSchema, prompt: Prompt, stop: Event) -> Gathered:
        """Runs in the worker thread."""
        gathered = Gathered()
        if stop.is_set():
            return gathered
        if self._server is None:
            self._server = _load(self._path, threads=self._threads, context_tokens=self._context_tokens)

        def take(chunk: Mapping[str, JsonValue]) -> bool:
            gathered.add(chunk)
            return stop.is_set()

        handle = cast(Callable[[JsonObject, Callable[..., bool]], object], self._server.handle_chat_completions)
        handle(_body(wire, prompt), take)
        return gathered

    def _free(self) -> None:
        self._server = None


def _body(wire: WireSchema, prompt: Prompt) -> dict[str, JsonValue]:
    return {
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "temperature": 0,
        "max_tokens": prompt.max_tokens,
        "logprobs": True,
        "top_logprobs": TOP_LOGPROBS,
        "chat_template_kwargs": {"enable_thinking": False},
        "stream": True,
        "stream_options": {"include_usage": True},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": OBJECT_NAME, "schema": grammar(wire.schema), "strict": True},
        },
    }


def _answer(reply: Gathered, wire: WireSchema, prompt: Prompt) -> Answer:
    if reply.error_status is not None:
        raise ProviderError(f"llama.cpp answered {reply.error_status}; is the prompt longer than the context?")
    values = parse_reply(reply.text, finish=reply.finish)
    return Answer(
        values=wire.decode(values),
        confidence=told_confidence(json_text(reply.text), wire.schema, reply.logprobs),
        usage=Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens),
        params=JudgeParams(temperature=0.0, max_tokens=prompt.max_tokens, response_format="json_schema"),
    )


def _load(path: Path, *, threads: int, context_tokens: int) -> Any:
    if not path.is_file():
        raise missing("no GGUF file at the path of this judge; give llama:PATH of one")
    # OpenMP workers that spin between two steps would eat the core of everything else.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        library: Any = importlib.import_module("xllamacpp")
    except ImportError:
        library = None
    if library is None:
        raise missing("xllamacpp is not installed; pip install 'afterturn[llm]'")
    params = library.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.ui = False
    params.verbosity = -1  # its log holds prompts
    # The library always opens a port on the loopback address; nobody else may use the model through it.
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [secrets.token_hex(32)]
    try:
        return library.Server(params)
    except RuntimeError:
        pass
    raise missing("the file is no model that llama.cpp can load; check it")


def _forget(work: asyncio.Future[Gathered]) -> None:
    """Takes the result of an abandoned call, so that nobody complains that nobody did."""
    if not work.cancelled():
        work.exception()
