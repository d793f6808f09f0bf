"""Keeps a run in a file while it goes on: a header line, a line a result, a summary line at the end.

Every result is handed to the operating system at once, so that a killed process loses nothing that was done, and is
forced onto the disk once a second, so that a power cut loses a second. A line that was cut in the middle is no result:
reading passes over it, and resuming cuts it off.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, cast

from afterturn.errors import OutputError, UnreadableInputError
from afterturn.evals._codec import header_from_json, header_to_json, result_from_json, result_to_json
from afterturn.evals._keys import Hashes, hash_of
from afterturn.evals._records import BAD_LINE, RowResult
from afterturn.evals._redact import may_hold_secrets, without_secrets
from afterturn.evals._run_records import RunHeader, RunSummary
from afterturn.evals._summary import summarize
from afterturn.formats import dump_json, writing
from afterturn.turns import JsonValue

_RESULT = b'{"type": "result"'
FORCE_EVERY_S = 1.0
LineType = Literal["run", "resumed", "result", "summary"]


class RunWriter:
    """Writes a run, result by result.

    Make it by `create` or `resume`. It is a context manager; leaving it forces everything onto the disk.

    Args:
        path: The run's file.
        stream: The file, open for appending.
        clock: Gives seconds; given in tests.
    """

    def __init__(self, path: Path, stream: IO[bytes], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._stream = stream
        self._clock = clock
        self._forced_s = clock()
        self._forced = True

    @classmethod
    def create(cls, path: Path, header: RunHeader) -> RunWriter:
        """Begins a new file.

        Raises:
            OutputError: The file is there already, or cannot be written.
        """
        try:
            stream = path.open("xb")
        except FileExistsError:
            hint = f"continue it by `afterturn eval resume {path}`, or choose another name"
            raise OutputError(f"{path} is there already; {hint}") from None
        except OSError as error:
            told = error.strerror or type(error).__name__
            raise OutputError(f"{path} cannot be written: {told}; name a file in a folder that is there") from None
        writer = cls(path, stream)
        writer._lock()
        writer._write("run", header_to_json(header))
        return writer

    @classmethod
    def resume(cls, path: Path) -> RunWriter:
        """Goes on with a file; a half-written last line is cut off.

        Raises:
            OutputError: The file cannot be written, or another process is writing it.
        """
        try:
            stream = path.open("r+b")
        except OSError as error:
            raise _unwritable(path, error) from None
        writer = cls(path, stream)
        writer._lock()
        stream.truncate(_whole_lines(stream))
        stream.seek(0, os.SEEK_END)
        return writer

    def add(self, result: RowResult) -> None:
        """Writes one result.

        Raises:
            OutputError: It cannot be written, because the disk is full, say. What was written before stays.
        """
        self._write("result", result_to_json(result))

    def rows(self, rows: int, *, bad_lines: int = 0) -> None:
        """Notes how many rows the dataset has where a run is resumed: it may have got more, and been mended."""
        self._write("resumed", {"rows": rows, "bad_lines": bad_lines})

    def finish(self, summary: Mapping[str, JsonValue]) -> None:
        """Writes the summary and forces everything onto the disk."""
        self._write("summary", summary, force=True)

    def close(self) -> None:
        """Forces everything onto the disk and closes the file; closing twice does nothing."""
        if self._stream.closed:
            return
        try:
            if not self._forced:
                self._force()
        finally:
            with suppress(OSError):  # told already: what a full disk did not take is still held
                self._stream.close()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, kind: LineType, value: Mapping[str, JsonValue], *, force: bool = False) -> None:
        line = dump_json({"type": kind, **value})
        if may_hold_secrets(line):
            line = dump_json(without_secrets({"type": kind, **value}))
        self._forced = False
        try:
            self._stream.write(f"{line}\n".encode())
            self._stream.flush()
        except OSError as error:
            raise _unwritable(self._path, error) from None
        if force or self._clock() - self._forced_s >= FORCE_EVERY_S:
            self._force()

    def _force(self) -> None:
        try:
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            if self._path.is_file():  # a pipe or a device cannot be forced, and need not
                raise _unwritable(self._path, error) from None
        self._forced_s, self._forced = self._clock(), True

    def _lock(self) -> None:
        """Keeps a second process from writing the same run; systems without such locks go without."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._stream.close()
            raise OutputError(f"{self._path} is being written by another process; wait until it has ended") from None
        except OSError:
            return  # some network file systems have no locks


