"""Checks a turn that the host built itself: whether it could be read back once it is written."""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.formats._fields import read_id
from afterturn.formats._passages import refuse_doubles
from afterturn.formats._problem import FormatProblem
from afterturn.formats.openai import read_role
from afterturn.turns import Turn


def check_turn(turn: Turn, *, where: str) -> None:
    """Refuses what `turn_from_json` would refuse of the written turn, without reading all of it again.

    Args:
        turn: The turn.
        where: What the turn is, for the error.

    Raises:
        TurnFormatError: Messages, an id, a role, a name or an alias is not as it must be; names the place.
    """
    try:
        _check_ids(turn)
        _check_messages(turn)
        _check_names("categories", [name.strip() for name in turn.agent.categories])
        _check_names("tools", [tool.name for tool in turn.agent.tools])
        refuse_doubles([passage.alias for passage in turn.passages or ()])
    except FormatProblem as problem:
        problem.where = where
        raise


def _check_ids(turn: Turn) -> None:
    agent = turn.agent
    read_id(turn.tenant, "tenant")
    read_id(agent.id, "agent")
    read_id(agent.parent, "parent_agent")
    read_id(turn.session, "session")
    read_id(turn.id, "turn")


def _check_messages(turn: Turn) -> None:
    if not turn.messages:
        raise FormatProblem("the messages are empty", "a turn has at least the customer's message")
    for index, message in enumerate(turn.messages):
        read_role(message.role, f"messages[{index}]")
        _check_names(f"messages[{index}].tool_calls", [call.name for call in message.tool_calls])


def _check_names(path: str, names: Sequence[str]) -> None:
    for index, name in enumerate(names):
        if not name:
            raise FormatProblem(f"{path}[{index}] has no name", "name it, or leave it out")
