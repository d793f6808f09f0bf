"""Writes a run as JUnit XML: a test case a result. Ids, codes and figures only, since CI shows it to many."""

from __future__ import annotations

from typing import TextIO
from xml.etree import ElementTree

from afterturn.evals._outcome import Outcome
from afterturn.evals._records import RowResult
from afterturn.evals._run_records import RunSummary
from afterturn.evals._storage import RunFile
from afterturn.evals.reports._escape import xml_text
from afterturn.evals.reports._rows import agent_ms, broken, judges_ms, mean_lines, row_ms

_TAGS = {"fail": "failure", "agent_error": "error", "judge_error": "error", "skipped": "skipped"}


def write(run: RunFile, summary: RunSummary, found: Outcome, out: TextIO) -> None:
    """Writes the suite; a further case holds what the run comes to, low coverage included."""
    states = summary.states
    verdict = {"failure": int(found.verdict == "failed"), "error": int(found.verdict == "inconclusive")}
    suite = ElementTree.Element(
        "testsuite",
        name=xml_text(run.header.target),
        tests=str(summary.done + 1),
        failures=str(states["fail"] + verdict["failure"]),
        errors=str(states["agent_error"] + states["judge_error"] + verdict["error"]),
        skipped=str(states["skipped"]),
        timestamp=run.header.started_at.isoformat(timespec="seconds"),
    )
    opening = ElementTree.tostring(suite, encoding="unicode").removesuffix(" />")
    out.write(f'<?xml version="1.0" encoding="utf-8"?>\n{opening}>\n')
    out.write(_text(_properties(run, summary)))
    for result in run.results():
        out.write(_text(_case(result, run.header.target, run.header.repeat)))
    out.write(_text(_whole(found, run.header.target)))
    out.write("</testsuite>\n")


def _properties(run: RunFile, summary: RunSummary) -> ElementTree.Element:
    element = ElementTree.Element("properties")
    told = {"run": run.header.run, "dataset": run.header.dataset, "judge": run.header.judge or ""}
    told |= {name: f"{value} (coverage {mean.coverage:.1%})" for name, value, mean in mean_lines(summary)}
    for name, value in told.items():
        ElementTree.SubElement(element, "property", name=xml_text(name), value=xml_text(value))
    return element


def _case(result: RowResult, target: str, repeats: int) -> ElementTree.Element:
    name = f"{result.row.id} #{result.repeat}" if repeats > 1 else result.row.id
    case = ElementTree.Element(
        "testcase", classname=xml_text(target), name=xml_text(name), time=_seconds(row_ms(result))
    )
    if result.reply is not None:
        _add_times(case, result)
    if result.state != "pass":
        told = {"message": xml_text(_told(result)), "type": f"{result.state}:{result.reason}"}
        ElementTree.SubElement(case, _TAGS[result.state], told)
    return case


def _add_times(case: ElementTree.Element, result: RowResult) -> None:
    """Says who took how long; of a recorded reply nobody knows it."""
    properties = ElementTree.SubElement(case, "properties")
    for name, took_ms in (("agent_seconds", agent_ms(result)), ("judge_seconds", judges_ms(result))):
        if took_ms is not None:
            ElementTree.SubElement(properties, "property", name=name, value=_seconds(took_ms))


def _seconds(took_ms: float) -> str:
    return f"{took_ms / 1000:.3f}"


def _told(result: RowResult) -> str:
    scores = [f"{one.rubric} {one.score}" for one in result.scores]
    return "; ".join(filter(None, [broken(result), *scores])) or result.message or result.reason or ""


def _whole(found: Outcome, target: str) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname=xml_text(target), name="the run as a whole")
    if found.verdict != "passed":
        tag = "failure" if found.verdict == "failed" else "error"
        ElementTree.SubElement(case, tag, {"message": xml_text(found.told), "type": found.reason or ""})
    return case


def _text(element: ElementTree.Element) -> str:
    return ElementTree.tostring(element, encoding="unicode") + "\n"
