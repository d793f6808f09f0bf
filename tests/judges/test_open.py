from __future__ import annotations

import re
from typing import Any

import pytest

import afterturn.judges
from afterturn.errors import ConfigError
from afterturn.judges import PROVIDERS, Trace, open_judge


@pytest.mark.parametrize(
    ("name", "location"),
    [
        ("encoder", "local"),
        ("openai:gpt-4o-mini", "remote"),
        ("llama:/nowhere/model.gguf", "local"),
        ("ollama:qwen3:4b", "remote"),
    ],
)
def test_a_judge_is_opened_by_name_with_everything_around_it(name: str, location: str) -> None:
    judge = open_judge(name)
    assert isinstance(judge, Trace)
    assert judge.name == name.replace("/nowhere/", "")
    assert judge.location == location


def test_the_order_around_a_judge_is_trace_deadline_retry() -> None:
    classes: list[str] = []
    judge: object = open_judge("openai:m")
    while judge is not None:
        classes.append(type(judge).__name__)
        judge = getattr(judge, "_judge", None)
    assert classes == ["Trace", "Deadline", "Retry", "ModelJudge"]


@pytest.mark.parametrize(
    ("name", "base_url", "given_s", "seconds"),
    [
        ("encoder", None, None, 20.0),
        ("openai:m", None, None, 20.0),
        ("openai:m", "http://127.0.0.1:1/v1", None, 120.0),
        ("llama:m.gguf", None, None, 120.0),
        ("llama:m.gguf", None, 7.0, 7.0),
    ],
)
def test_models_on_this_machine_have_longer(
    monkeypatch: pytest.MonkeyPatch, name: str, base_url: str | None, given_s: float | None, seconds: float
) -> None:
    if base_url:
        monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    judge: Any = open_judge(name, deadline_s=given_s)
    assert judge._judge._seconds == seconds


@pytest.mark.parametrize("name", ["", "nobody", "nobody:model", "openai", "openai:", "llama", "llama:", "Encoder"])
def test_an_unknown_name_lists_what_exists(name: str) -> None:
    with pytest.raises(ConfigError, match="encoder, cascade:NAME, llama:PATH, or provider:model") as caught:
        open_judge(name)
    assert "anthropic" in str(caught.value)


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(ConfigError, match=re.escape("(did you mean anthropic?)")):
        open_judge("antropic:claude")


def test_every_listed_provider_is_one_that_the_library_knows() -> None:
    """Without importing each provider's own library: the names are looked up in the source of the lookup."""
    import inspect

    from pydantic_ai.providers import infer_provider_class

    known = set(re.findall(r"'([a-z0-9-]+)'", inspect.getsource(infer_provider_class)))
    assert set(PROVIDERS) <= known
    assert list(PROVIDERS) == sorted(PROVIDERS)


def test_the_public_names_are_sorted_and_exist() -> None:
    names = afterturn.judges.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name.lower() == name, name))
    assert [name for name in names if not hasattr(afterturn.judges, name)] == []
