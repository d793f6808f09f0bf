"""Reads what a gate demands: a YAML file of runs and criteria. Whatever is not understood is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from afterturn._unreadable import why_unreadable
from afterturn.errors import ConfigError
from afterturn.evals import MIN_COVERAGE
from afterturn.gate._metrics import check_metric, is_rate
from afterturn.gate.redteam import DATASET, FAMILIES

MOST_BYTES = 2**20

Share = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
Amount = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f]+$")]
Hours = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]

_STRICT = ConfigDict(extra="forbid", frozen=True)


class RunFileConfig(BaseModel):
    """A run of `eval run`, `simulate` or `redteam`, and what it must be a run of."""

    model_config = _STRICT

    file: Annotated[str, Field(description="The run's file, from the folder of this configuration.", min_length=1)]
    target: Annotated[str, Field(description="The `--target` of the run; a run of another one counts for nothing.")]
    dataset: Annotated[
        str,
        Field(
            description="The dataset: its file, whose rows must be those of the run; or `redteam`, the pack.",
            min_length=1,
        ),
    ]
    judge: Annotated[str | None, Field(description="The judge that must have graded. Unset: any.")] = None
    families: Annotated[
        tuple[str, ...] | None,
        Field(description="Of `redteam`: the families that must be in the run. Unset: all of the pack.", min_length=1),
    ] = None
    limit: Annotated[
        int | None,
        Field(
            description="Of `redteam`: how many of each family must be in it at least. Unset: all.", ge=1, strict=True
        ),
    ] = None
    personas: Annotated[
        str | None,
        Field(
            description="Of `simulate`: what `--personas` was: a file, from the folder of this configuration, or ids.",
            min_length=1,
        ),
    ] = None
    max_age_hours: Annotated[
        Hours | None, Field(description="How old the run may be, in place of the gate's `max_age_hours`.")
    ] = None

    @model_validator(mode="after")
    def _check(self) -> RunFileConfig:
        if self.dataset != DATASET and (self.families is not None or self.limit is not None):
            raise ValueError("families and limit are of `dataset: redteam`; take them out")
        unknown = [name for name in self.families or () if name not in FAMILIES]
        if unknown:
            raise ValueError(f"no family is called {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
        return self


class FiguresConfig(BaseModel):
    """A JSON file with figures of another command (`regress`, `compare-designs`, `redteam --json`, your own)."""

    model_config = _STRICT

    file: Annotated[str, Field(description="The JSON file, one object.", min_length=1)]
    written_at: Annotated[
        str,
        Field(description="Dotted path in it to the time at which it was written (ISO 8601 with a time zone)."),
    ] = "written_at"
    max_age_hours: Annotated[
        Hours | None, Field(description="How old it may be, in place of the gate's `max_age_hours`.")
    ] = None


class Criterion(BaseModel):
    """One demand: a metric of a run against a value, or against a baseline run."""

    model_config = _STRICT

    name: Annotated[Name | None, Field(description="What it is called in reports. Unset: run and metric.")] = None
    run: Annotated[str | None, Field(description="Name of a run of `runs`.")] = None
    figures: Annotated[str | None, Field(description="Name of a file of `figures`.")] = None
    metric: Annotated[
        str,
        Field(
            description="score, pass_rate, rubric:NAME, assertion:NAME, coverage, error_rate, cost_usd, latency_ms, "
            "attack_success, attack_success:FAMILY, over_refusal, over_refusal:FAMILY; of `figures`, a dotted path."
        ),
    ]
    at_least: Annotated[Amount | None, Field(description="The value that must be reached.")] = None
    at_most: Annotated[Amount | None, Field(description="The value that may not be passed.")] = None
    baseline: Annotated[str | None, Field(description="Name of the run of `runs` that it is compared with.")] = None
    no_worse_by: Annotated[
        Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)] | None,
        Field(description="By how much it may be worse than the baseline, in the metric's own unit."),
    ] = None
    test: Annotated[
        Literal["margin", "paired"],
        Field(
            description="`margin`: the two figures are compared as they are. `paired`: row by row, and it must be "
            "shown with 95 % confidence that it is not worse by more."
        ),
    ] = "paired"
    bound: Annotated[
        Literal["value", "interval"],
        Field(description="`interval`: the bad end of a rate's exact 95 % interval must keep to the value, too."),
    ] = "value"
    min_coverage: Annotated[
        Share | None, Field(description="Share of the planned results that must be in the figure, for this one.")
    ] = None

    @property
    def title(self) -> str:
        """What it is called in reports."""
        return self.name or f"{self.run or self.figures}: {self.metric}"

    @model_validator(mode="after")
    def _check(self) -> Criterion:
        if (self.run is None) == (self.figures is None):
            raise ValueError("name either a `run` or a file of `figures`")
        demands = [name for name in ("at_least", "at_most", "baseline") if getattr(self, name) is not None]
        if len(demands) != 1:
            raise ValueError("give exactly one of at_least, at_most, baseline")
        if (self.baseline is None) != (self.no_worse_by is None):
            raise ValueError("`baseline` and `no_worse_by` go together")
        if self.run is not None:
            check_metric(self.metric, paired=self.baseline is not None and self.test == "paired")
        elif self.baseline is not None or self.bound == "interval":
            raise ValueError("figures of a file have no rows; compare them with at_least or at_most")
        if self.bound == "interval" and (self.baseline is not None or not is_rate(self.metric)):
            raise ValueError("`bound: interval` is for rates against a value; leave it out")
        return self


class GateConfig(BaseModel):
    """What a gate demands before an agent is promoted."""

    model_config = _STRICT

    name: Annotated[Name, Field(description="What is promoted, for reports.")] = "gate"
    min_coverage: Annotated[Share, Field(description="Share of the planned results that must be in every figure.")] = (
        MIN_COVERAGE
    )
    max_age_hours: Annotated[
        Hours, Field(description="How old the runs that are judged may be; baselines may be older.")
    ] = 168.0
    timeout_s: Annotated[
        Annotated[float, Field(gt=0, le=86_400, strict=True)], Field(description="Seconds that the gate may take.")
    ] = 300.0
    runs: Annotated[dict[Name, RunFileConfig], Field(description="The runs, by a name of yours.")] = {}
    figures: Annotated[dict[Name, FiguresConfig], Field(description="Files with other figures, by a name.")] = {}
    criteria: Annotated[tuple[Criterion, ...], Field(description="The demands; all must be met.", min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> GateConfig:
        for place, criterion in enumerate(self.criteria):
            for key, known in (("run", self.runs), ("baseline", self.runs), ("figures", self.figures)):
                named = getattr(criterion, key)
                if named is not None and named not in known:
                    there = ", ".join(known) or "none"
                    raise ValueError(f"criteria[{place}].{key}: nothing is called {named!r}; there are: {there}")
            if criterion.run is not None and criterion.run == criterion.baseline:
                raise ValueError(f"criteria[{place}].baseline: a run cannot be its own baseline; name an earlier one")
        titles = [criterion.title for criterion in self.criteria]
        if len(set(titles)) != len(titles):
            raise ValueError("criteria: two of them are called the same; give each a `name`")
        used = {name for one in self.criteria for name in (one.run, one.baseline, one.figures) if name}
        idle = [name for name in (*self.runs, *self.figures) if name not in used]
        if idle:
            raise ValueError(f"no criterion looks at {', '.join(idle)}; add one or take it out")
        return self


def load_gate(path: Path) -> GateConfig:
    """Reads a gate's configuration.

    Raises:
        ConfigError: It cannot be read, a key is unknown or stands twice, or a value has no meaning; the message names
            file, line and key, and says what to do.
    """
    text = _text(path)
    root = _composed(text, path)
    try:
        return GateConfig.model_validate(yaml.safe_load(text))
    except ValidationError as error:
        told = [_told(problem, root, path) for problem in error.errors(include_input=False, include_url=False)]
        raise ConfigError("; ".join(told)) from None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise ConfigError(f"{path}: a value has no meaning ({type(error).__name__}); see docs/gate.md") from None


def gate_schema() -> dict[str, Any]:
    """Gives the JSON Schema of the configuration."""
    return GateConfig.model_json_schema()


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{path}: larger than a gate can be; give the gate's own YAML file")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {why_unreadable(error)}") from None


def _composed(text: str, path: Path) -> yaml.Node:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None or not isinstance(root, yaml.MappingNode):
            raise ConfigError(f"{path}: the file holds no gate; write `criteria:` and a list under it")
        _refuse_doubles(root, path)
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f"{path}:{line + 1}" if isinstance(line, int) else str(path)
        raise ConfigError(f"{where}: no valid YAML; mend this line") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply; write the gate without anchors") from None
    return root


def _refuse_doubles(node: yaml.Node, path: Path) -> None:
    """Refuses a key that stands twice: YAML would silently take the last, and with it the laxer demand."""
    if isinstance(node, yaml.MappingNode):
        seen: set[object] = set()
        for key, value in node.value:
            if key.value in seen:
                raise ConfigError(f"{path}:{key.start_mark.line + 1}: {key.value}: stands twice; keep one")
            seen.add(key.value)
            _refuse_doubles(value, path)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_doubles(value, path)


def _told(problem: Mapping[str, Any], root: yaml.Node, path: Path) -> str:
    place: Sequence[int | str] = problem["loc"]
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
    message = str(problem["msg"]).removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        message = f"there is no such key; {_known(place)}"
    elif problem["type"] == "missing":
        message = "is missing; add it"
    return f"{path}:{_line(root, place)}: {field + ': ' if field else ''}{message}"


def _known(place: Sequence[int | str]) -> str:
    models = {"runs": RunFileConfig, "figures": FiguresConfig, "criteria": Criterion}
    model = models.get(str(place[0]), GateConfig) if len(place) > 1 else GateConfig
    return f"there are {', '.join(model.model_fields)}"


def _line(root: yaml.Node, place: Sequence[int | str]) -> int:
    node, line = root, root.start_mark.line
    for step in place:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == step), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
    return line + 1
