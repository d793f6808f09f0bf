"""Opens an agent under test by how it is written (CONTRACT `--target`)."""

from __future__ import annotations

from pathlib import Path

from afterturn.errors import UsageError
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._options import TargetOptions

_TURNS = (".jsonl", ".ndjson", ".parquet", ".pq")
_FORMS = (
    "module:callable, a URL (with --model an OpenAI-compatible one), 'command:PROGRAM …', or a file of recorded turns"
)


def open_target(spec: str, options: TargetOptions | None = None) -> Target:
    """Opens an agent under test.

    Args:
        spec: `module:callable` (or `file.py:callable`), a URL, `command:…`, or a file of recorded turns. An address is
            OpenAI-compatible where a model is named or it ends in `/v1` or `/chat/completions`; `chat+https://…` and
            `post+https://…` say which it is.
        options: What else is said about it.

    Raises:
        UsageError: It is none of these, or what it names is not there.
        UnreadableInputError: The file of turns cannot be read.
    """
    options = options or TargetOptions()
    if "://" in spec:
        return _at_address(spec, options)
    if spec.startswith("command:"):
        _refuse_tools(options, "a command")
        from afterturn.evals.targets.command import open_command

        return open_command(spec.removeprefix("command:"))
    if Path(spec).suffix.lower() in _TURNS:
        _refuse_tools(options, "a file of recorded turns")
        from afterturn.evals.targets.recorded import open_recorded

        return open_recorded(Path(spec))
    if ":" not in spec:
        raise UsageError(f"{spec!r} is no target; give {_FORMS}")
    return _imported(spec, options)


def _at_address(spec: str, options: TargetOptions) -> Target:
    from afterturn.evals.targets.chat import PATH, open_chat
    from afterturn.evals.targets.http import open_http

    kind, plus, rest = spec.partition("+")
    url = rest if plus and kind in ("chat", "post") else spec
    scheme = url.split("://", 1)[0]
    if scheme not in ("http", "https"):
        raise UsageError(f"{scheme}:// is no address of an agent; write http:// or https://")
    path = url.split("?", 1)[0].rstrip("/")
    chat = bool(options.model) or path.endswith(("/v1", PATH))
    if plus and kind in ("chat", "post"):
        chat = kind == "chat"
    if chat:
        return open_chat(url, options)
    _refuse_tools(options, "an address that is not OpenAI-compatible")
    return open_http(url)


def _imported(spec: str, options: TargetOptions) -> Target:
    from afterturn.evals.targets._importing import imported
    from afterturn.evals.targets._objects import wrapped
    from afterturn.evals.targets.python import open_python

    found = imported(spec)
    if isinstance(found, Target):
        return found
    framework = wrapped(found, spec, options)
    if framework is None:
        _refuse_tools(options, "a plain callable")
    return framework or open_python(spec, found)


def _refuse_tools(options: TargetOptions, kind: str) -> None:
    """Refuses tools for an agent that has its own inside: nobody is to believe that they are stubs."""
    if options.tools or options.real_tools:
        raise UsageError(f"{kind} runs its own tools, which no stub replaces; leave out --tools and --real-tool")
