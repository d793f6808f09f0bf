"""Writes a run as one HTML page that needs nothing else: figures with their coverage, filters, every row to look into.

The page holds texts of customers, agents and judges. They stand in a data block in which no tag can begin, and the
script puts them into the page as text. A content policy names the page's own script and style by their hash and
forbids all else, the network included.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path
from typing import TextIO

from afterturn.evals._codec import result_to_json
from afterturn.evals._outcome import Outcome
from afterturn.evals._run_records import RunHeader, RunSummary
from afterturn.evals._storage import RunFile
from afterturn.evals.reports._rows import cost_text, mean_lines
from afterturn.formats import clean_text, dump_json

_FOLDER = Path(__file__).parent


def write(run: RunFile, summary: RunSummary, found: Outcome, out: TextIO) -> None:
    """Writes the page, one result at a time."""
    style, script = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    out.write(_head(run.header, style, script))
    out.write(_top(run.header, summary, found))
    out.write(_figures(summary))
    out.write(_FILTERS)
    out.write('<script type="application/x-ndjson" id="rows">\n')
    for result in run.results():
        out.write(clean_text(dump_json(result_to_json(result))).replace("<", "\\u003c") + "\n")
    out.write(f"</script>\n<script>{script}</script>\n</body></html>\n")


def _head(header: RunHeader, style: str, script: str) -> str:
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Eval of {_text(header.target)}</title><style>{style}</style></head>\n<body>\n"
    )


def _top(header: RunHeader, summary: RunSummary, found: Outcome) -> str:
    facts = {
        "dataset": f"{header.dataset} ({header.rows:,} rows" + (f" × {header.repeat})" if header.repeat > 1 else ")"),
        "judge": header.judge or "none",
        "rubrics": ", ".join(one.name for one in header.rubrics) or "none",
        "assertions": ", ".join(header.assertions) or "those of the rows",
        "passes from": f"{header.threshold}",
        "cost": cost_text(summary),
        "run": f"{header.run}, {header.started_at:%Y-%m-%d %H:%M} UTC",
    }
    if header.bad_lines:
        facts["bad lines"] = f"{header.bad_lines} lines of the dataset are no row"
    lines = "".join(f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>" for name, value in facts.items())
    return (
        f'<header><p class="kind">Eval</p><h1>{_text(header.target)}</h1>'
        f'<p class="verdict {found.verdict}"><strong>{found.verdict}</strong> {_text(found.told)}</p>'
        f"<dl>{lines}</dl></header>\n"
    )


def _figures(summary: RunSummary) -> str:
    lines = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td class="mean">{_text(value)}</td><td>{mean.count:,}</td>'
        f'<td><progress max="1" value="{min(mean.coverage, 1.0):.4f}"></progress> {mean.coverage:.1%}</td></tr>'
        for name, value, mean in mean_lines(summary)
    )
    reasons = "".join(
        f"<li><code>{_text(reason)}</code> {count:,}</li>" for reason, count in summary.reasons.items()
    )  # fmt: skip
    return (
        '<section class="figures"><div><h2>Figures</h2><table><thead><tr><th></th><th>mean</th><th>of</th>'
        f"<th>coverage</th></tr></thead><tbody>{lines}</tbody></table>"
        f'<p class="note">{summary.done:,} of {summary.planned:,} planned results are there. '
        "Errors and skips are in no mean; they lower the coverage.</p></div>"
        f'<div><h2>Scores</h2><div id="histogram" role="img" aria-label="How many rows have which score"></div>'
        + (f'<h2>Why not passed</h2><ul class="reasons">{reasons}</ul>' if reasons else "")
        + "</div></section>\n"
    )


_FILTERS = """<section class="rows"><h2>Rows</h2>
<form id="filters"><div id="states"></div>
<label>score <input id="low" type="number" min="0" max="100" placeholder="0"> to
<input id="high" type="number" min="0" max="100" placeholder="100"></label>
<label class="grow"><input id="text" type="search" placeholder="any text of a row"
 aria-label="any text of a row"></label>
<label>sort <select id="order"><option value="">as run</option><option value="score">lowest score</option>
<option value="slow">slowest</option><option value="id">id</option></select></label></form>
<p class="note" id="count" aria-live="polite"></p>
<div id="list"></div>
<button id="more" type="button" hidden>Show more</button>
<noscript><p>The rows need JavaScript; the figures above do not.</p></noscript></section>
"""


def _hash(source: str) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _text(text: str) -> str:
    return escape(clean_text(text))
