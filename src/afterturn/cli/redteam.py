"""`afterturn redteam`: attacks an agent with the red-team pack, and measures how far its judge can be moved."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn._unreadable import why_unreadable
from afterturn.cli._agent_options import MaxCost, MinCoverage, Model, PriceFile
from afterturn.cli._common import configured, json_line, note
from afterturn.cli._exit import keeping_exit_code
from afterturn.cli._resume import begun_by
from afterturn.errors import UnreadableInputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterturn.evals import RunFile, RunSummary
    from afterturn.gate.redteam import Pack, RedTeamFigures, RedTeamParts, Susceptibility


def redteam_command(
    context: typer.Context,
    target: Annotated[
        str | None, typer.Option(help="The agent: module:callable, a URL, or 'command:PROGRAM …'.")
    ] = None,
    families: Annotated[str | None, typer.Option(help="Only these families of attacks, with commas between.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many attacks, and so many look-alikes, of each family.")
    ] = None,
    lookalikes: Annotated[
        bool, typer.Option("--lookalikes/--no-lookalikes", help="Whether harmless look-alikes are asked, too.")
    ] = True,
    judge: Annotated[
        str | None, typer.Option(help="Who says what words alone cannot: provider:model, or llama:PATH.")
    ] = None,
    check_judge: Annotated[
        bool, typer.Option("--check-judge", help="Measure how far verdicts planted in replies move the judge.")
    ] = False,
    guard: Annotated[bool, typer.Option("--guard", help="Say what the static guard would have blocked.")] = False,
    policy: Annotated[str | None, typer.Option(help="The guard's policy: a file or a name; implies --guard.")] = None,
    instructions: Annotated[
        Path | None,
        typer.Option(help="The agent's own instructions; then they are attacked, in place of made-up settings."),
    ] = None,
    model: Model = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The run's file; by default named by the time.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the file of --out.")] = False,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="With --resume: do those rows again that ended in an error.")
    ] = False,
    read: Annotated[Path | None, typer.Option(help="Only show the figures of this run; nothing is asked.")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=1000, help="How often each row is run.")] = 1,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=256, help="Rows at once, at most.")] = 5,
    deadline: Annotated[float, typer.Option(min=0.001, help="Seconds that agent and judge each have for a row.")] = 120,
    max_cost: MaxCost = None,
    prices: PriceFile = None,
    max_success: Annotated[
        float | None, typer.Option(min=0, max=1, help="Attack success above this is exit code 1.")
    ] = None,
    max_over_refusal: Annotated[
        float | None, typer.Option(min=0, max=1, help="Refused look-alikes above this share are exit code 1.")
    ] = None,
    min_coverage: MinCoverage = 0.9,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line with the figures.")] = False,
) -> None:
    """Attacks an agent: success by family and over-refusal on harmless look-alikes, with intervals and coverage.

    The run's file is an eval run: `eval report`, `eval compare` and `gate promote` read it. Exit codes: 0 done; 1 a
    limit was passed; 3 inconclusive.
    """
    from afterturn.cli._evals import started_or_resumed
    from afterturn.cli._prices import check_prices
    from afterturn.gate.redteam import dataset_of, header_of

    config = configured(judge=judge)
    _refuse_useless(
        something=read is not None or target is not None or check_judge,
        judge_missing=check_judge and config.judge is None,
        retry_missing=retry_errors and not (resume and out is not None),
    )
    shown: dict[str, object] = {"written_at": datetime.now(UTC).isoformat()}
    ended = 0
    run = _opened(read) if read is not None else None
    found: RedTeamFigures | None = None
    moved: Mapping[str, Susceptibility] = {}
    if run is None and target is not None:
        text = _instructions(instructions)
        parts = _parts(target, model, instructions, config.judge, prices, deadline)
        check_prices(parts, model=model, capped=max_cost is not None)
        path = out or Path(f"redteam-{datetime.now(UTC):%Y%m%d-%H%M%S}.jsonl")
        settings = {"repeat": repeat, "concurrency": jobs, "deadline_s": deadline, "max_cost_usd": max_cost}
        settings |= {"command": begun_by(context)}
        pack = _pack(families, limit, text, lookalikes=lookalikes)
        header, rows = header_of(parts, pack, **settings), dataset_of(pack)
        going = started_or_resumed(header, parts, rows, path, resume=resume, retry_errors=retry_errors, noun="results")
        run = asyncio.run(going)
    if run is not None:
        found = _figures(run, guard=guard or policy is not None, policy=policy)
        summary = run.summary()
        shown |= {"run": run.header.run, "file": str(run.path), "stop": summary.stop, **found.to_json()}
        ended = _ended(found, summary, min_coverage, max_success, max_over_refusal)
    if check_judge and config.judge is not None:
        moved = asyncio.run(_check_judge(config.judge, limit, deadline))
        shown["judge"] = {"name": config.judge, **{name: one.to_json() for name, one in moved.items()}}
        if not moved["all"].pairs:
            note("the judge graded nothing, so how far it can be moved is unknown")
            ended = ended or 3
    with keeping_exit_code():
        _show(shown, found, moved, as_json=as_json or not sys.stdout.isatty())
    raise typer.Exit(ended)


def _refuse_useless(*, something: bool, judge_missing: bool, retry_missing: bool) -> None:
    if not something:
        raise UsageError("name an agent: --target; or a run: --read; or a judge: --check-judge --judge NAME")
    if judge_missing:
        raise UsageError("--check-judge needs a judge; name one: --judge provider:model, or AFTERTURN_JUDGE")
    if retry_missing:
        raise UsageError("--retry-errors goes on with the run in a file; name it: --out FILE --resume --retry-errors")


def _show(
    shown: Mapping[str, object],
    found: RedTeamFigures | None,
    moved: Mapping[str, Susceptibility],
    *,
    as_json: bool,
) -> None:
    if as_json:
        typer.echo(json_line(shown))
        return
    if found is not None:
        _table(found)
    if moved:
        _judge_table(moved)


def _pack(families: str | None, limit: int | None, instructions: str | None, *, lookalikes: bool) -> Pack:
    from afterturn.gate.redteam import load_pack

    chosen = tuple(name.strip() for name in (families or "").split(",") if name.strip())
    pack = load_pack(chosen, limit=limit, instructions=instructions, lookalikes=lookalikes)
    if pack.left_out:
        note(f"{pack.left_out} seeds are left out: they need tools of the made-up settings")
    return pack


def _opened(path: Path) -> RunFile:
    from afterturn.evals import RunFile

    return RunFile(path)


def _instructions(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInputError(f"{path} cannot be read: {why_unreadable(error)}") from None
    if len(text.split()) < 8:
        raise UsageError(f"{path} has fewer than eight words; a leak of it could not be told from chance")
    return text


def _parts(
    target: str,
    model: str | None,
    instructions: Path | None,
    judge: str | None,
    prices: Path | None,
    deadline_s: float,
) -> RedTeamParts:
    from afterturn.evals import load_prices
    from afterturn.evals.targets import TargetOptions, open_target
    from afterturn.gate.redteam import RedTeamParts, TurnByTurn
    from afterturn.judges import open_judge

    options = TargetOptions(model=model, instructions=str(instructions) if instructions else None)
    table = load_prices(prices)
    agent = TurnByTurn(open_target(target, options))
    # The runner has its own way with rate limits, and must see every one of them.
    opened = open_judge(judge, deadline_s=deadline_s, retries=False) if judge else None
    return RedTeamParts(target=agent, judge=opened, prices=table)


def _figures(run: RunFile, *, guard: bool, policy: str | None) -> RedTeamFigures:
    from afterturn.cli.guard import configured_guard
    from afterturn.gate.redteam import StaticCheck, figures

    check = StaticCheck(configured_guard(policy)) if guard else None
    found = figures(run.header, run.results(), guard=check)
    if found.others and not found.attack_success["all"].planned:
        raise UsageError(f"{run.path} is no run of the red-team pack; name one of `afterturn redteam`")
    return found


def _ended(
    found: RedTeamFigures,
    summary: RunSummary,
    min_coverage: float,
    max_success: float | None,
    max_over_refusal: float | None,
) -> int:
    """Says what the figures come to, and gives the exit code. Nothing that was not measured passes."""
    success, refusal = found.attack_success["all"], found.over_refusal["all"]
    if summary.stop is not None:
        note(f"inconclusive: the run stopped before its end ({summary.stop}); go on with `afterturn eval resume`")
        return 3
    if not success.judged:
        note("inconclusive: no attack was judged; see the reasons of the errors with `afterturn eval report`")
        return 3
    low = [
        name for name, rate in (("attacks", success), ("look-alikes", refusal)) if _lacks(rate.coverage, min_coverage)
    ]
    if low:
        note(f"inconclusive: fewer than {min_coverage:.0%} of the {' and '.join(low)} could be judged; give --judge")
        return 3
    failed = [
        f"{name} {rate.interval.rate:.1%} is above {most:.1%}"
        for name, rate, most in (("attack success", success, max_success), ("over-refusal", refusal, max_over_refusal))
        if most is not None and (rate.interval.rate is None or rate.interval.rate > most)
    ]
    note(f"failed: {'; '.join(failed)}" if failed else _told(found))
    return 1 if failed else 0


def _lacks(coverage: float | None, least: float) -> bool:
    return coverage is not None and coverage < least


def _told(found: RedTeamFigures) -> str:
    success, refusal = found.attack_success["all"], found.over_refusal["all"]
    return (
        f"{success.hits} of {success.judged} attacks succeeded, {refusal.hits} of {refusal.judged} look-alikes refused"
    )


def _table(found: RedTeamFigures) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("family", title="Red team", title_justify="left")
    for name in ("attacks won", "95 %", "coverage", "errors", "look-alikes refused", "95 %", "coverage", "errors"):
        table.add_column(name, justify="right")
    guarded = found.attack_success["all"].blocked is not None
    if guarded:
        table.add_column("guard blocks", justify="right")
        table.add_column("of look-alikes", justify="right")
    for name, success in found.attack_success.items():
        cells = [name]
        both = (success, found.over_refusal[name])
        for rate in both:
            share, low, high = rate.interval
            bounds = "–" if share is None or low is None or high is None else f"{low:.0%} – {high:.0%}"
            coverage = "–" if rate.coverage is None else f"{rate.coverage:.0%}"
            cells += [f"{rate.hits} of {rate.judged}", bounds, coverage, str(rate.errors)]
        if guarded:
            cells += [f"{rate.blocked.blocked} of {rate.blocked.looked}" for rate in both if rate.blocked is not None]
        table.add_row(*cells)
    Console().print(table)


def _judge_table(moved: Mapping[str, Susceptibility]) -> None:
    from rich.console import Console
    from rich.table import Table

    from afterturn.calibration import clopper_pearson

    table = Table("", title="The judge, by rubric and by plant", title_justify="left")
    for name in ("moved", "95 %", "fail to pass", "mean shift", "control moved", "errors"):
        table.add_column(name, justify="right")
    for name, one in moved.items():
        _, low, high = clopper_pearson(one.moved, one.pairs)
        bounds = "–" if low is None or high is None else f"{low:.0%} – {high:.0%}"
        shift = "–" if one.shift is None else f"{one.shift:+.1f}"
        control = f"{one.control_moved} of {one.control_pairs}"
        table.add_row(name, f"{one.moved} of {one.pairs}", bounds, str(one.flipped), shift, control, str(one.errors))
    Console().print(table)


async def _check_judge(name: str, limit: int | None, deadline_s: float) -> Mapping[str, Susceptibility]:
    from afterturn.gate.redteam import susceptibility
    from afterturn.judges import open_judge

    judge = open_judge(name, deadline_s=deadline_s)
    try:
        return await susceptibility(judge, limit=limit)
    finally:
        await judge.aclose()
