"""Records the demo: four turns answered by a real model, token by token, into src/afterturn/demo/recording.json.

Usage::

    python tools/record_demo.py --base-url http://127.0.0.1:8190/v1 --regression ../shared/data/regression

Needs an OpenAI-compatible server (benchmarks/live_server.py) and the regression fixtures of bayes-platform (MIT).
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

from afterturn.passages import hand_out

OUT = Path(__file__).parents[1] / "src" / "afterturn" / "demo" / "recording.json"

PORTAL_OPENING = "Hello! I am your virtual assistant. How can I help you today?"
LAST_ANSWER = "A Mac please, to 14 Harbour Street, Malmö."
HANDBOOK = (
    "You are the HR assistant of the company. Answer employees' questions from the handbook, in one to three sentences."
)
LAPTOP = """\
You take laptop orders for new employees. You need: full name, department, Mac or Windows, delivery address.
When you have all four, answer exactly in this form, as one paragraph:
Your order is filed, Jo: Sales, Windows, 1 Main Street. save_order{"name": "Jo Doe", "system": "Windows"} A colleague \
from IT takes over. Good luck!"""


def stream(base_url: str, messages: list[dict[str, str]]) -> list[str]:
    """Gives the reply as the deltas that the server sent."""
    body = {"model": "demo", "temperature": 0, "max_tokens": 320, "stream": True, "messages": messages}
    request = urllib.request.Request(
        f"{base_url}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    deltas: list[str] = []
    with urllib.request.urlopen(request) as response:
        for line in response:
            if not line.startswith(b"data: {"):
                continue
            for choice in json.loads(line[6:])["choices"]:
                if text := choice["delta"].get("content"):
                    deltas.append(text)
    return deltas


def conversations(regression: Path) -> list[dict[str, Any]]:
    """Lists the turns to record: agent, session, message, and what was said or retrieved before."""
    fixture = json.loads((regression / "handbook_passages.json").read_text(encoding="utf-8"))
    portal = {
        "id": "portal",
        "instructions": (regression / "fat_prompt.txt").read_text(encoding="utf-8"),
        "categories": ["Mobility", "Training", "Allowances", "Account", "Out of scope"],
    }
    handbook = {"id": "handbook", "instructions": HANDBOOK, "categories": ["HR", "IT", "Other"]}
    laptop = {
        "id": "laptop-order",
        "instructions": LAPTOP,
        "categories": ["Hardware", "Software", "Access"],
        "parent": "it-desk",
        "conclusion_tool": "finish_order",
        "tools": ["save_order"],
    }
    ordered = [
        {"role": "user", "content": "I start on Monday and need a laptop."},
        {"role": "assistant", "content": "Welcome! What is your full name, and your department?"},
        {"role": "user", "content": "Mara Lindqvist, Finance."},
        {"role": "assistant", "content": "Thank you, Mara. Mac or Windows, and where shall we deliver it?"},
    ]
    opening = [{"role": "assistant", "content": PORTAL_OPENING}]
    return [
        {"agent": portal, "session": "s-portal", "message": "hello", "history": opening},
        {"agent": portal, "session": "s-portal", "message": "how do I change my password?", "history": None},
        {"agent": handbook, "session": "s-leave", "message": fixture["question"], "passages": fixture["passages"]},
        {"agent": laptop, "session": "s-laptop", "message": LAST_ANSWER, "history": ordered},
    ]


def main() -> None:
    """Records every turn, the history of a session carrying the raw replies before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--regression", type=Path, required=True)
    options = parser.parse_args()
    said: dict[str, list[dict[str, str]]] = {}
    recorded: list[dict[str, Any]] = []
    for turn in conversations(options.regression):
        history = turn.get("history") or said.get(turn["session"], [])
        passages = [{"text": p["text"], "title": p["title"]} for p in turn.get("passages", [])]
        system = "\n\n".join(part for part in (turn["agent"]["instructions"], hand_out(passages).prompt()) if part)
        asked = [*history, {"role": "user", "content": turn["message"]}]
        deltas = stream(options.base_url, [{"role": "system", "content": system}, *asked])
        said[turn["session"]] = [*asked, {"role": "assistant", "content": "".join(deltas)}]
        recorded.append({**turn, "history": turn.get("history"), "passages": passages or None, "deltas": deltas})
        sys.stderr.write(f"{turn['session']}: {''.join(deltas)!r}\n")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"turns": recorded}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
