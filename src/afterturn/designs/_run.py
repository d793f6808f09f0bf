"""Has the same conversations under each design, repeat by repeat, and tells of each turn as it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from afterturn.calls import Judge
from afterturn.designs._catch_up import find_way
from afterturn.designs._chat import Chat
from afterturn.designs._conversations import Conversation, load_setting
from afterturn.designs._designs import CONVERSATION, Session
from afterturn.designs._prompt import long_prompt
from afterturn.designs._records import DESIGNS, CatchUp, Comparison, DesignName, TurnFound
from afterturn.designs._report_tool import OBLIGATION_NAME, report_tool
from afterturn.errors import AgentError, UsageError
from afterturn.judges import open_judge
from afterturn.outcomes import Judgement
from afterturn.run import judge_turn
from afterturn.turns import Turn

_FORCING: tuple[DesignName, ...] = ("optional", "obligation", "protocol", "forced")

Show = Callable[[Comparison], object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Is what to measure.

    Attributes:
        model: Name of the model at the address of `OPENAI_BASE_URL`.
        prompt: The agent's prompt; None: the long one of the package.
        designs: The designs.
        conversations: Names of the conversations; all where none is given.
        repeats: How often each conversation is had.
        temperature: The temperature.
        max_tokens: Most tokens of one answer.
        deadline_s: Seconds that one answer may take.
        judge: Who classifies in answer-first; the model itself by default.
    """

    model: str
    prompt: str | None = None
    designs: tuple[DesignName, ...] = DESIGNS
    conversations: tuple[str, ...] = ()
    repeats: int = 1
    temperature: float = 0.0
    max_tokens: int = 400
    deadline_s: float = 900.0
    judge: str | None = None
    judge_name: str = field(init=False, default="")

    def __post_init__(self) -> None:
        unknown = [name for name in self.designs if name not in DESIGNS]
        if unknown or not self.designs:
            raise UsageError(f"no design is named {', '.join(map(repr, unknown))}; there are {', '.join(DESIGNS)}")
        object.__setattr__(self, "model", self.model.removeprefix("openai:"))
        object.__setattr__(self, "judge_name", self.judge or f"openai:{self.model}")


async def compare_designs(plan: Plan, show: Show = lambda so_far: None) -> Comparison:
    """Measures the designs.

    Args:
        plan: What to measure.
        show: Is told after each turn, with all turns so far.

    Returns:
        Every turn that was planned; one that the server did not answer has an error, and so have those after it in its
        conversation.

    Raises:
        UsageError: The plan names what there is not.
        AgentError: The server cannot be asked at all.
    """
    setting = load_setting(plan.conversations)
    prompt = "\n\n".join((long_prompt() if plan.prompt is None else plan.prompt, setting.instructions))
    chat = Chat(plan.model, temperature=plan.temperature, max_tokens=plan.max_tokens, deadline_s=plan.deadline_s)
    judge = open_judge(plan.judge_name, deadline_s=plan.deadline_s)
    try:
        way = await _way(chat, plan, setting.categories)
        turns = plan.repeats * sum(len(one.turns) for one in setting.conversations)
        left_out: tuple[DesignName, ...] = ("forced",) if "forced" in plan.designs and way == "schema" else ()
        designs: list[DesignName] = [name for name in plan.designs if name not in left_out]
        comparison = Comparison(
            model=plan.model,
            settings=_settings(plan, prompt, setting.conversations),
            catch_up=way,
            planned=dict.fromkeys(designs, turns),
            left_out=left_out,
        )
        for repeat in range(1, plan.repeats + 1):
            for conversation in setting.conversations:
                for design in designs:
                    session = Session(
                        chat=chat,
                        classify=_classifier(judge),
                        setting=setting,
                        prompt=prompt,
                        design=design,
                        way=way,
                        seed=repeat,
                    )
                    comparison = await _conversation(session, conversation, repeat, comparison, show)
        return comparison
    finally:
        await chat.aclose()
        await judge.aclose()


async def _way(chat: Chat, plan: Plan, categories: Sequence[str]) -> CatchUp | None:
    if not set(plan.designs).intersection(_FORCING):
        return None
    return await find_way(chat, report_tool(OBLIGATION_NAME, categories))


async def _conversation(
    session: Session, conversation: Conversation, repeat: int, so_far: Comparison, show: Show
) -> Comparison:
    """Has a conversation; after an error its further turns would be about something else, so they err as well."""
    error: str | None = None
    for number, said in enumerate(conversation.turns, start=1):
        found = TurnFound(design=session.design, repeat=repeat, conversation=conversation.name, turn=number)
        if error is None:
            try:
                found = await session.turn(said, found)
            except AgentError as failure:
                error = failure.code
                found = replace(found, error=error)
        else:
            found = replace(found, error="after_error")
        so_far = replace(so_far, turns=(*so_far.turns, found))
        show(so_far)
    return so_far


def _classifier(judge: Judge) -> Callable[[Turn], Any]:
    async def classify(turn: Turn) -> Judgement:
        (judgement,) = await judge_turn(turn, (CONVERSATION,), judge)
        return judgement

    return classify


def _settings(plan: Plan, prompt: str, conversations: Sequence[Conversation]) -> dict[str, Any]:
    return {
        "prompt": "package" if plan.prompt is None else "given",
        "prompt_characters": len(prompt),
        "designs": list(plan.designs),
        "conversations": [one.name for one in conversations],
        "repeats": plan.repeats,
        "temperature": plan.temperature,
        "max_tokens": plan.max_tokens,
        "judge": plan.judge_name,
    }
