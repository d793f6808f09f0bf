"""Knows what models cost: from a price table that the user gives; Afterturn guesses none. Unknown is None, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from afterturn._unreadable import why_unreadable
from afterturn.calls import Judge
from afterturn.errors import UsageError
from afterturn.judges import Price
from afterturn.verdicts import Usage

_KEYS = ("input_usd_per_million", "output_usd_per_million", "usd_per_call")


@dataclass(frozen=True, kw_only=True, slots=True)
class PerCall:
    """Is a flat price of one call, whatever it uses."""

    usd: float


@dataclass(frozen=True, slots=True)
class Prices:
    """Is a price table: by name of a judge (`openai:gpt-…`), of a target, or of a model."""

    table: Mapping[str, Price | PerCall]

    def knows(self, *names: str | None) -> bool:
        """Whether one of the names has a price."""
        return any(name in self.table for name in names if name)

    def of(self, usage: Usage, *names: str | None) -> float | None:
        """What a call cost by the first of the names that has a price; None where that is unknown."""
        price = next((self.table[name] for name in names if name and name in self.table), None)
        if isinstance(price, PerCall):
            return price.usd
        if price is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        return price.of(usage.input_tokens, usage.output_tokens)


class JudgePrice:
    """Is what the calls of one judge cost. One on this machine costs nothing unless the table says otherwise.

    Args:
        judge: The judge.
        prices: The table.

    Attributes:
        free: Whether a call costs nothing for sure.
        priced: Whether the cost of a call is known.
    """

    def __init__(self, judge: Judge, prices: Prices) -> None:
        known = prices.knows(judge.name)
        self.free = judge.location == "local" and not known
        self.priced = self.free or known
        self._name, self._prices = judge.name, prices

    def of(self, usage: Usage) -> float | None:
        """What a call cost; None where that is unknown."""
        return 0.0 if self.free else self._prices.of(usage, self._name)


def load_prices(path: Path | None) -> Prices:
    """Reads a price table: YAML or JSON, `NAME: {input_usd_per_million, output_usd_per_million}` or `{usd_per_call}`.

    Raises:
        UsageError: The file cannot be read, or a price is no number from 0 up.
    """
    if path is None:
        return Prices({})
    try:
        loaded: Any = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the price table cannot be read: {why_unreadable(error)}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: no price table ({type(error).__name__}); write NAME: {{{_KEYS[0]}: …}}") from None
    if not isinstance(loaded, dict):
        raise UsageError(f"{path}: no price table; write NAME: {{{_KEYS[0]}: …, {_KEYS[1]}: …}}, a line a model")
    table = cast(Mapping[object, object], loaded)
    return Prices({str(name): _price(entry, f"{path}: {name}") for name, entry in table.items()})


def _price(entry: object, where: str) -> Price | PerCall:
    given = cast(dict[str, float], entry) if isinstance(entry, dict) else dict[str, float]()
    numbers = {key: given[key] for key in _KEYS if _is_price(given.get(key))}
    if given.keys() == numbers.keys() == {_KEYS[2]}:
        return PerCall(usd=float(numbers[_KEYS[2]]))
    if given.keys() == numbers.keys() == set(_KEYS[:2]):
        return Price(input_usd_per_million=float(numbers[_KEYS[0]]), output_usd_per_million=float(numbers[_KEYS[1]]))
    raise UsageError(f"{where} is no price; give {_KEYS[0]} and {_KEYS[1]}, or {_KEYS[2]}, as numbers from 0 up")


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
