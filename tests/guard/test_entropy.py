"""A run that looks random advises; what has a known form does not."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from typing import Any

import pytest

from afterturn.guard import Guard
from afterturn.guard._entropy import find

Table = Callable[[str], list[dict[str, Any]]]
BYTES = random.Random(4).randbytes(200)


@pytest.mark.parametrize(
    ("run", "rule"),
    [
        (base64.b64encode(BYTES).decode(), "entropy-base64"),
        (base64.urlsafe_b64encode(BYTES).decode().rstrip("="), "entropy-base64"),
        (base64.b32encode(BYTES).decode(), "entropy-base32"),
        (BYTES.hex(), "entropy-hex"),
    ],
)
def test_a_random_run_is_found_with_its_alphabet_and_place(run: str, rule: str) -> None:
    (finding,) = find(f"Please read {run} now")
    assert (finding.rule, finding.category, finding.severity) == (rule, "encoded_smuggling", "low")
    assert (finding.start, finding.end) == (12, 12 + len(run))


def test_it_advises_and_does_not_block() -> None:
    result = Guard().check(f"Please read {base64.b64encode(BYTES).decode()} now")
    assert (result.flagged, result.blocked, result.category) == (True, False, "encoded_smuggling")


@pytest.mark.parametrize(
    "before",
    [
        "data:font/woff2;base64,",
        "https://a.example/s/",
        "Bearer ",
        '"signature": "',
        "ssh-ed25519 ",
        "csrf_token=",
        "etag: ",
    ],
)
def test_a_run_whose_name_explains_it_is_none(before: str) -> None:
    assert find(before + base64.urlsafe_b64encode(BYTES).decode()) == ()


def test_known_forms_are_none(table: Table) -> None:
    for case in table("nothing_carried"):
        assert find(case["text"]) == (), case["what"]


@pytest.mark.parametrize("encode", [base64.b64encode, base64.b32encode, bytes.hex])
@pytest.mark.parametrize("data", [b"Where is my order, please? " * 9, "Где мой заказ? ".encode() * 9, b"%PDF" + BYTES])
def test_what_decodes_to_text_or_to_a_known_format_is_none(encode: Callable[[bytes], bytes | str], data: bytes) -> None:
    run = encode(data)
    assert find(run if isinstance(run, str) else run.decode()) == ()


def test_short_runs_are_none() -> None:
    assert find(base64.b64encode(BYTES[:40]).decode()) == ()


def test_of_many_runs_eight_are_listed() -> None:
    runs = [base64.b64encode(random.Random(seed).randbytes(90)).decode() for seed in range(20)]
    assert len(find(" ".join(runs))) == 8