class RunFile:
    """Reads a run's file, as often as wanted and one line at a time.

    Args:
        path: The file.

    Raises:
        UnreadableInputError: It cannot be read, or is no run.

    Attributes:
        path: The file.
        header: What the run was started with.
        stop: Why it stopped before its end; `interrupted` where no summary follows its last result.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stop: str | None = "interrupted"
        first = next(self._lines(), None)
        if first is None or first.get("type") != "run":
            raise UnreadableInputError(f"{path} is no run of `afterturn eval run`; its first line is not a header")
        try:
            self.header = header_from_json(first)
        except (KeyError, TypeError, ValueError):
            raise UnreadableInputError(f"{path}: the header of the run is damaged; run it again") from None
        self._look_at_the_end()

    def results(self) -> Iterator[RowResult]:
        """The results, in the order in which they were done. A damaged line is no result; its row counts as not done.

        Raises:
            UnreadableInputError: The file cannot be read.
        """
        for line in self._lines():
            if line.get("type") == "result":
                try:
                    yield result_from_json(line)
                except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                    continue

    def done(self) -> Hashes:
        """The keys of the results that are there, for resuming."""
        return Hashes(done_key(result.row.content, result.repeat) for result in self.results())

    def summary(self) -> RunSummary:
        """The figures, added up from the results and not taken from what the file says of itself."""
        header = self.header
        found = summarize(self.results(), planned=header.planned, repeat=header.repeat, stop=self.stop)
        return replace(found, stop=None) if 0 < found.planned <= found.done else found

    def _look_at_the_end(self) -> None:
        """Finds out how many rows the run has by now, and how it ended."""
        for line in self._lines(results=False):
            kind = line.get("type")
            if kind == "summary":
                stop = line.get("stop")
                self.stop = stop if isinstance(stop, str) else None
            elif kind == "result":
                self.stop = "interrupted"
            elif kind == "resumed" and isinstance(line.get("rows"), int):
                bad_lines = line.get("bad_lines", self.header.bad_lines)
                self.header = replace(self.header, rows=line["rows"], bad_lines=bad_lines)

    def _lines(self, *, results: bool = True) -> Iterator[dict[str, Any]]:
        """Gives the lines; those of results empty but for their type where nobody wants them."""
        try:
            with self.path.open("rb") as stream:
                for raw in stream:
                    passed_over = not results and raw.startswith(_RESULT) and raw.endswith(b"\n")
                    line: dict[str, Any] | None = {"type": "result"} if passed_over else _parsed(raw)
                    if line is not None:
                        yield line
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UnreadableInputError(f"{self.path} cannot be read: {reason}; check the path and its rights") from None


def drop_errors(path: Path) -> int:
    """Takes the results that ended in an error out of a run, so that resuming does their rows again.

    Returns:
        How many there were.

    Raises:
        UnreadableInputError: It cannot be read, or is no run.
        OutputError: It cannot be written; then it is as it was.
    """
    RunFile(path)
    return _drop(path, lambda line: line.get("state") in ("agent_error", "judge_error"))


def drop_mended(path: Path, wanted: Hashes) -> None:
    """Takes the lines that were no rows, and stand in the dataset no more, out of a run: somebody mended it.

    Args:
        path: The run.
        wanted: The keys of all results of the dataset as it is now.

    Raises:
        UnreadableInputError: It cannot be read, or is no run.
        OutputError: It cannot be written; then it is as it was.
    """

    def mended(result: RowResult) -> bool:
        return result.reason == BAD_LINE and done_key(result.row.content, result.repeat) not in wanted

    gone = {(result.row.content, result.repeat) for result in RunFile(path).results() if mended(result)}
    if gone:
        _drop(path, lambda line: (line.get("content"), line.get("repeat")) in gone)


def _drop(path: Path, unwanted: Callable[[dict[str, Any]], bool]) -> int:
    """Writes a run anew without some of its results, and without what it says of its end; gives how many there were."""
    dropped = 0
    with path.open("rb") as stream, writing(path) as out:
        for raw in stream:
            line = _parsed(raw)
            if line is not None and unwanted(line):
                dropped += 1
            elif line is not None and line.get("type") != "summary":
                out.write(raw)
    return dropped


def done_key(content: str, repeat: int) -> int:
    """The key by which a result is found when a run is resumed: content and repeat; the setup is the file's."""
    return hash_of(content, repeat)


def _parsed(raw: bytes) -> dict[str, Any] | None:
    if not raw.endswith(b"\n"):
        return None
    try:
        value: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _whole_lines(stream: IO[bytes]) -> int:
    """Finds the length of a file without its half-written last line."""
    end = stream.seek(0, os.SEEK_END)
    place = end
    while place > 0:
        start = max(place - 65_536, 0)
        stream.seek(start)
        newline = stream.read(place - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        place = start
    return 0


def _unwritable(path: Path, error: OSError) -> OutputError:
    reason = error.strerror or type(error).__name__
    return OutputError(f"{path} cannot be written: {reason}; check the disk and its rights, then resume the run")
