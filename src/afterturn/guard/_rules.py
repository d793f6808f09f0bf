"""Reads rules from YAML, checks every field, and says clearly what is wrong with which rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal, cast, get_args

from afterturn._unreadable import why_unreadable
from afterturn.errors import UsageError
from afterturn.guard._kernel import Kernel, kernel
from afterturn.guard._literals import study
from afterturn.guard._result import Category, Severity
from afterturn.guard._syntax import alternatives, for_re, refine
from afterturn.guard._ways import Way

Cut = Literal[
    "quoted", "reported", "code",
    "withdrawn", "matter", "stated", "notice", "own", "given", "scene", "log", "built", "advice",
]  # fmt: skip
"""A context in which what looks like an attack is none.

Quoted, reported, code: the words are shown, not said. Withdrawn: the writer takes back their own message. Matter: the
instructions are about a delivery, a meal, a machine to be washed. Stated: it is told what a thing does. Notice: rules
for people. Own: the instructions of a machine that the writer makes or asks about. Given: steps that the assistant
gave the writer. Scene: a dialogue to be corrected or translated. Log: what a log or a display shows, and is asked
about. Built: code, release notes, flags of tests. Advice: how to keep a machine from obeying what it reads.
"""

SHOWN: frozenset[Cut] = frozenset(("quoted", "reported", "code"))
"""The contexts where a rule names none; the others are for rules whose words people say to each other."""

Reach = Literal["any", "message", "tool_output", "carried"]
"""Where a rule is read; `carried`: only in what a text hides, in an encoding or a disguise."""

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_WORD = re.compile(r"[a-z][a-z_]*")
_NAMED = re.compile(r"(?<![\\pP])\{([a-z][a-z_]*)\}")
_LANGUAGE = re.compile(r"[a-z]{2,3}|any")
_KEYS = frozenset(
    ("id", "description", "severity", "confidence", "languages", "patterns", "cut", "scope", "positive", "negative")
)
_EXAMPLES = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """Is one alternative of a rule, ready for the engines.

    Attributes:
        text: The refined pattern, RE2 syntax.
        needs: The ways in which it can match, each as groups of words, the rarest first; a text that matches holds a
            word of each group of one of them. None where nothing is known.
        width: How many characters a match can span.
        kernel: The part of it by which a long text is searched; None where it has no such part.
    """

    text: str
    needs: tuple[Way, ...]
    width: int
    kernel: Kernel | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Is one rule, as its YAML says it.

    Attributes:
        id: Unique, kebab-case.
        description: One sentence for people.
        category: Its injection category.
        severity: High enforces by default, medium and low advise.
        confidence: 0 to 100.
        languages: ISO 639 codes, or `any`.
        patterns: Its alternatives, refined.
        cut: The contexts in which a match is dropped.
        scope: Where the rule is read.
        positive: Texts that it must find.
        negative: Texts that it must leave alone.
    """

    id: str
    description: str
    category: Category
    severity: Severity
    confidence: int
    languages: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    cut: frozenset[Cut]
    scope: Reach
    positive: tuple[str, ...]
    negative: tuple[str, ...]


class RuleError(UsageError):
    """A rule file is wrong; the message says where, what, and what to write."""


@cache
def builtin_rules() -> tuple[Rule, ...]:
    """Gives the rules that are shipped with the guard; they are read at the first check.

    They are read from what `python -m afterturn.guard._parsed` wrote, where that is of the same rules; else from YAML,
    which takes some tenths of a second longer.
    """
    from afterturn.guard import _parsed

    folder = resources.files("afterturn.guard").joinpath("rules")
    files = {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.endswith(".yaml")}
    return _parsed.read(files) or yaml_rules(files)


def yaml_rules(files: Mapping[str, bytes]) -> tuple[Rule, ...]:
    """Reads rule files.

    Args:
        files: What is in them, by name.

    Raises:
        RuleError: Something in them is wrong.
    """
    return _unique(rule for name in sorted(files) for rule in parse_rules(files[name].decode(), name=name))


def load_rules(*paths: Path) -> tuple[Rule, ...]:
    """Reads rule files, or every `*.yaml` of a folder.

    Args:
        *paths: Files or folders.

    Raises:
        RuleError: A file cannot be read, a field is wrong, two rules have one id, or a pattern does not compile.
    """
    files = [file for path in paths for file in (sorted(path.glob("*.yaml")) if path.is_dir() else [path])]
    try:
        rules = _unique(rule for file in files for rule in parse_rules(file.read_text("utf-8"), name=str(file)))
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{', '.join(map(str, paths))}: cannot be read: {why_unreadable(error)}") from error
    lint_rules(rules)
    return rules


def lint_rules(rules: Iterable[Rule]) -> None:
    """Compiles every pattern under RE2, where google-re2 is installed: what it takes is matched in linear time.

    Raises:
        RuleError: It does not take one.
    """
    from afterturn.guard._engine_re2 import lint, load_re2

    try:
        load_re2()
    except ImportError:
        return
    for rule in rules:
        for pattern in rule.patterns:
            problem = lint(pattern.text)
            if problem is not None:
                raise RuleError(f"{rule.id}: patterns: {pattern.text!r} does not compile under RE2: {problem}")


