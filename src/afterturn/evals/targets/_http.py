"""Sends one JSON request and reads one reply, for the targets that are at an address."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from afterturn import failopen
from afterturn.errors import AgentError, UsageError
from afterturn.formats import FormatProblem, parse_json
from afterturn.judges._quiet import quiet
from afterturn.turns import JsonObject, JsonValue

KEY_VARIABLE = "AFTERTURN_TARGET_KEY"
MOST_BYTES = 32 * 2**20
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_PARAMETER = re.compile(r"(?i)(?:key|token|secret|password|signature|sig|code)$")
_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def check_address(url: str) -> None:
    """Refuses an address that holds a key: it would stand in the run's file, in reports and in logs.

    Raises:
        UsageError: It holds one, or is no address.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise UsageError(f"{url!r} is no address; write http://HOST/PATH or https://HOST/PATH")
    if parts.username or parts.password:
        raise UsageError(f"the address of the target holds a password; set {KEY_VARIABLE} in the environment instead")
    for name, value in parse_qsl(parts.query):
        if _SECRET_PARAMETER.search(name) and not _VARIABLE.fullmatch(value):
            raise UsageError(f"the address of the target holds a key; write {name}=${{VARIABLE}} and set that variable")


def is_local(url: str) -> bool:
    """Whether the address is this machine."""
    return urlsplit(url).hostname in _LOCAL


class Endpoint:
    """Is an address that takes JSON. It follows no redirect, retries nothing, and has no deadline of its own.

    Args:
        url: The address; `${VARIABLE}` in it is filled from the environment when it is used.
        key: The bearer token, or None for the one in `AFTERTURN_TARGET_KEY`, if that is set.

    Raises:
        UsageError: The address holds a key, or is none.
    """

    def __init__(self, url: str, *, key: str | None = None) -> None:
        check_address(url)
        self.url = url
        self._key = key or os.environ.get(KEY_VARIABLE)
        self._client: Any = None

    async def post(self, body: JsonObject) -> JsonValue:
        """Sends JSON and gives the reply: what the JSON is, or the text.

        Raises:
            AgentError: `unreachable`, `rate_limited`, `unauthorized`, `server_error`, `http_404`, …, or `bad_reply`.
        """
        library = _library()
        if self._client is None:
            self._client = library.AsyncClient(timeout=None, headers=self._headers())
        address = _filled(self.url)
        try:
            with quiet():  # the library logs addresses, and this one may hold a key now
                response = await self._client.post(address, json=body)
        except (library.HTTPError, library.InvalidURL) as error:
            failure = AgentError("unreachable", f"{type(error).__name__}; is the agent's server running?")
        else:
            return _read(response)
        raise failure  # here, so that the library's error, which holds the request, is not kept as its context

    async def aclose(self) -> None:
        """Closes the connections."""
        client, self._client = self._client, None
        if client is not None:
            await failopen.acall("evals.close", client.aclose, lambda _: None)

    def _headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}


def _library() -> Any:
    try:
        return importlib.import_module("httpx2")
    except ImportError:
        raise UsageError(
            "httpx2 is not installed, and a target at an address needs it; pip install 'afterturn[evals]'"
        ) from None


def _filled(url: str) -> str:
    def value(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise AgentError("no_key", f"the variable {found[1]} of the target's address is not set; set it")
        return os.environ[found[1]]

    return _VARIABLE.sub(value, url)


def _read(response: Any) -> JsonValue:
    status = int(response.status_code)
    if status == 429:
        wait = response.headers.get("retry-after", "")
        seconds = float(wait) if wait.replace(".", "", 1).isdigit() else None
        raise AgentError("rate_limited", "the agent's server limits the rate", retry_after_s=seconds)
    if status in (401, 403):
        raise AgentError("unauthorized", f"the agent's server refused the key; check {KEY_VARIABLE}")
    if status >= 500:
        raise AgentError("server_error", f"the agent's server answered {status}")
    if not 200 <= status < 300:
        raise AgentError(f"http_{status}", f"the agent's server answered {status}; check the address and the body")
    if len(response.content) > MOST_BYTES:
        raise AgentError("bad_reply", "the agent's reply is longer than 32 MB")
    kind = str(response.headers.get("content-type", ""))
    if "html" in kind:
        raise AgentError("bad_reply", "the agent's server gave a web page (a login, a proxy?); check the address")
    if kind and "json" not in kind:
        return str(response.text)
    try:
        return parse_json(str(response.text))
    except FormatProblem:
        if kind:  # an outage must not count as what the agent said
            raise AgentError("bad_reply", "the agent's server gave broken JSON; look at what stands between") from None
        return str(response.text)
