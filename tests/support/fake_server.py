"""A real HTTP server on the loopback address that answers as it is told and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

BREAKS = b"X-Breaks: 1"
"""A reply with this header is sent and the connection reset after it."""


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class FakeServer:
    """Answers with the scripted steps in turn, the last one repeated."""

    base_url: str = ""
    asked: list[Asked] = field(default_factory=list[Asked])
    steps: list[Callable[[Asked], bytes | None]] = field(default_factory=list[Callable[[Asked], "bytes | None"]])
    serving: dict[asyncio.Task[None], asyncio.StreamWriter] = field(
        default_factory=dict[asyncio.Task[None], asyncio.StreamWriter]
    )

    def says(self, *steps: bytes | Callable[[Asked], bytes | None]) -> None:
        """Sets the script. A step is the whole HTTP reply, or a function of what was asked; None never answers."""
        self.steps = [(lambda _, raw=step: raw) if isinstance(step, bytes) else step for step in steps]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [asked.body for asked in self.asked]

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.serving[asyncio.ensure_future(self._serve(reader, writer))] = writer

    async def hang_up(self) -> None:
        for writer in self.serving.values():
            writer.transport.abort()
        await asyncio.gather(*self.serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await _read(reader)) is not None:
                self.asked.append(asked)
                step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
                raw = step(asked)
                if raw is None:
                    await reader.read()  # until the client gives up
                    break
                writer.write(raw)
                await writer.drain()
                if BREAKS in raw:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *lines = head.decode().rstrip("\r\n").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(path=first.split(" ")[1], headers=headers, body=json.loads(raw or b"{}"))


def http(status: int, body: object, *, headers: str = "", content_type: str = "application/json") -> bytes:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {len(raw)}\r\n{headers}\r\n"
    return head.encode() + raw


def chat(content: str | None, *, finish: str = "stop", message: object = None, logprobs: object = None) -> bytes:
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": message or {"role": "assistant", "content": content},
        "logprobs": logprobs,
    }
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return http(200, {**head, "choices": [choice], "usage": usage})


@dataclass(frozen=True)
class Replies:
    """Builders of raw HTTP replies."""

    http = staticmethod(http)
    chat = staticmethod(chat)
