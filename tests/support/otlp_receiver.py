"""A real OTLP/HTTP receiver on the loopback address: decodes what an exporter sends and answers as it is told."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse


@dataclass
class Event:
    name: str
    attributes: dict[str, Any]
    time_unix_nano: int
    resource: dict[str, Any]
    scope: str


@dataclass
class Receiver:
    """Holds what arrived; `status` is what it answers."""

    endpoint: str = ""
    status: int = 200
    bodies: list[bytes] = field(default_factory=list[bytes])
    paths: list[str] = field(default_factory=list[str])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    asked: threading.Event = field(default_factory=threading.Event)

    @property
    def requests(self) -> list[ExportLogsServiceRequest]:
        return [ExportLogsServiceRequest.FromString(body) for body in self.bodies]

    @property
    def events(self) -> list[Event]:
        return [event for body in self.bodies for event in _decoded(body)]


@contextmanager
def receiving() -> Generator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            if receiver.status == 200:
                receiver.bodies.append(body)
                receiver.paths.append(self.path)
                receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            receiver.asked.set()
            reply = ExportLogsServiceResponse().SerializeToString()
            self.send_response(receiver.status)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    receiver.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _decoded(body: bytes) -> list[Event]:
    request = ExportLogsServiceRequest.FromString(body)
    return [
        Event(
            name=record.event_name,
            attributes={one.key: _value(one.value) for one in record.attributes},
            time_unix_nano=record.time_unix_nano,
            resource={one.key: _value(one.value) for one in group.resource.attributes},
            scope=scoped.scope.name,
        )
        for group in request.resource_logs
        for scoped in group.scope_logs
        for record in scoped.log_records
    ]


def _value(value: Any) -> Any:
    return getattr(value, value.WhichOneof("value"))
