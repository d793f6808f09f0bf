"""Climbs down the dialect ladder: what to leave out after a refusal, and what a provider refused so far.

Refusals are remembered for the process, by provider, model and address, and only when the request without the refused
part was then answered: an outage, or a prompt that no form would have saved, leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from afterturn.judges.dialects import Dialect, Rung

Feature = Literal["temperature", "logprobs", "thinking"]
Endpoint = tuple[str, str, str]

# Words of a refusal that name what was refused. A server may echo the request in it, judged text included; the worst
# that follows is one request without a feature, and nothing of it is kept.
_NAMED: tuple[tuple[str, Feature], ...] = (
    ("logprob", "logprobs"),
    ("temperature", "temperature"),
    ("chat_template_kwargs", "thinking"),
    ("enable_thinking", "thinking"),
    ("reasoning_effort", "thinking"),
    ("thinking", "thinking"),
)
_FORMAT_WORDS = ("response_format", "responseformat", "json_schema", "response_json_schema", "schema", "grammar")


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """Is how a request is made: the rung, and the features that are left out.

    Attributes:
        rung: Index of the rung in the dialect.
        dropped: Features that the provider refused.
        answered: Whether this rung was ever answered by this endpoint.
    """

    rung: int = 0
    dropped: frozenset[Feature] = frozenset()
    answered: bool = False

    def of(self, dialect: Dialect) -> Rung:
        """The rung in a dialect."""
        return dialect.rungs[self.rung]


_remembered: dict[Endpoint, Form] = {}


def first_form(endpoint: Endpoint, *, native: bool, dialect: Dialect) -> Form:
    """The form to begin with: what this endpoint took last, or the best one.

    Args:
        endpoint: Provider, model and address.
        native: Whether the client library says that the model takes a JSON schema natively.
        dialect: The dialect.
    """
    known = _remembered.get(endpoint)
    if known is not None:
        return known
    via_prompt = next(i for i, rung in enumerate(dialect.rungs) if rung.via == "json_object")
    return Form(rung=0 if native else via_prompt)


def remember(endpoint: Endpoint, form: Form) -> None:
    """Keeps a form that was answered, together with what was refused before."""
    known = _remembered.get(endpoint, Form())
    _remembered[endpoint] = Form(rung=max(known.rung, form.rung), dropped=known.dropped | form.dropped, answered=True)


def forget() -> None:
    """Forgets every refusal, as a new process would."""
    _remembered.clear()


def next_form(form: Form, dialect: Dialect, *, sent: frozenset[Feature], refusal: str) -> Form | None:
    """Finds the next form after a refusal (HTTP 400), or None where nothing is left to leave out.

    Args:
        form: What was refused.
        dialect: The dialect.
        sent: The features that the request carried.
        refusal: The provider's words, in lower case; looked through for names, never kept.
    """
    named = {feature for word, feature in _NAMED if word in refusal} & sent
    format_named = any(word in refusal for word in _FORMAT_WORDS)
    if named:
        return replace(form, dropped=form.dropped | named)
    # What the client library itself knows to switch thinking off is not what a nameless refusal is about.
    extras = sent & (frozenset[Feature]({"logprobs", "thinking"}) if dialect.no_thinking else {"logprobs"})
    if extras and not format_named:
        return replace(form, dropped=form.dropped | extras)
    if form.rung + 1 < len(dialect.rungs):
        return Form(rung=form.rung + 1, dropped=form.dropped)
    return replace(form, dropped=form.dropped | sent) if sent else None


def form_for_broken_mode(form: Form, dialect: Dialect) -> Form | None:
    """The form to try once when the server answers 500 to a schema that never worked there, else None."""
    index = dialect.broken_schema_mode
    if index is None or form.answered or form.rung >= index:
        return None
    return Form(rung=index, dropped=form.dropped)
