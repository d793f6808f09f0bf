"""Holds the configuration: one model, read from flags > environment > file > defaults (CONTRACT "Configuration")."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from afterturn._unreadable import why_unreadable
from afterturn.errors import ConfigError

DEFAULT_FILE = "afterturn.yaml"
_PREFIX = "AFTERTURN_"
_NOT_SETTINGS = frozenset({"AFTERTURN_CONFIG", "AFTERTURN_SHARED"})

Residency = Literal["any", "local"]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
OnGuardFailure = Literal["pass", "block"]
SinkName = Literal["log", "otel", "prometheus"]


class TenantConfig(BaseModel):
    """What one tenant sets for itself, over the platform's settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    judge: Annotated[str | None, Field(description="Judge of this tenant's turns, in place of `judge`.")] = None
    residency: Annotated[
        Residency | None, Field(description="`local`: no text of this tenant may go to a judge off this machine.")
    ] = None
    guard_policy: Annotated[
        str | None, Field(description="Policy of this tenant's guard (a file or a name), laid over the platform's.")
    ] = None
    on_guard_failure: Annotated[
        OnGuardFailure | None,
        Field(description="What becomes of this tenant's messages that no engine could check."),
    ] = None
    retention_days: Annotated[
        int | None, Field(description="Days that text of this tenant is kept, in place of `retention_days`.", ge=1)
    ] = None


class Config(BaseModel):
    """Every setting of Afterturn."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    db: Annotated[str, Field(description="The database: a file, or sqlite:///FILE.")] = "afterturn.db"
    judge: Annotated[
        str | None,
        Field(
            description="Who answers: `encoder`, `cascade:NAME`, `llama:PATH` or `provider:model`. Unset: the agent's "
            "own model, or the local encoder where the agent names none."
        ),
    ] = None
    classifiers: Annotated[
        tuple[str, ...],
        Field(
            description="The questions asked about every turn; `blocked_topics` where the tenant's policy has topics.",
            min_length=1,
        ),
    ] = ("conversation", "sources", "conclusion", "safety", "ai_frustration", "scope_drift", "blocked_topics")
    injection_second_pass: Annotated[
        bool,
        Field(
            description="Whether a judge is asked about messages that the static guard let through, and about long "
            "ones: classifier `injection_classifier`."
        ),
    ] = False
    injection_long_chars: Annotated[
        int,
        Field(description="From this length on, the second pass reads a message even if the guard flagged it.", ge=1),
    ] = 2_000
    sentiment_below: Annotated[
        float, Field(description="A sentiment below this is a trigger for advice, -1 to 1.", ge=-1, le=1)
    ] = -0.4
    residency: Annotated[Residency, Field(description="Where text may go: `any`, or only `local` judges.")] = "any"
    deadline_s: Annotated[
        float | None,
        Field(
            description="Deadline of a judge call in seconds, retry included. Unset: 20, or 120 on this machine.", gt=0
        ),
    ] = None
    max_attempts: Annotated[int, Field(description="Attempts at a turn before it is a dead letter.", ge=1, le=20)] = 3
    retry_s: Annotated[
        float,
        Field(
            description="Wait in seconds before the second attempt at a turn; doubled for each further.", ge=0, le=3600
        ),
    ] = 2.0
    concurrency: Annotated[int, Field(description="Turns judged at the same time by one worker.", ge=1, le=256)] = 4
    guard_policy: Annotated[
        str | None,
        Field(
            description="The guard's policy: a file, or a name of `afterturn policy list`; laid over the built-in one."
        ),
    ] = None
    on_guard_failure: Annotated[
        OnGuardFailure,
        Field(description="What becomes of a message that no engine of the guard could check: `pass`, or `block`."),
    ] = "pass"
    budget_counts: Annotated[
        Literal["memory", "database"],
        Field(
            description="Where the tokens spent of budgets are counted: in the `memory` of each process, or in the "
            "`database`, for all that share it."
        ),
    ] = "memory"
    sinks: Annotated[
        tuple[SinkName, ...],
        Field(
            description="Where verdicts go besides the database: `log`; `otel` (events, to the host's provider or the "
            "collector of OTEL_EXPORTER_OTLP_ENDPOINT) and `prometheus` (metrics), both with the extra `[otel]`."
        ),
    ] = ("log",)
    metrics_port: Annotated[
        int | None,
        Field(
            description="Port on 127.0.0.1 where `afterturn worker` shows what the database holds and the metrics of "
            "`prometheus`; 0: any that is free, which it tells.",
            ge=0,
            le=65535,
        ),
    ] = None
    retention_days: Annotated[
        int | None,
        Field(
            description="Days that the text of a turn is kept after it was stored; verdicts and ids stay. Unset: for "
            "good.",
            ge=1,
        ),
    ] = None
    log_level: Annotated[LogLevel, Field(description="Least level of the log lines that the command line shows.")] = (
        "WARNING"
    )
    event_names: Annotated[
        dict[str, str],
        Field(description="Your names for Afterturn's event and metric names, by its name, in every sink."),
    ] = {}
    tenants: Annotated[dict[str, TenantConfig], Field(description="Settings of single tenants, by tenant id.")] = {}

    def judge_for(self, tenant: str, model: str | None) -> str:
        """Names the judge of a tenant's turn: the tenant's, the platform's, the agent's own model, the encoder."""
        own = self.tenants.get(tenant)
        return (own.judge if own else None) or self.judge or model or "encoder"

    def on_guard_failure_for(self, tenant: str) -> OnGuardFailure:
        """Says what becomes of a tenant's message that the guard could not check."""
        own = self.tenants.get(tenant)
        return (own.on_guard_failure if own else None) or self.on_guard_failure

    def retention_days_for(self, tenant: str) -> int | None:
        """Says how many days the tenant's text is kept; None: for good."""
        own = self.tenants.get(tenant)
        return (own.retention_days if own else None) or self.retention_days

    @property
    def expires(self) -> bool:
        """Whether any text expires."""
        return self.retention_days is not None or any(own.retention_days for own in self.tenants.values())

    def residency_for(self, tenant: str) -> Residency:
        """Says where the tenant's text may go."""
        own = self.tenants.get(tenant)
        return (own.residency if own else None) or self.residency


