"""No text of a conversation in exports, pictures, replays, calibrations, reviews' reports or modes, whatever the sink.

Turns with a marked text in every field are judged, replayed, labelled, calibrated, drawn and exported. Then everything
that came out is searched, and so is the log at DEBUG, what went to collectors, and every exception on the way.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from canary import CANARY, TURN, marked
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from otlp_receiver import Receiver
from prometheus_client import CollectorRegistry, generate_latest
from typer.testing import CliRunner

from afterturn import Afterturn
from afterturn.calibration import Histogram, Sample, Target, calibrate, scores_by_day
from afterturn.calls import Answer, Call, Confidence, Judge
from afterturn.classifiers import SAFETY
from afterturn.cli import _diff, _plot
from afterturn.cli._app import app
from afterturn.config import Config
from afterturn.errors import ProviderError
from afterturn.judges import Trace
from afterturn.ledger import LogSink, OTelSink, PrometheusSink, Queued
from afterturn.replay import Replay
from afterturn.store import Filter, Store, open_store
from afterturn.testing import ScriptedJudge

_TURNS = 16
_START = datetime(2026, 11, 2, 9, tzinfo=UTC)
_BY_RULE = f'''
from dataclasses import replace
from afterturn.classifiers import SAFETY, Reading

def _skip(turn):
    raise ValueError("{CANARY} " + turn.messages[-1].text)

BREAKS = replace(SAFETY, version="4", skip=_skip)
BY_RULE = replace(SAFETY, version="3", fields=lambda turn: {{}}, read=lambda answer, turn: Reading(status="no_finding"))
'''


def _judge(*, alarms: int, fails: bool = False) -> ScriptedJudge:
    """Answers with marked texts, and alarms at every so many turns; or fails with a marked text."""
    asked = iter(range(10_000))

    def step(call: Call) -> Any:
        number = next(asked)
        if fails and number % 5 == 0:
            return ProviderError(marked("provider's error"))
        alarm = number % alarms == 0
        values: dict[str, Any] = {
            "title": marked("found title"),
            "categoryNames": [marked("category")],
            "sourceIds": ["c1"],
            "taskConcluded": True,
            "handoffSummary": marked("summary"),
            "safetySignal": "self_harm" if alarm else "none",
            "sentiment": 0.0,
            "frustrationTarget": "none",
            "wantsHuman": False,
            "scopeDrift": "none",
        }
        names = {name for question in call.questions for name in question.fields}
        sure = {"safetySignal": Confidence(percent=60 + number % 40, source="logprob")}
        return Answer(values={name: values[name] for name in names}, confidence=sure)

    return ScriptedJudge(step, name="scripted")


@pytest.fixture
async def database(
    tmp_path: Path, logged: io.StringIO, receiver: Receiver, exporter: InMemorySpanExporter
) -> tuple[Path, CollectorRegistry]:
    """Holds the marked turns, judged live and replayed, with all sinks listening."""
    exporter.clear()
    path = tmp_path / "marked.db"
    config = Config.model_validate({"db": str(path), "judge": "scripted", "retry_s": 0})
    registry = CollectorRegistry()
    sinks = [LogSink(), Queued(OTelSink(), drain_s=30), PrometheusSink(registry=registry)]
    live = _judge(alarms=4)
    async with Afterturn(config=config, open_judge=lambda _: Trace(live), sinks=sinks) as at:
        for number in range(_TURNS):
            said_at = _START + timedelta(days=number % 4)
            await at.submit(replace(TURN, id=f"t-{number}", session=f"s-{number}", created_at=said_at))
        await at.drain()
    assert CANARY in repr(live.calls)  # else nothing was at stake
    with open_store(path) as store:
        new = Trace(_judge(alarms=3, fails=True))
        await _replayed(store, config, new)
    return path, registry


async def _replayed(store: Store, config: Config, judge: Judge) -> None:
    asked = [replace(SAFETY, version="2")]
    counts = await Replay(store, config, asked, judge="new", open_judge=lambda _: judge).run()
    assert (counts.judged > 0, counts.stopped) == (True, False)


@pytest.fixture
def run(database: tuple[Path, CollectorRegistry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command and gives all that it wrote and raised."""
    (tmp_path / "marked_questions.py").write_text(_BY_RULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_DB", str(database[0]))
    monkeypatch.setenv("AFTERTURN_LOG_LEVEL", "DEBUG")

    def ran(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == code, (arguments, result.output, result.exception)
        return result.output + repr(result.exception)

    return ran


@pytest.fixture
def labels(tmp_path: Path) -> str:
    """Labels of every turn, with marked texts in keys that nobody asked for, and a line that is none."""
    path = tmp_path / "labels.jsonl"
    rows = [
        {"turn": f"t-{number}", "classifier": "safety", "label": number % 4 == 0, "note": marked("note")}
        for number in range(_TURNS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + marked("bad line") + "\n")
    return str(path)


_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("verdicts", "--json"),
    ("verdicts", "--csv"),
    ("verdicts", "--replayed", "--json"),
    ("verdicts", "--replayed", "--csv"),
    ("verdicts", "--dead"),
    ("verdicts", "--funnel", "--json"),
    ("verdicts", "--funnel", "--csv"),
    ("verdicts", "--histogram", "--json"),
    ("verdicts", "--histogram", "--csv"),
    ("verdicts", "--histogram", "--replayed", "--csv"),
    ("calibrate", "--classifier", "safety", "--alert-budget", "99", "--json"),
    ("calibrate", "--classifier", "safety", "--alert-budget", "99", "--replayed", "--json"),
    ("replay", "--classifier", "safety", "--diff", "--json"),
    ("replay", "--classifier", "marked_questions:BY_RULE", "--since", "2026-11-01"),
    ("replay", "--classifier", "marked_questions:BREAKS", "--since", "2026-11-01", "--limit", "3"),
)


def test_no_command_that_shows_verdicts_shows_text(run: Any) -> None:
    told = {command: run(*command) for command in _COMMANDS}
    assert [command for command, text in told.items() if CANARY in text] == []
    assert "t-15" in told["verdicts", "--csv"]
    assert "schema_violation" in told[_COMMANDS[-1]]


def test_no_calibration_review_report_or_mode_shows_text(run: Any, labels: str) -> None:
    told = [
        run("calibrate", "--classifier", "safety", "--target-fpr", "0.5", "--labels", labels),
        run("replay", "--classifier", "safety", "--diff", "--labels", labels),
        run("review", "--labels", labels, "--reviewer", "ada"),
        run("review", "--export", "-"),
        run("calibrate", "--classifier", "safety", "--target-fpr", "0.5"),
        run("calibrate", "--classifier", "safety", "--target-fpr", "0.5", "--replayed"),
        run("review", "--classifier", "safety", "--version", "1", "--report"),
        run("replay", "--classifier", "safety", "--diff"),
        run("modes", "list"),
        run("modes", "history"),
    ]
    assert [text for text in told if CANARY in text] == []


def test_no_picture_shows_text(run: Any, labels: str, tmp_path: Path) -> None:
    """An SVG keeps its texts as texts, so they can be found; those of a PNG are looked at before they are drawn."""
    pytest.importorskip("matplotlib", reason="plots need the extra [data]")
    for name in ("curves.svg", "curves.png"):
        arguments = ("--target-fpr", "0.5", "--labels", labels, "--plot", name)
        assert CANARY not in run("calibrate", "--classifier", "safety", *arguments)
        assert CANARY.encode() not in (tmp_path / name).read_bytes()
    assert b"safety 1" in (tmp_path / "curves.svg").read_bytes()


def _number(word: str) -> bool:
    return word.strip("()\N{MINUS SIGN}").replace(".", "").isdigit()


def test_every_text_that_is_drawn_is_a_fixed_word_or_a_number(database: tuple[Path, CollectorRegistry]) -> None:
    """Drawn text is text no more, so the figure is asked for all of its texts, ticks and legends included."""
    text = pytest.importorskip("matplotlib.text", reason="plots need the extra [data]")
    with open_store(database[0]) as store:
        scores = scores_by_day(store.histograms(Filter(classifier="safety", version="1")))
    every = Histogram(counts={30: 6, 90: 10})
    target = Target(kind="false_positive_rate", value=0.9)
    result = calibrate(scores, Sample(positives=every, negatives=every), target)
    assert result.threshold is not None
    figure, _ = _plot.picture(result, "safety 1")
    figure.draw_without_rendering()
    texts = {one.get_text() for one in figure.findobj(text.Text)}
    words = {word for drawn in texts for word in drawn.split() if not _number(word)}
    assert words == {
        *("safety", "ROC", "(area", "Precision", "and", "recall", "Calibration", "Alerts", "a", "day"),
        *("false-positive", "rate", "precision", "mean", "score", "share", "labelled", "true"),
        *("threshold", "alerts", "worst"),
    }


def test_no_difference_that_a_host_computes_holds_text(database: tuple[Path, CollectorRegistry]) -> None:
    with open_store(database[0]) as store:
        replay = Replay(store, Config(), [replace(SAFETY, version="2")])
        diffs = replay.diffs()
        verdicts = [*store.verdicts(), *store.verdicts(Filter(replayed=True))]
        told = json.dumps([_diff.diff_json(one) for one in diffs]) + repr(diffs) + repr(verdicts)
        held = repr(list(store.turns()))
    assert len(diffs) == 1
    assert CANARY in held
    assert CANARY not in told


def test_no_log_span_collector_or_metric_heard_text(
    database: tuple[Path, CollectorRegistry],
    logged: io.StringIO,
    receiver: Receiver,
    exporter: InMemorySpanExporter,
) -> None:
    assert "agent.safety.verdict" in logged.getvalue()
    assert CANARY not in logged.getvalue()
    assert len(receiver.events) == 6 * _TURNS
    assert CANARY.encode() not in b"".join(receiver.bodies)
    assert b"afterturn_verdicts_total{" in generate_latest(database[1])
    assert CANARY.encode() not in generate_latest(database[1])
    spans = exporter.get_finished_spans()
    assert len(spans) >= _TURNS
    assert [span.name for span in spans if CANARY in span.to_json()] == []
