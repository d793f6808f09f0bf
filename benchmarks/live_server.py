"""Run an OpenAI-compatible llama.cpp server on 127.0.0.1 for the live measurements.

The server of the `xllamacpp` wheel lives in a process of its own, because its C++ threads cannot be ended in-process
and a crash in it must not take the measurement along. The child ends with its parent: it stops when its standard input
closes.

Usage::

    python benchmarks/live_server.py MODEL.gguf [--port 8080] [--threads 1] [--prompt-threads 2] [--slots 1]

prints the base URL once the model answers and runs until Ctrl-C or SIGTERM. From Python::

    with start_server(path) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="none")
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

_HOST = "127.0.0.1"
_READY_PREFIX = "ready "
_POLL_S = 0.1


class ServerError(Exception):
    """The server did not come up; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class LiveServer:
    """A running server: `base_url` ends with `/v1`; `stop()` ends it and may be called twice."""

    base_url: str
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """End the server process and wait for it."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_server(
    model_path: str | os.PathLike[str],
    *,
    port: int = 0,
    threads: int = 1,
    ctx: int = 8192,
    slots: int = 1,
    prompt_threads: int | None = None,
    log_path: str | os.PathLike[str] | None = None,
) -> LiveServer:
    """Start a server in a process of its own and return when it is healthy.

    Args:
        model_path: a GGUF file.
        port: TCP port on 127.0.0.1; 0 takes a free one.
        threads: threads for decoding. One by default: with as many threads as cores, every step waits for the slowest
            core, so one busy core slows decoding many times over.
        ctx: context of one request in tokens.
        slots: requests that are decoded side by side; the cache holds `ctx * slots` tokens.
        prompt_threads: threads for reading the prompt, by default as many as `threads`. Two halve the time of a long
            prompt when both cores are idle.
        log_path: where the server's own log goes; dropped by default.

    Raises:
        ServerError: the file is missing, `xllamacpp` is not installed, or the model did not load.
    """
    path = Path(model_path)
    if not path.is_file():
        raise ServerError(f"no model at {path}; run benchmarks/fetch_live_model.py")
    command = [sys.executable, str(Path(__file__).resolve()), str(path), "--until-stdin-closes"]
    for name, value in (("port", port), ("threads", threads), ("ctx", ctx), ("slots", slots)):
        command += [f"--{name}", str(value)]
    if prompt_threads is not None:
        command += ["--prompt-threads", str(prompt_threads)]
    with Path(log_path or os.devnull).open("ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(_READY_PREFIX):
            return LiveServer(base_url=line.removeprefix(_READY_PREFIX).strip(), process=process)
    status = process.wait()
    raise ServerError(f"the server ended with status {status} before it was healthy; give log_path to see why")


def _load(arguments: argparse.Namespace) -> Any:
    """Load the model and open the port; returns the server object, which must stay referenced."""
    # OpenMP workers that spin between two steps would eat the core of the measurement itself.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(arguments.model)
    params.model_alias = {arguments.model.stem}
    params.hostnames = [_HOST]
    params.port = arguments.port
    params.n_ctx = arguments.ctx * arguments.slots
    params.n_parallel = arguments.slots
    params.cpuparams.n_threads = arguments.threads
    params.cpuparams_batch.n_threads = arguments.prompt_threads or arguments.threads
    params.endpoint_metrics = True
    params.endpoint_props = True
    params.ui = False
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ServerError("the model did not load; the log above says why") from error


def _wait_healthy(address: str, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5) as response:
                if json.load(response).get("status") == "ok":
                    return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            pass
        if time.monotonic() > deadline:
            raise ServerError(f"not healthy within {timeout_s:.0f} s")
        time.sleep(_POLL_S)


def _serve(arguments: argparse.Namespace) -> int:
    stop = threading.Event()

    def on_signal(*_: object) -> None:
        stop.set()

    def on_stdin_close() -> None:
        sys.stdin.read()
        stop.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    if arguments.until_stdin_closes:
        threading.Thread(target=on_stdin_close, daemon=True).start()
    # The library writes to file descriptor 1 as well: keep the real one for our own line, and send the rest to stderr.
    own_stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = _load(arguments)
    address = str(server.listening_address)
    _wait_healthy(address, arguments.timeout_s)
    prefix = _READY_PREFIX if arguments.until_stdin_closes else ""
    print(f"{prefix}{address}/v1", file=own_stdout, flush=True)
    stop.wait()
    # Its worker threads may be in the middle of a decode, and nothing here needs an orderly end.
    os._exit(0)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--prompt-threads", type=int, help="threads for reading the prompt (default: as --threads)")
    parser.add_argument("--ctx", type=int, default=8192, help="tokens of context of one request")
    parser.add_argument("--slots", type=int, default=1, help="requests decoded side by side")
    parser.add_argument("--timeout-s", type=float, default=120.0, help="how long the model may take to load")
    parser.add_argument("--until-stdin-closes", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        return _serve(arguments)
    except (ServerError, ImportError) as error:
        print(f"live_server: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
