"""Finds the rules in a text: as it stands, as it was meant, and in what it carries encoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import ne
from typing import Literal

from afterturn.guard._bundles import HIDDEN_CHARS, Bundle, bundled
from afterturn.guard._context import is_cut
from afterturn.guard._decode import Layer, layers
from afterturn.guard._engine_re import ReEngine
from afterturn.guard._engine_re2 import Re2Engine
from afterturn.guard._engines import PatternEngine, Windows
from afterturn.guard._normalize import Normalized, normalize
from afterturn.guard._respell import Speller
from afterturn.guard._result import RESPELLED, Finding, Scope
from afterturn.guard._rules import SHOWN, Pattern, Rule
from afterturn.guard._triggers import NONE, Triggers, look

EngineName = Literal["auto", "re2", "re"]

_PLACES = 8
"""Of one rule, so many places are listed; the verdict does not change with more."""

_CONTEXTS = 64
"""So many matches of a text are looked at for a context that excuses them; who writes more of them is not excused."""

_SITUATIONS = 8
"""The first so many of them may be of everyday life; no message of a customer holds more."""

_DEPTH = 3
_DECODED_CHARS = 65_536

_SPELLED_ANEW = 8
"""Where one character in so many was spelled otherwise, somebody hides what he says."""

ENCODED_RULE = "encoded-instruction"
"""Id of the finding that stands beside whatever was found in an encoded layer."""


@dataclass(slots=True)
class _Budget:
    """Is what one check has seen, and may still spend."""

    looks: list[Triggers]
    decoded_chars: int = _DECODED_CHARS
    contexts: int = _CONTEXTS


@dataclass(frozen=True, slots=True)
class _Reader:
    """Is an engine with the rules and patterns that it finds, by their index."""

    units: Sequence[tuple[Rule, Pattern]]
    engine: PatternEngine


class Patterns:
    """Finds rules.

    Args:
        rules: The rules.
        scope: Which of them are read: those of this scope, those of `any`, and in hidden texts
            those of `carried`.
        engine: `re2` (google-re2), `re` (the standard library), or `auto`: the first of them that is there.

    Raises:
        ImportError: `re2` is asked for, and google-re2 is not installed.
    """

    def __init__(self, rules: Sequence[Rule], *, scope: Scope = "message", engine: EngineName = "auto") -> None:
        self._rules = [rule for rule in rules if scope == "any" or rule.scope in ("any", "carried", scope)]
        self._name: EngineName = engine
        self._open = self._reader(carried=False)

    def find(self, text: str, looks: list[Triggers] | None = None) -> tuple[Finding, ...]:
        """Finds every rule, in the order of the text; of each rule the first eight places.

        Args:
            text: The text.
            looks: Gets what the text may carry, for others that would look for it again; first that of the text itself.
        """
        found = self._found(text, _Budget([] if looks is None else looks), ())
        if not found:
            return ()
        return tuple(sorted(found, key=lambda finding: (finding.start, finding.end, finding.rule)))

    def _found(self, text: str, budget: _Budget, carrier: tuple[str, ...], *, is_hidden: bool = False) -> list[Finding]:
        normal = normalize(text)
        triggers = look(text, normal.text)
        budget.looks.append(triggers)
        veiled = triggers.veiled and len(normal.text) <= HIDDEN_CHARS
        found = self._matched(normal, budget, carrier, is_hidden=is_hidden or veiled)
        if triggers.leet or triggers.apart:
            respelled = self._speller.respell(normal, leet=triggers.leet, apart=triggers.apart)
            if respelled.text != normal.text:
                known = {finding.rule for finding in found}
                another = len(respelled.text) <= HIDDEN_CHARS and _is_another(normal.text, respelled.text)
                again = self._matched(respelled, budget, (*carrier, RESPELLED), is_hidden=is_hidden or another)
                if another and not is_hidden and again:  # what stands there as it was is not hidden
                    plain = {_where(finding) for finding in self._read(self._hidden, normal, budget, carrier)}
                    again = [finding for finding in again if _where(finding) not in plain]
                found.extend(finding for finding in again if finding.rule not in known)
        if triggers is not NONE and len(carrier) < _DEPTH:
            new = (layer for layer in layers(text, normal.text, triggers) if _is_new(layer, carrier))
            for bundle in bundled(new):
                found.extend(self._carried(bundle, normal, budget, carrier))
        return found

    def _matched(
        self, normal: Normalized, budget: _Budget, carrier: tuple[str, ...], *, is_hidden: bool
    ) -> list[Finding]:
        found = self._read(self._open, normal, budget, carrier)
        return [*found, *self._read(self._hidden, normal, budget, carrier)] if is_hidden else found

    def _read(self, reader: _Reader, normal: Normalized, budget: _Budget, carrier: tuple[str, ...]) -> list[Finding]:
        text = normal.text
        found: list[Finding] = []
        candidates = reader.engine.candidates(text)
        if not candidates:
            return found
        windows = Windows(text, reader.engine)
        last: Rule | None = None
        for candidate in candidates:
            rule, pattern = reader.units[candidate.at]
            if rule is last:  # one pattern of the rule has matched; the others would say the same
                continue
            places = 0
            for start, end in _spans(reader.engine, candidate.at, windows.of(candidate, pattern), text):
                if start == end or _excused(text, start, end, rule, budget):
                    continue
                found.append(_finding(rule, *normal.span(start, end), carrier))
                places += 1
                if places == _PLACES:
                    break
            last = rule if places else last
        return found

    def _carried(
        self, bundle: Bundle, normal: Normalized, budget: _Budget, carrier: tuple[str, ...]
    ) -> Iterator[Finding]:
        text = bundle.text
        if bundle.layers[0].exact == "block":
            text = text[: budget.decoded_chars]
            budget.decoded_chars -= len(text)
        inner = self._found(text, budget, (*carrier, bundle.carrier), is_hidden=bundle.is_hidden) if text else []
        for layer, findings in bundle.apart(inner):
            for finding in findings:
                yield _moved(finding, *_back(layer, finding, normal))
            if not carrier:
                best = max(findings, key=lambda finding: finding.confidence)
                moved = _moved(best, *_back(layer, best, normal))
                yield replace(moved, rule=ENCODED_RULE, category="encoded_smuggling")

    def _reader(self, *, carried: bool) -> _Reader:
        rules = [rule for rule in self._rules if (rule.scope == "carried") is carried]
        units = [(rule, pattern) for rule in rules for pattern in rule.patterns]
        return _Reader(units, _engine([pattern for _, pattern in units], self._name))

    @cached_property
    def _hidden(self) -> _Reader:
        """Reads what a text hides, by the rules that would say too little of open text."""
        return self._reader(carried=True)

    @cached_property
    def _speller(self) -> Speller:
        written = (pattern.text.replace("\\b", " ") for rule in self._rules for pattern in rule.patterns)
        return Speller([*written, *(normalize(text).text for rule in self._rules for text in rule.positive)])


def _where(finding: Finding) -> tuple[str, int, int]:
    return (finding.rule, finding.start, finding.end)


def _spans(engine: PatternEngine, at: int, windows: list[tuple[int, int]], text: str) -> Iterable[tuple[int, int]]:
    if len(windows) == 1:
        return engine.spans(text, at, *windows[0])
    return (span for start, end in windows for span in engine.spans(text, at, start, end))


def _is_new(layer: Layer, carrier: tuple[str, ...]) -> bool:
    """Says whether reading a layer leads on: the same turning of letters twice leads back."""
    return carrier[-1:] != (layer.carrier,) or layer.exact == "block"


def _is_another(text: str, respelled: str) -> bool:
    """Says whether so much of a text was spelled anew that it was on purpose; numbers and product codes are little."""
    gone = len(text) - len(respelled)
    changed = gone or sum(map(ne, text, respelled))
    return changed * _SPELLED_ANEW >= len(text)


def _back(layer: Layer, finding: Finding, normal: Normalized) -> tuple[int, int]:
    if layer.exact == "same":
        return normal.span(finding.start, finding.end)
    if layer.exact == "mirror":
        length = len(normal.text)
        return normal.span(length - finding.end, length - finding.start)
    return (layer.start, layer.end)


def _excused(text: str, start: int, end: int, rule: Rule, budget: _Budget) -> bool:
    if not rule.cut or budget.contexts <= 0:
        return False
    budget.contexts -= 1
    is_among_first = budget.contexts >= _CONTEXTS - _SITUATIONS
    return is_cut(text, start, end, rule.cut if is_among_first else rule.cut & SHOWN)


def _moved(finding: Finding, start: int, end: int) -> Finding:
    """Gives a finding another place; `replace` takes three times as long, and a text can carry hundreds."""
    return Finding(
        rule=finding.rule,
        category=finding.category,
        severity=finding.severity,
        confidence=finding.confidence,
        start=start,
        end=end,
        carrier=finding.carrier,
        mode=finding.mode,
    )


def _finding(rule: Rule, start: int, end: int, carrier: tuple[str, ...]) -> Finding:
    return Finding(
        rule=rule.id,
        category=rule.category,
        severity=rule.severity,
        confidence=rule.confidence,
        start=start,
        end=end,
        carrier=carrier,
    )


def _engine(patterns: list[Pattern], name: EngineName) -> PatternEngine:
    if name == "re":
        return ReEngine(patterns)
    try:
        return Re2Engine(patterns)
    except ImportError:
        if name == "re2":
            raise
        return ReEngine(patterns)