def parse_rules(text: str, *, name: str = "rules") -> tuple[Rule, ...]:
    """Reads the rules of one YAML text.

    Args:
        text: YAML: `category`, `rules`, and `words` that their patterns name in braces.
        name: Its name in messages.

    Raises:
        RuleError: Something in it is wrong.
    """
    import yaml  # here, since importing the guard must stay light

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = cast(object, yaml.load(text, Loader=loader))  # a safe loader, in C where it is there
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise RuleError(f"{name}: no valid YAML{f' at line {mark.line + 1}' if mark else ''}") from error
    whole = _mapping(document, name)
    _only(whole, {"category", "words", "rules"}, name)
    words = _words(whole.get("words", {}), f"{name}: words")
    category = cast(Category, _choice(whole, "category", get_args(Category), name))
    rules = whole.get("rules")
    if not isinstance(rules, list) or not rules:
        raise RuleError(f"{name}: rules: write a list of at least one rule")
    numbered = enumerate(cast(list[object], rules), 1)
    return _unique(_rule(entry, category, words, f"{name}: rule {at}") for at, entry in numbered)


def _words(value: object, place: str) -> Mapping[str, str]:
    """Reads the file's classes of words; a later one may name an earlier one."""
    words: dict[str, str] = {}
    for name, text in _mapping(value, place).items():
        if not _WORD.fullmatch(name):
            raise RuleError(f"{place}: {name}: name it in lower-case letters and underscores")
        if not isinstance(text, str) or not text:
            raise RuleError(f"{place}: {name}: write alternatives, such as ignore|forget")
        words[name] = f"(?:{_spelled_out(text, words, f'{place}: {name}')})"
    return words


def _spelled_out(text: str, words: Mapping[str, str], place: str) -> str:
    """Puts the words in the places of their names: `{drop} your rules`."""

    def alternatives(match: re.Match[str]) -> str:
        if match[1] not in words:
            raise RuleError(f"{place}: {match[0]} is not among the words of this file")
        return words[match[1]]

    return _NAMED.sub(alternatives, text)


def _rule(entry: object, category: Category, words: Mapping[str, str], place: str) -> Rule:
    fields = _mapping(entry, place)
    rule_id = _string(fields, "id", place)
    place = f"{place} ({rule_id})"
    if not _ID.fullmatch(rule_id):
        raise RuleError(f"{place}: id: write it in kebab-case, as override-ignore-previous")
    _only(fields, _KEYS, place)
    return Rule(
        id=rule_id,
        description=_string(fields, "description", place),
        category=category,
        severity=cast(Severity, _choice(fields, "severity", get_args(Severity), place)),
        confidence=_percent(fields, "confidence", place),
        languages=_languages(fields, place),
        patterns=tuple(
            pattern
            for text in _strings(fields, "patterns", 1, place)
            for pattern in _patterns(_spelled_out(text, words, f"{place}: patterns"), f"{place}: patterns")
        ),
        cut=_cut(fields, place),
        scope=cast(Reach, _choice({"scope": "any", **fields}, "scope", get_args(Reach), place)),
        positive=_strings(fields, "positive", _EXAMPLES, place),
        negative=_strings(fields, "negative", _EXAMPLES, place),
    )


def _patterns(text: str, place: str) -> list[Pattern]:
    try:
        refined = refine(text)
        re.compile(for_re(refined))  # whole, before it is split: a bracket may be missing
        return [_pattern(part) for part in alternatives(refined)]
    except (ValueError, re.error, RecursionError) as error:
        raise RuleError(f"{place}: {text!r} does not compile: {error}") from error


def _pattern(refined: str) -> Pattern:
    needs = study(for_re(refined))
    return Pattern(text=refined, needs=needs.ways, width=needs.width, kernel=kernel(refined))


def _unique(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    known: dict[str, Rule] = {}
    for rule in rules:
        if rule.id in known:
            raise RuleError(f"{rule.id}: two rules have this id; give one of them another")
        known[rule.id] = rule
    return tuple(known.values())


def _mapping(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise RuleError(f"{place}: write a mapping of keys to values")
    return {str(key): entry for key, entry in cast(dict[object, object], value).items()}


def _only(fields: Mapping[str, object], known: Iterable[str], place: str) -> None:
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise RuleError(f"{place}: {unknown[0]}: no such key; known are {', '.join(sorted(known))}")


def _string(fields: Mapping[str, object], key: str, place: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise RuleError(f"{place}: {key}: write a text that is not empty")
    return value


def _strings(fields: Mapping[str, object], key: str, least: int, place: str) -> tuple[str, ...]:
    value = fields.get(key)
    if not isinstance(value, list):
        raise RuleError(f"{place}: {key}: write a list of texts")
    entries = cast(list[object], value)
    texts = tuple(entry for entry in entries if isinstance(entry, str) and entry)
    if len(texts) != len(entries) or len(texts) < least:
        raise RuleError(f"{place}: {key}: write at least {least} texts, none of them empty")
    return texts


def _choice(fields: Mapping[str, object], key: str, known: Iterable[str], place: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or value not in known:
        raise RuleError(f"{place}: {key}: write one of {', '.join(known)}")
    return value


def _percent(fields: Mapping[str, object], key: str, place: str) -> int:
    value = fields.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 100:
        raise RuleError(f"{place}: {key}: write a whole number from 0 to 100")
    return value


def _languages(fields: Mapping[str, object], place: str) -> tuple[str, ...]:
    languages = _strings(fields, "languages", 1, place)
    for language in languages:
        if not _LANGUAGE.fullmatch(language):
            raise RuleError(f"{place}: languages: {language!r} is no ISO 639 code such as en (quote 'no')")
    return languages


def _cut(fields: Mapping[str, object], place: str) -> frozenset[Cut]:
    known = get_args(Cut)
    if "cut" not in fields:
        return SHOWN
    value = fields["cut"]
    if not isinstance(value, list) or any(entry not in known for entry in cast(list[object], value)):
        raise RuleError(f"{place}: cut: write a list of {', '.join(known)}; [] for none")
    return frozenset(cast(list[Cut], value))
