"""Turns whatever a provider library raises into a judge's error, without a word of what it says.

Messages and bodies of these errors hold the request or the reply. Only class names and status codes get out.
"""

from __future__ import annotations

from afterturn.errors import (
    JudgeError,
    JudgeMissingError,
    JudgeTimeoutError,
    ProviderError,
    RateLimitedError,
    RefusedError,
)

_REFUSAL_STATUS = (400, 422, 501)


def refusal_of(error: BaseException) -> str | None:
    """The provider's words, in lower case, where it refused the form of the request, else None.

    They are for looking through only.
    """
    from pydantic_ai.exceptions import ModelContextWindowExceededError, ModelHTTPError

    if not isinstance(error, ModelHTTPError) or isinstance(error, ModelContextWindowExceededError):
        return None
    if error.status_code not in _REFUSAL_STATUS or _category(error) is not None:
        return None
    words = str(error.body).lower()
    return None if "exceed_context_size" in words else words


def is_server_error(error: BaseException) -> bool:
    """Says whether the server answered exactly 500, as one build does to a schema it cannot take."""
    from pydantic_ai.exceptions import ModelHTTPError

    return isinstance(error, ModelHTTPError) and error.status_code == 500


def judge_error(error: BaseException, provider: str) -> JudgeError:
    """The judge's error for anything that asking raised.

    Args:
        error: What was raised, cancellation excepted.
        provider: Name of the provider, for the hint.
    """
    if isinstance(error, JudgeError):
        return error
    if isinstance(error, ImportError):
        return missing(f"the library for {provider} is not installed; pip install '{_package(provider)}'")
    if isinstance(error, TimeoutError):
        return JudgeTimeoutError("the provider did not answer in time", transient=False)
    return _model_error(error, provider) or _unknown(error)


def missing(hint: str) -> JudgeMissingError:
    """A judge that cannot be used here, with what to do."""
    return JudgeMissingError(hint)


def _package(provider: str) -> str:
    own = {"anthropic": "anthropic", "google": "google", "google-cloud": "google"}
    if provider in ("bedrock", "cohere", "groq", "huggingface", "mistral", "xai"):
        return f"pydantic-ai-slim[{provider}]"
    return f"afterturn[{own.get(provider, 'openai')}]"


def _model_error(error: BaseException, provider: str) -> JudgeError | None:
    from pydantic_ai import exceptions as known

    if isinstance(error, known.ModelTimeoutError) and error.phase in ("pool", "connect"):
        return ProviderError("no connection to the provider; check the base URL", transient=True)
    if isinstance(error, known.ModelTimeoutError | known.ModelRequestTimeout):
        return JudgeTimeoutError("the provider did not answer in time")
    if isinstance(error, known.ContentFilterError):
        return RefusedError("a content filter of the provider declined; another judge may not")
    if isinstance(error, known.ModelAPIError):
        return _category(error) or _status_error(error, provider)
    if isinstance(error, known.UserError):
        return missing(f"no key or address for {provider}; set its environment variable (…_API_KEY, …_BASE_URL)")
    return None


def _category(error: BaseException) -> JudgeError | None:
    """The error where the library's category alone decides."""
    from pydantic_ai import exceptions as known

    if isinstance(error, known.ModelRateLimitError):
        return RateLimitedError("the provider limits the rate", transient=True, retry_after_s=error.retry_after)
    if isinstance(error, known.ModelQuotaExceededError):
        return RateLimitedError("the quota at the provider is used up; waiting does not help")
    if isinstance(error, known.ModelAuthenticationError):
        return missing("the provider refused the key; check it and its access to the model")
    if isinstance(error, known.ModelNotFoundError):
        return missing("the provider does not know the model; check its name and the base URL")
    if isinstance(error, known.ModelContextWindowExceededError):
        return ProviderError("the prompt is longer than the model's context; use a model with a longer one")
    return None


def _status_error(error: BaseException, provider: str) -> JudgeError:
    from pydantic_ai import exceptions as known

    if not isinstance(error, known.ModelHTTPError):
        return ProviderError(f"{type(error).__name__}: the connection to {provider} broke", transient=True)
    status = error.status_code
    if status == 429:
        return RateLimitedError("the provider limits the rate", transient=True, retry_after_s=error.retry_after)
    if status in (401, 403):
        return missing("the provider refused the key; check it and its access to the model")
    if status == 404:
        return missing("the provider does not know the model; check its name and the base URL")
    return ProviderError(f"the provider answered {status}", transient=status >= 500 or status in (408, 409, 425))


def _unknown(error: BaseException) -> ProviderError:
    """A reply that the library could not read (no choices, prose, a wrong content type) or a bug in it."""
    # What derives from BaseException alone (a Rust panic) is not cured by asking again.
    return ProviderError(
        f"{type(error).__name__} while reading the provider's reply", transient=isinstance(error, Exception)
    )
