"""Is the live model as an agent under test: `--target benchmarks/live_agent.py:agent`.

Asks the server of `OPENAI_BASE_URL` without tools, at temperature 0, with short answers: llama.cpp gives no tool calls
with this model's chat format, and a small model that is let run on repeats itself up to the end of its context.
"""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any

from afterturn.evals import Row
from afterturn.formats import message_to_json

MAX_TOKENS = 60
TIMEOUT_S = 600


def agent(row: Row) -> str:
    """Answers the conversation of a row."""
    body: dict[str, Any] = {
        "messages": [message_to_json(message) for message in row.input],
        "max_tokens": MAX_TOKENS,
        "temperature": 0,
    }
    request = urllib.request.Request(
        f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
        return json.load(response)["choices"][0]["message"]["content"]
