"""Puts a span around a call: ids, enums and numbers, the class of an error and never its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterturn import failopen
from afterturn.calls import Answer, Call
from afterturn.judges.wrap._base import Around

if TYPE_CHECKING:
    from opentelemetry.trace import Span

SPAN = "afterturn.judge"


class Trace(Around):
    """Traces each call with OpenTelemetry; does nothing where no SDK is set up. Put it outermost."""

    async def ask(self, call: Call) -> Answer:
        """Answers a call inside a span.

        Raises:
            JudgeError: Whatever the judge inside raised.
        """
        from opentelemetry import trace  # here, since importing afterturn must stay light

        tracer = trace.get_tracer("afterturn")
        # An exception's message and stack hold what was judged, so the SDK must not record it.
        with tracer.start_as_current_span(SPAN, record_exception=False, set_status_on_exception=False) as span:
            span.set_attributes(_ids(self.name, self.location, call))
            try:
                answer = await self._judge.ask(call)
            except BaseException as error:
                _mark(span, error)
                raise
            span.set_attributes(_numbers(answer))
            return answer


def _ids(judge: str, location: str, call: Call) -> dict[str, str | list[str]]:
    return {
        "afterturn.judge": judge,
        "afterturn.judge.location": location,
        "afterturn.view": call.view,
        "afterturn.plan": call.plan,
        "afterturn.tenant": call.turn.tenant,
        "afterturn.agent": call.turn.agent.id,
        "afterturn.session": call.turn.session,
        "afterturn.turn": call.turn.id,
        "afterturn.classifiers": [question.classifier for question in call.questions],
    }


def _numbers(answer: Answer) -> dict[str, str | int | float]:
    found = {
        "afterturn.response_format": answer.params.response_format,
        "afterturn.temperature": answer.params.temperature,
        "afterturn.max_tokens": answer.params.max_tokens,
        "gen_ai.usage.input_tokens": answer.usage.input_tokens,
        "gen_ai.usage.output_tokens": answer.usage.output_tokens,
        "afterturn.unsure": len(answer.unsure),
    }
    return {key: value for key, value in found.items() if value is not None}


def _mark(span: Span, error: BaseException) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", type(error).__name__)
    code = getattr(error, "code", None)
    if isinstance(code, str):
        span.set_attribute("afterturn.error.code", code)
    if failopen.swallows(error):  # a cancelled call is no failure of the judge
        span.set_status(StatusCode.ERROR)
