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
        from afterturn.evals.targets.command import open_command

        return open_command(spec.removeprefix("command:"))
    if Path(spec).suffix.lower() in _TURNS:
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
    return open_chat(url, options) if chat else open_http(url)


def _imported(spec: str, options: TargetOptions) -> Target:
    from afterturn.evals.targets._importing import imported
    from afterturn.evals.targets._objects import wrapped
    from afterturn.evals.targets.python import open_python

    found = imported(spec)
    if isinstance(found, Target):
        return found
    return wrapped(found, spec, options) or open_python(spec, found)
