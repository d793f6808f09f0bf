from __future__ import annotations

from pathlib import Path

import pytest

from afterturn.config import Config, load_config
from afterturn.errors import ConfigError


def test_flags_win_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("db: file.db\njudge: encoder\nconcurrency: 2\n")
    config = load_config(file, env={"AFTERTURN_DB": "env.db", "AFTERTURN_CONCURRENCY": "3"}, flags={"db": "flag.db"})
    assert (config.db, config.judge, config.concurrency, config.max_attempts) == ("flag.db", "encoder", 3, 3)


def test_lists_and_maps_in_the_environment_are_json() -> None:
    env = {"AFTERTURN_CLASSIFIERS": '["safety"]', "AFTERTURN_EVENT_NAMES": '{"session.title": "title"}'}
    config = load_config(env=env)
    assert (config.classifiers, config.event_names) == (("safety",), {"session.title": "title"})


def test_the_file_of_the_environment_is_read(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text("db: there.db\n")
    assert load_config(env={"AFTERTURN_CONFIG": str(file)}).db == "there.db"


def test_the_tenants_judge_wins_then_the_platforms_then_the_agents_model_then_the_encoder() -> None:
    config = Config.model_validate({"tenants": {"acme": {"judge": "openai:a"}}})
    assert config.judge_for("acme", "openai:b") == "openai:a"
    assert config.judge_for("other", "openai:b") == "openai:b"
    assert config.judge_for("other", None) == "encoder"
    assert Config(judge="llama:x").judge_for("other", "openai:b") == "llama:x"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dbb: x\n", r"a\.yaml: dbb: no such setting; there are db, judge, "),
        ("concurrency: many\n", r"a\.yaml: concurrency: Input should be a valid integer"),
        ("concurrency: 0\n", "concurrency"),
        ("a: [1\nb: 2\n", "a.yaml:2"),
        ("- 1\n", "no settings"),
        ("residency: moon\n", "residency"),
        (
            "tenants:\n  acme:\n    jugde: encoder\n",
            r"tenants\.acme\.jugde: no such setting; there are judge, residency, .*, on_guard_failure, retention_days$",
        ),
    ],
)
def test_a_wrong_file_is_reported_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=told):
        load_config(file, env={})


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.yaml"):
        load_config(tmp_path / "gone.yaml", env={})


def test_a_wrong_variable_or_flag_is_named() -> None:
    with pytest.raises(ConfigError, match=r"--deadline-s: deadline_s: .*; AFTERTURN_MAX_ATTEMPTS: max_attempts: "):
        load_config(env={"AFTERTURN_MAX_ATTEMPTS": "0"}, flags={"deadline_s": -1})


def test_an_error_does_not_repeat_the_wrong_value() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(env={"AFTERTURN_CONCURRENCY": "sk-secret"})
    assert "sk-secret" not in str(caught.value)


def test_an_empty_variable_is_an_unset_one() -> None:
    config = load_config(env={"AFTERTURN_DB": "", "AFTERTURN_LOG_LEVEL": "", "AFTERTURN_DEADLINE_S": ""})
    assert config == Config()


def test_json_that_is_nested_too_deep_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="AFTERTURN_TENANTS"):
        load_config(env={"AFTERTURN_TENANTS": "[" * 20_000})


def test_text_is_kept_as_long_as_its_tenant_says_else_as_the_platform_says() -> None:
    config = Config.model_validate({"retention_days": 90, "tenants": {"acme": {"retention_days": 7}}})
    assert (config.retention_days_for("acme"), config.retention_days_for("other"), config.expires) == (7, 90, True)
    assert (Config().retention_days_for("acme"), Config().expires) == (None, False)
    assert Config.model_validate({"tenants": {"acme": {"retention_days": 7}}}).expires
