"""Holds the options that the commands with an agent under test share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from afterturn.evals.targets import TargetOptions

Model = Annotated[str | None, typer.Option(help="The model to ask for at an OpenAI-compatible URL.")]
Tools = Annotated[Path | None, typer.Option(help="Tools on offer at such a URL: a JSON list; stubs answer.")]
Instructions = Annotated[Path | None, typer.Option(help="System prompt for such a URL: a text file.")]
RealTool = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[=CALLABLE]",
        help=(
            "A tool that is no stub; may be given again. NAME=module:callable runs that callable (at a URL, and in an "
            "agent of a framework). NAME alone lets an agent of a framework run the tool's own code, '*' all of them."
        ),
    ),
]
MaxSteps = Annotated[int, typer.Option(min=1, help="Model calls that a reply may take at such a URL.")]
MaxCost = Annotated[
    float | None, typer.Option(min=0, metavar="USD", help="Stop before it costs more, and keep what is done.")
]
PriceFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Prices of models, for costs and the cap; YAML or JSON.")
]
MinCoverage = Annotated[
    float, typer.Option(min=0, max=1, help="Least share of results that must be judged; below it, exit code 3.")
]
MinPassRate = Annotated[
    float | None, typer.Option(min=0, max=1, help="Least share of judged rows that must pass; else exit code 1.")
]


def target_options(
    model: str | None, tools: Path | None, instructions: Path | None, real_tool: list[str] | None, max_steps: int
) -> TargetOptions:
    """Puts the options of a target together."""
    from afterturn.evals.targets import TargetOptions

    return TargetOptions(
        model=model,
        tools=str(tools) if tools else None,
        instructions=str(instructions) if instructions else None,
        real_tools=tuple(real_tool or ()),
        max_steps=max_steps,
    )
