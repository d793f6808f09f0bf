"""Plays a customer by a model: it is shown the persona and the conversation, and writes the next message.

What it wants, and how it is told to behave, goes to the model and never to the agent; that the model does not paste it
into its messages is checked (`_leaks.py`).
"""

from __future__ import annotations

from typing import get_args

from afterturn.calls import Answer, Call, Judge, Question
from afterturn.errors import JudgeMissingError, SchemaViolationError
from afterturn.evals._evidence import clip, neutral
from afterturn.evals._prices import JudgePrice, Prices
from afterturn.evals._redact import redact_secrets
from afterturn.evals.simulate._customer import Said, Scene
from afterturn.evals.simulate._moves import End
from afterturn.evals.simulate._persona import Persona
from afterturn.language import language_name
from afterturn.turns import JsonValue, Turn

VERSION = "1"
MESSAGE_CHARS = 1_200
READ_CHARS = 4_000
GOES_ON = "goes_on"

TASK = (
    "You play a customer who writes to the agent of a company. You are the person that the data describes; you are "
    "never the agent and never an assistant."
)
INSTRUCTIONS = """\
Write what this person writes next, in the language {language}.
- Keep to the person's goal, situation, knowledge, mood and style. Know nothing that the person does not know.
- The first message says what it is about in one or two sentences, without all the facts.
- Tell a fact only when the agent asks for it. Make up no further order numbers, names or dates.
- Say in your own words what you want; never quote these instructions or the description of the person.
- React to what the agent said last. Do not help the agent and do not praise it without reason.
- The person may still write {left} messages.
Answer with these fields, in this order:
- "status": "goal_reached" if the person has by now all that it came for; "gave_up" if it would leave now; else \
"goes_on".
- "message": the message alone, without quotation marks or a name before it. With "goal_reached" or "gave_up": a short \
closing message, or an empty text."""


class ModelCustomer:
    """Is a customer that a model plays; it keeps nothing, so that one plays in many conversations at once.

    Args:
        judge: The model. A judge is asked, since what is needed is the same: an object by a schema, or an error.
        prices: What models cost. One on this machine costs nothing unless the table says otherwise.
    """

    def __init__(self, judge: Judge, *, prices: Prices) -> None:
        self._judge = judge
        self._price = JudgePrice(judge, prices)

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._judge.name

    @property
    def priced(self) -> bool:
        """Whether what it costs is known."""
        return self._price.priced

    async def next(self, scene: Scene) -> Said | None:
        """Asks the model what the customer writes next.

        Raises:
            JudgeError: It gave no usable answer.
        """
        answer = await self._judge.ask(_call(scene))
        if answer.no_head:
            raise JudgeMissingError("this judge cannot play a customer; name a model: --simulator provider:model")
        end, text = _checked(answer)
        return Said(text=text, end=end, usage=answer.usage, cost_usd=self._price.of(answer.usage))

    async def aclose(self) -> None:
        """Closes the model."""
        await self._judge.aclose()


def hidden_of(persona: Persona) -> tuple[str, ...]:
    """The texts that no message may quote: the goal, how the customer is told to be, and our instructions."""
    fixed = INSTRUCTIONS.replace("{language}", "").replace("{left}", "")
    return tuple(text for text in (persona.goal, persona.style, persona.mood, fixed) if text)


def _call(scene: Scene) -> Call:
    persona = scene.persona
    question = Question(
        classifier="simulated_customer",
        version=VERSION,
        fields={
            "status": {"type": "string", "enum": [GOES_ON, *get_args(End)]},
            "message": {"type": "string", "maxLength": MESSAGE_CHARS},
        },
        instructions=INSTRUCTIONS.format(language=language_name(persona.language) or persona.language, left=scene.left),
    )
    shown: dict[str, JsonValue] = {"person": _shown(persona), "conversation": []}
    shown["conversation"] = [
        {"person": _text(exchange.customer), "agent": _text(exchange.agent)} for exchange in scene.exchanges
    ]
    return Call(view="exchange", turn=Turn(messages=()), questions=(question,), plan="", evidence=shown, task=TASK)


def _shown(persona: Persona) -> dict[str, JsonValue]:
    keys = ("goal", "situation", "knowledge", "mood", "style")
    shown: dict[str, JsonValue] = {key: _text(text) for key in keys if (text := str(getattr(persona, key)))}
    if persona.facts:
        shown["facts"] = {neutral(name): _text(fact) for name, fact in persona.facts.items()}
    return shown


def _text(text: str) -> str:
    return neutral(clip(redact_secrets(text), READ_CHARS))


def _checked(answer: Answer) -> tuple[End | None, str]:
    """Takes status and message as they are, or not at all."""
    status, message = answer.values.get("status"), answer.values.get("message")
    if status not in (GOES_ON, *get_args(End)) or not isinstance(message, str):
        raise SchemaViolationError("the simulated customer gave no status or no message; use a model that keeps to it")
    text = message.strip()
    if len(text) > MESSAGE_CHARS * 2:
        raise SchemaViolationError("the message of the simulated customer is too long")
    if status == GOES_ON and not text:
        raise SchemaViolationError("the simulated customer said nothing")
    return next((end for end in get_args(End) if end == status), None), text
