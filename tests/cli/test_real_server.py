"""`afterturn classify` through a real llama.cpp server: OpenAI-compatible, a real model, streaming and json_schema."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afterturn.stream import CleanStream

MODEL = Path("~/.cache/afterturn/smollm2-135m-instruct-q4_1.gguf").expanduser()
SERVER = Path(__file__).parents[2] / "benchmarks" / "live_server.py"

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(
        not MODEL.is_file(), reason="no small model: python benchmarks/fetch_live_model.py --model smollm2"
    ),
    pytest.mark.skipif(not SERVER.is_file(), reason="benchmarks/live_server.py is not part of this distribution"),
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="xllamacpp is not installed"),
]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, str(SERVER), str(MODEL), "--port", "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    yield url
    process.terminate()
    process.communicate(timeout=20)


def test_turns_are_judged_by_a_real_model_and_every_answer_is_valid_or_a_typed_error(
    base_url: str, tmp_path: Path
) -> None:
    said = [("My parcel is late.", "It comes tomorrow."), ("hello", "Hello! How can I help?")]
    turns = [
        {
            "turn": f"t-{number}",
            "categories": ["Billing", "Shipping"],
            "messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}],
        }
        for number, (question, answer) in enumerate(said)
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    done = subprocess.run(
        [sys.executable, "-m", "afterturn", "classify", str(path), "--judge", "openai:smollm2"],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "none"},
        check=False,
    )
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [line["turn"] for line in lines] == ["t-0", "t-1"]
    for line in lines:
        assert set(line["categories"] or ()) <= {"Billing", "Shipping"}
        assert all(v["status"] != "error" or v["reason"] in ("truncated", "invalid_json") for v in line["verdicts"])
    asked = [v for v in lines[0]["verdicts"] if v["classifier"] == "safety"]
    assert [v["judge"] for v in asked] == ["openai:smollm2"]
    assert lines[1]["title"] is None


def test_the_stream_of_a_real_server_comes_out_clean_and_whole(base_url: str) -> None:
    body = {
        "model": "smollm2",
        "stream": True,
        "temperature": 0,
        "max_tokens": 40,
        "messages": [{"role": "user", "content": "Say hello."}],
    }
    request = urllib.request.Request(
        f"{base_url}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        events = [json.loads(line[6:]) for line in response if line.startswith(b"data: {")]
    stream = CleanStream(events, aliases=["c1"], tools=["search"])
    text = "".join(stream)
    said = [choice["delta"].get("content") or "" for event in events for choice in event["choices"]]
    assert text == "".join(said)
    assert text
    assert not stream.messages[-1].incomplete
