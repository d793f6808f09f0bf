"""Writes what a gate decided: a Markdown summary for a pull request, JUnit XML, JSON."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from afterturn.evals.reports._escape import words, xml_text
from afterturn.formats import clean_text, dump_json, writing
from afterturn.gate._report import Finding, Report

_SIGNS = {"met": "✅", "missed": "❌", "inconclusive": "⚠️"}
_HEADS = {
    "promoted": "✅ promoted",
    "refused": "❌ refused",
    "unreadable": "❌ not promoted: a file could not be read",
    "inconclusive": "⚠️ not promoted: inconclusive",
}


def headline(report: Report) -> str:
    """Says in one line what was decided, an override included."""
    met = sum(finding.status == "met" for finding in report.findings)
    told = report.told if report.fault is not None else f"{met} of {report.demands} criteria met"
    if report.override is not None:
        return f"OVERRIDDEN by {report.override.by}: {report.override.reason} (the gate said {report.verdict}; {told})"
    return f"{report.verdict}: {told}"


def markdown(report: Report) -> str:
    """Writes a summary for a pull request. What comes from files and people is escaped."""
    lines = [f"## Gate {words(report.name)}: {_HEADS[report.verdict]}", ""]
    override = report.override
    if override is not None:
        lines[0] = f"## Gate {words(report.name)}: 🔓 promoted by an override"
        lines += [
            f"**{words(override.by)}** promoted this in spite of the gate, which said *{report.verdict}*.",
            f"Reason: {words(override.reason)}",
            f"Record: `{override.record}`",
            "",
        ]
    if report.fault is not None:
        lines += [words(report.told), ""]
    if report.findings:
        lines += ["| | criterion | demanded | found | coverage | |", "|---|---|---|---|---|---|"]
        lines += [_row(finding) for finding in report.findings]
        lines.append("")
    lines.append(f"Configuration `{report.config}`, {report.at:%Y-%m-%d %H:%M} UTC.")
    return clean_text("\n".join(lines) + "\n")


def junit(report: Report) -> str:
    """Writes JUnit XML: a test case a criterion, and one for the gate itself."""
    override = report.override
    suite = ElementTree.Element("testsuite", name=xml_text(report.name), tests=str(report.demands + 1))
    properties = ElementTree.SubElement(suite, "properties")
    told = {"verdict": report.verdict, "config": report.config}
    if override is not None:
        told |= {"override.by": override.by, "override.reason": override.reason, "override.record": override.record}
    for name, value in told.items():
        ElementTree.SubElement(properties, "property", name=name, value=xml_text(value))
    cases = [
        (one.name, one.status, one.reason or "", f"{one.told}; demanded: {one.demanded}") for one in report.findings
    ]
    lacking = report.demands - len(report.findings)
    whole = "met" if report.fault is None and not lacking else "inconclusive"
    cases.append(("the gate came to its end", whole, report.fault or "unfinished", report.told))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for name, status, reason, message in cases:
        case = ElementTree.SubElement(suite, "testcase", classname="afterturn.gate", name=xml_text(name))
        if status == "met":
            continue
        tag = "skipped" if override is not None else "failure" if status == "missed" else "error"
        counts[tag] += 1
        before = "" if override is None else f"{status}, overridden by {override.by}: {override.reason}; "
        ElementTree.SubElement(case, tag, {"message": xml_text(before + message), "type": xml_text(reason)})
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(counts[tag]))
    out = io.BytesIO()
    ElementTree.ElementTree(suite).write(out, encoding="utf-8", xml_declaration=True)
    return out.getvalue().decode() + "\n"


def as_json(report: Report) -> str:
    """Writes one line of JSON."""
    return dump_json(report.to_json()) + "\n"


WRITERS: Mapping[str, Callable[[Report], str]] = {"json": as_json, "junit": junit, "markdown": markdown}


def write(report: Report, paths: Mapping[str, Path]) -> None:
    """Writes reports to files, each whole or not at all.

    Args:
        report: The report.
        paths: The file by kind (`json`, `junit`, `markdown`).

    Raises:
        OutputError: One cannot be written.
    """
    for kind, path in paths.items():
        with writing(path) as stream:
            stream.write(WRITERS[kind](report).encode())


def _row(finding: Finding) -> str:
    coverage = "" if finding.coverage is None else f"{finding.coverage:.1%}"
    cells = (words(finding.name), words(finding.demanded), words(finding.told), coverage, finding.reason or "")
    return f"| {_SIGNS[finding.status]} | {' | '.join(cells)} |"
