"""Answers the questions of a call with the local encoder: one head a field, off the event loop."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from afterturn.calls import Answer, Call, Location
from afterturn.errors import JudgeError, JudgeMissingError, ProviderError
from afterturn.failopen import swallows
from afterturn.judges.encoder._load import INSTALL_HINT, shared_encoder

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import Embedder

T = TypeVar("T")


class EncoderJudge:
    """Is the judge that needs no LLM: it answers by similarity and rules, and no text leaves the machine.

    Args:
        model: What gives the vectors; None means the packaged encoder, loaded at the first question and shared by
            all judges of the process.

    Example:
        >>> judge = EncoderJudge()
        >>> judge.name, judge.location
        ('encoder', 'local')
    """

    name: str = "encoder"
    location: Location = "local"

    def __init__(self, model: Embedder | None = None) -> None:
        self._model = model
        self._closed = False
        # One thread: the work is CPU work, and a second one would only take from the agent that runs beside it.
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="afterturn-encoder")

    async def ask(self, call: Call) -> Answer:
        """Answers one call.

        Raises:
            JudgeMissingError: Where the encoder is not installed or damaged, or the judge was closed.
            ProviderError: Where the encoder broke; only the error's class is told.
        """
        return await self._off_loop(lambda: self._answer(call))

    async def aclose(self) -> None:
        """Lets go of the worker thread; asking after it is an error."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _off_loop(self, work: Callable[[], T]) -> T:
        """Runs work in the thread, with the caller's context variables."""
        if self._closed:
            raise JudgeMissingError("the encoder judge was closed; make a new one")
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: context.run(work))

    def _answer(self, call: Call) -> Answer:
        failure: JudgeError
        try:
            from afterturn.judges.encoder._heads import answer

            return answer(call, self._model or shared_encoder())
        except ImportError as error:
            failure = JudgeMissingError(f"{error.name or 'a library'} is missing; {INSTALL_HINT}")
        except JudgeError:
            raise
        except BaseException as error:  # a tokenizer's panic derives from BaseException; swallows() decides
            if not swallows(error):
                raise
            failure = ProviderError(f"the encoder broke ({type(error).__name__})")
        raise failure  # outside the handler: the cause may quote what was judged, so it is not chained
