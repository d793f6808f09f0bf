"""Takes secrets and personal data out of texts.

Secrets (keys, tokens, Authorization headers) are taken out of everything that is stored or sent to a judge; personal
data out of the arguments that a judge sees (SPEC D3). Both before anything is clipped: a cut half of a key is a key.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache

from afterturn.turns import JsonValue

SECRET = "[secret]"

_SECRETS = re.compile(  # shapes of keys that providers give out
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_PASSWORD = r"(?:password|passwd|passphrase)"
_NAMED = (  # what is named so holds a secret
    rf"(?:{_PASSWORD}|(?<![A-Za-z])(?:api|access|secret|auth|private|client|refresh|session)[-_ ]?"
    r"(?:key|token|secret))"
)
_VALUE = r"[^\s\\\"'&,;<>(){}\[\]]"
_CARRIERS = re.compile(  # headers, parameters and fields that carry one; in prose after a colon only what has a digit
    rf"(?i)((?:proxy-)?authorization[\\\"']{{0,4}}\s{{0,4}}[:=]\s{{0,4}}[\\\"']{{0,4}}"
    rf"(?:(?:bearer|basic|token|digest)\s{{1,4}})?(?={_VALUE}{{4}})"
    r"|\bbearer\s{1,4}(?=[A-Za-z._~+/=-]*\d)(?=[A-Za-z0-9._~+/=-]{8})"
    rf"|(?:{_NAMED}|(?-i:\b[A-Z][A-Z0-9_]{{0,40}}_(?:TOKEN|KEY|SECRET)))=(?={_VALUE}{{3}})"
    rf"|[?&;](?:key|token|secret|signature|sig|pwd)=(?={_VALUE}{{8}})"
    rf"|{_NAMED}[\\\"']{{0,4}}\s{{0,4}}[:=]\s{{0,4}}(?!\w{{1,16}}://)(?=[^\s\d\\\"'&,;<>(){{}}\[\]]{{0,256}}\d)"
    rf"(?={_VALUE}{{8}}))({_VALUE}+)"
)
_QUOTED = re.compile(  # a field in JSON, in Python or on a command line: all up to the closing quote
    rf"(?i)({_NAMED}[\\\"']{{0,4}}\s{{0,4}}[:=]\s{{0,4}}(\\{{0,3}}[\"']))(?:(?!\2)[^\n]){{3,512}}"
)
_ADDRESSES = re.compile(  # user:password@host; the number after a host's colon is its port
    r"(:\\{0,3}/\\{0,3}/[^\s/?#@:\[\]\"'<>\\]{0,256}:)(?!\d{1,5}(?![^\s/?#,;)\"'\\]))[^\s\"'<>]{1,256}(?=@)"
)
_TOLD = re.compile(rf"(?i)({_PASSWORD}[\\\"']{{0,4}}\s{{0,4}}[:=]\s{{0,4}})(?!\w{{1,16}}://)({_VALUE}{{3,}})")
"""What an error says after `password:`: there it is no prose."""

_HINTS = (  # lower case; without one of these, in any escaping, there is none of the above
    *("authori", "bearer", "key", "token", "secret", "passw", "passp", "sig=", "signature=", "pwd="),
    *("k-", "k_", "glpat", "hf_", "xox", "akia", "asia", "ya29", "eyj", "aiza"),
    *("github_pat", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
)
_OTHER_HINTS = tuple(hint for hint in _HINTS if not hint.startswith("gh"))

_SHORTEST = 6
"""No text shorter than this matches any of the above (`://:p@`)."""

_SECRET_VARIABLES = re.compile(r"(?i)(?:key|token|secret|password|passwd|credentials?)$")
_SECRET_KEYS = re.compile(
    r"(?i)(?:proxy-)?authorization|(?:x-)?(?:api|access|secret|auth|private|client|refresh|session)[-_]?(?:key|token|secret)"
    rf"|{_PASSWORD}"
)
_LEAST_SECRET = 8

_EMAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){3,7}(?:[ -]?[A-Z0-9]{1,3})?\b")
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d[\d ()./-]{6,24}\d(?![\w])")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")


def redact_secrets(text: str) -> str:
    """Takes keys and tokens out of a text, and the values of this process's own secret variables.

    Example:
        >>> redact_secrets("Authorization: Bearer abcdefgh12345678")
        'Authorization: Bearer [secret]'
    """
    own = _own_secrets()
    if own is not None:
        text = own.sub(SECRET, text)
    if not _hinted(text):
        return text
    text = _QUOTED.sub(rf"\1{SECRET}", _ADDRESSES.sub(rf"\1{SECRET}", text))
    return _SECRETS.sub(SECRET, _CARRIERS.sub(rf"\1{SECRET}", text))


def redact_error(text: str) -> str:
    """Takes secrets out of what an error says; more than out of prose, where "password: ask us" is no password.

    Example:
        >>> redact_error("login failed, password: swordfish, host db")
        'login failed, password: [secret], host db'
    """
    return _TOLD.sub(rf"\1{SECRET}", redact_secrets(text))


def may_hold_secrets(json_line: str) -> bool:
    """Says whether a line of JSON may hold a secret; a quick look, since most hold none."""
    own = _own_secrets()
    return _hinted(json_line) or (own is not None and own.search(json_line) is not None)


def _hinted(text: str) -> bool:
    """Looks for the hints one by one, which is ten times as fast as one pattern of all."""
    if len(text) < _SHORTEST:
        return False
    lower = text.lower()
    for hint in _HINTS if "gh" in lower else _OTHER_HINTS:
        if hint in lower:
            return True
    return "@" in lower and "/" in lower and _ADDRESSES.search(text) is not None


def without_secrets(value: JsonValue) -> JsonValue:
    """Copies a JSON value with the secrets taken out of its texts."""
    if isinstance(value, str):
        return redact_secrets(value)
    if isinstance(value, Mapping):
        return {redact_secrets(key): _kept_from(key, without_secrets(item)) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [without_secrets(item) for item in value]
    return value


def _kept_from(key: str, value: JsonValue) -> JsonValue:
    """Takes out a value whose key says that it is a secret."""
    return SECRET if isinstance(value, str) and value and _SECRET_KEYS.fullmatch(key) else value


def redact_personal(text: str) -> str:
    """Takes secrets and personal data out of a text: e-mail addresses, bank and card numbers, telephone numbers.

    Example:
        >>> redact_personal("mail ann@acme.example or call +49 30 901820, order 4711, due 2026-11-30")
        'mail [email] or call [phone], order 4711, due 2026-11-30'
    """
    text = _EMAIL.sub("[email]", redact_secrets(text))
    return _DIGITS.sub(_number, _IBAN.sub("[iban]", text))


def _number(found: re.Match[str]) -> str:
    """Names a long number: a card where its check digit fits, else a telephone number; dates and plain ids stay."""
    text = found[0]
    digits = [int(character) for character in text if character.isdigit()]
    if 13 <= len(digits) <= 19 and _luhn(digits):
        return "[card]"
    if _DATE.match(text) or not 7 <= len(digits) <= 15:
        return text
    return "[phone]" if text.startswith(("+", "0", "(")) or not text.isdigit() else text


def _luhn(digits: list[int]) -> bool:
    doubled = [sum(divmod(digit * 2, 10)) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


@cache
def _own_secrets() -> re.Pattern[str] | None:
    return own_secrets(os.environ)


def own_secrets(environment: Mapping[str, str]) -> re.Pattern[str] | None:
    """A pattern for the values of variables that are named like secrets; None where there are none."""
    values = {
        value
        for name, value in environment.items()
        if _SECRET_VARIABLES.search(name) and len(value) >= _LEAST_SECRET and not value.isalpha()
    }
    if not values:
        return None
    values |= {json.dumps(value)[1:-1] for value in values}  # as it stands in a line of JSON
    return re.compile("|".join(re.escape(value) for value in sorted(values, key=len, reverse=True)))
