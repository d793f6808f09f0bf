"""Asks an HTTP endpoint: the row's id and conversation as JSON, and a reply in any form that `reply_from` reads."""

from __future__ import annotations

from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._http import Endpoint
from afterturn.evals.targets._replies import reply_from
from afterturn.formats import message_to_json
from afterturn.turns import JsonObject, JsonValue


def question(row: Row) -> dict[str, JsonValue]:
    """Writes what an agent outside is told of a row: never what is expected of it."""
    return {"id": row.id, "input": row.text, "messages": [message_to_json(message) for message in row.input]}


class HttpTarget:
    """Is an endpoint under test.

    Args:
        endpoint: Where it is.
    """

    free = False

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.url
        self.options: JsonObject = {}
        self._endpoint = endpoint

    async def ask(self, row: Row) -> Reply:
        """Posts the row.

        Raises:
            AgentError: With the code of what went wrong.
        """
        return reply_from(await self._endpoint.post(question(row)), row)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._endpoint.aclose()


def open_http(url: str) -> Target:
    """Makes a target of an address."""
    return HttpTarget(Endpoint(url))
