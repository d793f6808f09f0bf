"""Has one turn with the answering model: its tools are stubs, and what it does with them is noted."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from afterturn.designs._chat import Chat
from afterturn.designs._conversations import Setting
from afterturn.designs._records import Tokens
from afterturn.formats import parse_arguments
from afterturn.language import QUESTION_MARKS
from afterturn.stream import clean
from afterturn.turns import JsonObject, JsonValue, Message, Tool, ToolCall

MOST_STEPS = 4
"""Model calls in one answer: a form, an answer, and room for a model that fills the form in pieces."""

_LINK = re.compile(r"\]\([^)\s]*\)|https?://\S+")
_ASKED = re.compile(f"[{re.escape(''.join(QUESTION_MARKS))}]+")


@dataclass(kw_only=True, slots=True)
class Answered:
    """Is one turn of the answering model under way.

    Attributes:
        added: The messages that followed the customer's, raw.
        report: Arguments of the reporting tool's last call, or None where it was not called.
        called: Whether the reporting tool was called.
        filled: Form fields that calls recorded.
        calls: Model calls so far.
        seconds: What they took.
        tokens: Their tokens.
    """

    added: list[Message] = field(default_factory=list[Message])
    report: JsonValue = None
    called: bool = False
    filled: set[str] = field(default_factory=set[str])
    calls: int = 0
    seconds: float = 0.0
    tokens: Tokens = field(default_factory=Tokens)

    @property
    def text(self) -> str:
        """What the model wrote for the customer, raw."""
        return "\n".join(message.text for message in self.added if message.role == "assistant" and message.text)

    def leaked(self, tools: Sequence[Tool]) -> tuple[str, ...]:
        """Names of the tools whose calls stand in the text, as the stream filter sees them."""
        return clean(self.text, tools=[tool.name for tool in tools]).leaks

    @property
    def questions(self) -> int:
        """How many questions the customer is asked; those within links are none."""
        return len(_ASKED.findall(_LINK.sub("]", self.text)))


async def answer(
    chat: Chat,
    before: Sequence[Message],
    setting: Setting,
    tools: Sequence[Tool],
    *,
    reporting: str | None = None,
    choice: JsonValue = None,
    seed: int | None = None,
) -> Answered:
    """Has the model answer, until it calls no tool whose result it has to see.

    Args:
        chat: The model.
        before: The system message, the history and the customer's message.
        setting: The form's tool and what it answers.
        tools: Tools on offer.
        reporting: Name of the reporting tool, where there is one.
        choice: What must be called, where that is forced; then it is one single generation.
        seed: Seed of the sampling.

    Raises:
        AgentError: The model could not be asked.
    """
    found = Answered()
    while found.calls < MOST_STEPS:
        done = await chat.ask([*before, *found.added], tools=tools, tool_choice=choice, seed=seed)
        found.calls, found.seconds = found.calls + 1, found.seconds + done.seconds
        found.tokens += done.tokens
        found.added.append(done.message)
        for call in done.message.tool_calls:
            found.added.append(_result(call, found, setting, reporting))
        if choice is not None or _over(done.message, found, reporting):
            break
    return found


def _over(message: Message, found: Answered, reporting: str | None) -> bool:
    """Whether the turn is over: a report beside an answer asks for no further step."""
    if all(call.name == reporting for call in message.tool_calls):
        return not message.tool_calls or bool(found.text.strip())
    return False


def _result(call: ToolCall, found: Answered, setting: Setting, reporting: str | None) -> Message:
    arguments = parse_arguments(call.raw_arguments) if call.arguments is None else call.arguments
    result: JsonObject = {"error": "there is no such tool"}
    if call.name == reporting:
        found.called, found.report, result = True, arguments, {"reported": True}
    elif call.name == setting.tool.name:
        found.filled.update(key for key, value in (arguments or {}).items() if isinstance(value, str) and value.strip())
        result = setting.result
    return Message(role="tool", text=json.dumps(result), tool_call_id=call.id, name=call.name)
