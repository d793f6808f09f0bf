"""Secrets and personal data are taken out, and what only looks like them stays."""

from __future__ import annotations

import pytest

from afterturn.evals import redact_personal, redact_secrets
from afterturn.evals._redact import own_secrets, redact_error


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefghijklmnopqrstuv",
        "sk-ant-api03-abcdefghijklmnopqrstuv",
        "ghp_abcdefghijklmnopqrstuvwxyz12",
        "github_pat_11ABCDEFG0abcdefghijkl",
        "glpat-abcdefghijklmnop1234",
        "hf_abcdefghijklmnopqrstuvwx",
        "xoxb-1234567890-abcdef",
        "AKIAABCDEFGHIJKLMNOP",
        "AIzaSyA-abcdefghijklmnopqrstuvwxyz012",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123",
    ],
)
def test_a_key_is_taken_out_wherever_it_stands(secret: str) -> None:
    assert redact_secrets(f"a {secret} b") == "a [secret] b"
    assert redact_secrets(f"line\n{secret}\nline") == "line\n[secret]\nline"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Authorization: Bearer abcdefgh1", "Authorization: Bearer [secret]"),
        ("authorization=Basic dXNlcjpwYXNz", "authorization=Basic [secret]"),
        ('{"Authorization": "Token 12345678"}', '{"Authorization": "Token [secret]"}'),
        ("x-api-key: abcdefgh-1234", "x-api-key: [secret]"),
        ("api_key='a1b2c3d4e5'", "api_key='[secret]'"),
        ("Authorization: swordfish", "Authorization: [secret]"),
        ("https://x.example/?api_key=swordfish&x=1", "https://x.example/?api_key=[secret]&x=1"),
        ("https://x.example/?x=1&sig=swordfish", "https://x.example/?x=1&sig=[secret]"),
        ("DB_PASSWORD=swordfish, host db", "DB_PASSWORD=[secret], host db"),
        ("connect(password='two words', user='ann')", "connect(password='[secret]', user='ann')"),
        ('{"x-api-key": "swordfish", "n": 1}', '{"x-api-key": "[secret]", "n": 1}'),
        (r'"{\"passwd\": \"two words\", \"n\": 1}"', r'"{\"passwd\": \"[secret]\", \"n\": 1}"'),
        ("OPENAI_API_KEY=swordfish", "OPENAI_API_KEY=[secret]"),
        ("SHOP_TOKEN=swordfish", "SHOP_TOKEN=[secret]"),
        ("client_secret=swordfish", "client_secret=[secret]"),
        ("Uid=ann;Pwd=swordfish;", "Uid=ann;Pwd=[secret];"),
        ("password: summer2026!", "password: [secret]"),
        ("at https://ann:swordfish@api.example/v1", "at https://ann:[secret]@api.example/v1"),
        ("postgresql+x://ann:sw@rd/fish@db/shop", "postgresql+x://ann:[secret]@db/shop"),
        (r"http:\/\/ann:swordfish@db", r"http:\/\/ann:[secret]@db"),
        ("redis://:swordfish@cache:6379/0", "redis://:[secret]@cache:6379/0"),
    ],
)
def test_what_a_header_or_parameter_carries_is_taken_out(text: str, wanted: str) -> None:
    assert redact_secrets(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "The bearer certificates are kept in a safe.",
        "Please enter your API key: ask your administrator.",
        "The task-list of the sk-learn course, risk-adjusted.",
        "Our token economy, key figures and secret recipes.",
        "authorize the payment",
        "Your password: please choose another one.",
        "Reset your password: https://shop.example/reset/42",
        "max_tokens=4096, token=5, page_token=abc, monkey=abcdefgh",
        "http://localhost:8080/users/@me and https://[::1]:80/@x",
        "https://shop.example:443 or mail ann@shop.example",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert redact_secrets(text) == text


def test_the_values_of_this_process_own_secret_variables_are_taken_out() -> None:
    pattern = own_secrets(
        {"SHOP_API_KEY": "blue-42-whale", "DB_PASSWORD": "x", "PATH": "/usr/bin", "A_TOKEN": "alphabet"}
    )
    assert pattern is not None
    assert pattern.sub("[secret]", "blue-42-whale /usr/bin alphabet x") == "[secret] /usr/bin alphabet x"
    assert own_secrets({"PATH": "/usr/bin"}) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("write to ann.lee+x@mail.acme.example now", "write to [email] now"),
        ("call +49 30 901820 or (030) 90-18-20", "call [phone] or [phone]"),
        ("card 4111 1111 1111 1111", "card [card]"),
        ("card 4111111111111111", "card [card]"),
        ("DE89 3704 0044 0532 0130 00", "[iban]"),
        ("order 4711, 2026-11-30 10:00, 123456789, 1.25", "order 4711, 2026-11-30 10:00, 123456789, 1.25"),
    ],
)
def test_personal_data_is_named_and_plain_numbers_stay(text: str, wanted: str) -> None:
    assert redact_personal(text) == wanted


def test_an_error_tells_no_password_even_without_a_digit() -> None:
    assert redact_error("login failed, password: swordfish, host db") == "login failed, password: [secret], host db"
    assert redact_secrets("Forgot your password: ask us.") == "Forgot your password: ask us."


@pytest.mark.parametrize("piece", ["://", "://a:b", 'password="', "authorization:", "a_", "?key="])
def test_a_long_text_of_near_misses_comes_out_whole(piece: str) -> None:
    text = piece * 20_000 + " key @/"
    assert redact_secrets(text).endswith(" key @/")
