"""Counts what a judge uses, and what that costs where its prices are known. An unknown price is unknown, not 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from afterturn.calls import Answer, Call, Judge
from afterturn.errors import JudgeError
from afterturn.judges.wrap._base import Around


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """Is what a model's tokens cost.

    Attributes:
        input_usd_per_million: US dollars for a million tokens in.
        output_usd_per_million: US dollars for a million tokens out.
    """

    input_usd_per_million: float
    output_usd_per_million: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """The cost of that many tokens in US dollars."""
        millions = 1_000_000
        return (input_tokens * self.input_usd_per_million + output_tokens * self.output_usd_per_million) / millions


@dataclass(frozen=True, kw_only=True, slots=True)
class Spend:
    """Is what a judge used so far.

    Attributes:
        calls: Calls asked, the failed ones included.
        uncounted: Calls whose tokens nobody told: failed ones, and those of judges that do not say.
        input_tokens: Tokens in, of the counted calls.
        output_tokens: Tokens out, of the counted calls.
        cost_usd: What the counted calls cost in US dollars, or None where the price is unknown. A lower bound where
            `uncounted` is above 0.
    """

    calls: int = 0
    uncounted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


class Cost(Around):
    """Counts the calls of the judge inside.

    Args:
        judge: The judge.
        prices: Prices by judge name (`openai:gpt-…`).
    """

    def __init__(self, judge: Judge, *, prices: Mapping[str, Price] | None = None) -> None:
        super().__init__(judge)
        self._price = (prices or {}).get(judge.name)
        self._spend = Spend(cost_usd=None if self._price is None else 0.0)

    @property
    def spend(self) -> Spend:
        """What was used so far."""
        return self._spend

    async def ask(self, call: Call) -> Answer:
        """Answers a call and counts it.

        Raises:
            JudgeError: Whatever the judge inside raised.
        """
        try:
            answer = await self._judge.ask(call)
        except JudgeError:
            self._count(None, None)
            raise
        self._count(answer.usage.input_tokens, answer.usage.output_tokens)
        return answer

    def _count(self, input_tokens: int | None, output_tokens: int | None) -> None:
        before = self._spend
        if input_tokens is None or output_tokens is None:
            self._spend = replace(before, calls=before.calls + 1, uncounted=before.uncounted + 1)
            return
        tokens_in, tokens_out = before.input_tokens + input_tokens, before.output_tokens + output_tokens
        self._spend = Spend(
            calls=before.calls + 1,
            uncounted=before.uncounted,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost_usd=None if self._price is None else self._price.of(tokens_in, tokens_out),
        )
