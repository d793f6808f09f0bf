"""Runs `afterturn regress` and `afterturn compare-designs` on the live model: sections of docs/measurements.md.

Usage::

    python benchmarks/measure_designs.py regress -- --suite rag -o regress.json
    python benchmarks/measure_designs.py compare-designs -- --repeats 3 -o designs.json --markdown designs.md

What follows `--` goes to the command. The server has two slots: a prompt of 15,000 tokens takes minutes to read, and
the classification, whose prompt is another, must not take its place in the cache.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from live_server import start_server

LIVE_MODEL = Path("~/.cache/afterturn/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").expanduser()
CONTEXT = {"regress": 8_192, "compare-designs": 18_432}


def main() -> int:
    """Starts the server, runs the command at it, and gives its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=list(CONTEXT))
    parser.add_argument("--model", type=Path, default=LIVE_MODEL, help="a GGUF file")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--prompt-threads", type=int, default=2)
    parser.add_argument("--log", type=Path, help="where the server's own log goes")
    own, rest = sys.argv[1:], list[str]()
    if "--" in own:
        own, rest = own[: own.index("--")], own[own.index("--") + 1 :]
    options = parser.parse_args(own)
    name = options.model.stem.lower()
    given = ["--models", f"openai:{name}"] if options.command == "regress" else ["--model", name]
    with start_server(
        options.model,
        threads=options.threads,
        prompt_threads=options.prompt_threads,
        ctx=CONTEXT[options.command],
        slots=2,
        log_path=options.log,
    ) as server:
        env = {**os.environ, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        command = [sys.executable, "-m", "afterturn", options.command, *given, *rest]
        return subprocess.run(command, env=env, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