def load_config(
    path: Path | None = None, *, env: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> Config:
    """Reads the configuration.

    Args:
        path: The file; by default `$AFTERTURN_CONFIG`, else `afterturn.yaml` in the current folder if it is there.
        env: The environment; the process's by default. `AFTERTURN_DB` sets `db`, and so on; lists and maps are JSON.
        flags: What the command line or the caller sets; None values are no settings.

    Raises:
        ConfigError: The file cannot be read, a setting is unknown, or a value is of the wrong type or out of range.
    """
    env = os.environ if env is None else env
    file = path or (Path(env["AFTERTURN_CONFIG"]) if env.get("AFTERTURN_CONFIG") else None)
    if file is None and Path(DEFAULT_FILE).is_file():
        file = Path(DEFAULT_FILE)
    in_file = _from_file(file) if file is not None else {}
    in_env = _from_env(env)
    in_flags = {name: value for name, value in (flags or {}).items() if value is not None}
    places = dict.fromkeys(in_file, str(file)) | {name: _variable(name) for name in in_env}
    places |= {name: f"--{name.replace('_', '-')}" for name in in_flags}
    try:
        return Config.model_validate(in_file | in_env | in_flags)
    except ValidationError as error:
        raise ConfigError(_problems(error, places)) from None


def _from_file(path: Path) -> dict[str, object]:
    try:
        loaded: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {why_unreadable(error)}") from None
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f"{path}:{line + 1}" if isinstance(line, int) else str(path)
        raise ConfigError(f"{where}: no valid YAML; mend this line") from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError(f"{path}: the file holds no settings; write `name: value` lines")
    return {str(name): value for name, value in loaded.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _from_env(env: Mapping[str, str]) -> dict[str, object]:
    settings: dict[str, object] = {}
    for key, value in env.items():
        if not value or not key.startswith(_PREFIX) or key in _NOT_SETTINGS:
            continue  # an empty variable is an unset one
        name = key.removeprefix(_PREFIX).lower()
        if name not in Config.model_fields:
            continue  # other programs of the platform may share the prefix; a typing error in the file is reported
        settings[name] = _json_or_text(key, value) if value[:1] in ("[", "{") else value
    return settings


def _json_or_text(key: str, value: str) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ConfigError(f"{key}: starts like JSON but is none; write a JSON list or object") from None


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _problems(error: ValidationError, places: Mapping[str, str]) -> str:
    """Says of each wrong setting where it was set and what is wrong with it, without its value."""
    told: list[str] = []
    for problem in error.errors(include_input=False):
        path = tuple(map(str, problem["loc"]))
        wrong = problem["msg"]
        if problem["type"] == "extra_forbidden":
            known = Config.model_fields if len(path) == 1 else TenantConfig.model_fields
            wrong = f"no such setting; there are {', '.join(known)}"
        told.append(": ".join(filter(None, (places.get(path[0], ""), ".".join(path), wrong))))
    return "the configuration is wrong: " + "; ".join(told)
