"""Asks any provider's model, through pydantic-ai's direct API, one call for all questions of a view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from afterturn import failopen
from afterturn.calls import Answer, Call, Location
from afterturn.errors import ConfigError, JudgeError, ProviderError
from afterturn.judges._client import Address, Client, profile_of
from afterturn.judges._faults import is_server_error, judge_error, refusal_of
from afterturn.judges._ladder import Form, first_form, form_for_broken_mode, next_form, remember
from afterturn.judges._logprobs import told_confidence
from afterturn.judges._parse import Finish, json_text, parse_reply
from afterturn.judges._prompt import render
from afterturn.judges._quiet import quiet
from afterturn.judges._request import Request
from afterturn.judges._schema import WireSchema, wire_schema
from afterturn.judges.dialects import Dialect
from afterturn.verdicts import Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

MOST_REQUESTS = 8
"""Requests that one question may cost on an endpoint whose refusals are not known yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reply:
    text: str
    finish: Finish
    usage: Usage
    logprobs: object


class ModelJudge:
    """Judges with a language model named as pydantic-ai names it.

    Args:
        name: `provider:model`, e.g. `openai:gpt-4o-mini`. `openai:` with `base_url` (or `OPENAI_BASE_URL`) asks any
            OpenAI-compatible server: vLLM, llama.cpp, Ollama.
        base_url: Address of the server; by default the environment's or the provider's own.
        api_key: The key; by default the environment's. A server of one's own needs none.
        timeout_s: Seconds that one request may take.

    Raises:
        ConfigError: The name is not of the form `provider:model`.

    Example:
        >>> ModelJudge("openai:some-model", base_url="http://127.0.0.1:8080/v1").location
        'local'
    """

    def __init__(
        self, name: str, *, base_url: str | None = None, api_key: str | None = None, timeout_s: float = 20.0
    ) -> None:
        provider, colon, model = name.partition(":")
        if not (provider and colon and model):
            raise ConfigError("a model judge is named provider:model, e.g. openai:gpt-4o-mini")
        self._address = Address(provider=provider, model=model, base_url=base_url, api_key=api_key)
        self._client = Client(self._address)
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """`provider:model`; of a model that is a file, the file's name."""
        model = self._address.model
        path = model.startswith(("/", "~", ".")) or "\\" in model
        return f"{self._address.provider}:{model.replace(chr(92), '/').rsplit('/', 1)[-1] if path else model}"

    @property
    def location(self) -> Location:
        """`local` where the server is on this machine, else `remote`."""
        return "local" if self._address.is_local else "remote"

    async def ask(self, call: Call) -> Answer:
        """Answers a call, climbing down the dialect's ladder where the provider refuses the form.

        Raises:
            JudgeError: With the code of what went wrong, and no word of the conversation or the reply.
        """
        failure: JudgeError | None = None
        try:
            return await self._ask(call)
        except BaseException as error:  # dependencies raise BaseException, too; swallows() decides
            if not failopen.swallows(error):
                raise
            failure = judge_error(error, self._address.provider)
        failure.__cause__ = failure.__context__ = None
        raise failure  # here, so that nothing of the provider's error stays in its context

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def _ask(self, call: Call) -> Answer:
        wire, prompt = wire_schema(call), render(call)
        model = await self._client.model()
        profile, dialect = profile_of(model), self._address.dialect
        endpoint = (self._address.provider, self._address.model, self._address.effective_base_url or "")
        form = first_form(endpoint, native=bool(profile.get("supports_json_schema_output")), dialect=dialect)
        broken: BaseException | None = None
        for _ in range(MOST_REQUESTS):
            request = Request.of(form, dialect, profile, wire=wire, prompt=prompt, timeout_s=self._timeout_s)
            try:
                reply = await _send(model, request)
            except BaseException as error:  # _another() raises it again unless another form may help
                form, broken = _another(error, broken, form, dialect, request)
                continue
            remember(endpoint, form)
            return _answer(reply, request, wire)
        raise ProviderError("the provider refused every form of the request")


def _another(
    error: BaseException, broken: BaseException | None, form: Form, dialect: Dialect, request: Request
) -> tuple[Form, BaseException | None]:
    """Finds the form to try after an error.

    Args:
        error: What sending raised.
        broken: The server's 500 that made this request a probe, or None. A probe that fails proves an outage.
        form: The form that was sent.
        dialect: The dialect.
        request: The request that was sent.

    Returns:
        The form, and the error that makes it a probe, if it is one.

    Raises:
        BaseException: The error, where no other form helps.
    """
    if not failopen.swallows(error):
        raise error
    if broken is not None:
        raise broken
    words = refusal_of(error)
    following = next_form(form, dialect, sent=request.sent, refusal=words) if words is not None else None
    if following is not None:
        return following, None
    probe = form_for_broken_mode(form, dialect) if is_server_error(error) else None
    if probe is not None:
        return probe, error
    raise error


async def _send(model: Model, request: Request) -> _Reply:
    from pydantic_ai.direct import model_request
    from pydantic_ai.settings import ModelSettings

    settings = {key: value for key, value in request.settings.items() if key not in model.unsupported_settings}
    with quiet():  # here, since opening the model has just imported the libraries and made their loggers
        response = await model_request(
            model,
            request.messages(),
            model_settings=cast(ModelSettings, settings),
            model_request_parameters=request.parameters(),
            instrument=False,  # its spans would hold the messages
        )
    return _reply(response)


def _reply(response: ModelResponse) -> _Reply:
    from pydantic_ai.messages import TextPart

    details = response.provider_details or {}
    finish: Finish = "stop"
    if response.finish_reason == "content_filter" or details.get("refusal"):
        finish = "refusal"
    elif response.finish_reason == "length":
        finish = "length"
    return _Reply(
        text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
        finish=finish,
        usage=Usage(
            input_tokens=response.usage.input_tokens or None, output_tokens=response.usage.output_tokens or None
        ),
        logprobs=details.get("logprobs"),
    )


def _answer(reply: _Reply, request: Request, wire: WireSchema) -> Answer:
    values = parse_reply(reply.text, finish=reply.finish)
    return Answer(
        values=wire.decode(values),
        confidence=told_confidence(json_text(reply.text), wire.schema, reply.logprobs),
        usage=reply.usage,
        params=request.params,
    )
