from __future__ import annotations

from pathlib import Path

import pytest

from afterturn.errors import ConfigError
from afterturn.guard import Policy, SecondPass


def _load(folder: Path, text: str) -> Policy:
    path = folder / "own.yaml"
    path.write_text(text)
    return Policy.load(path)


def test_a_policy_file_says_what_a_finding_of_the_second_pass_leads_to(tmp_path: Path) -> None:
    text = "second_pass:\n  mode: enforce\n  deadline_s: 1.5\n  least_confidence: 70\n"
    assert _load(tmp_path, text).second_pass == SecondPass(mode="enforce", deadline_s=1.5, least_confidence=70)


def test_what_a_tenant_does_not_set_stays_as_the_platform_says() -> None:
    platform = Policy(name="platform", second_pass=SecondPass(mode="advise", least_confidence=60))
    own = Policy(name="own", second_pass=SecondPass(mode="enforce"))
    assert own.over(platform).second_pass == SecondPass(mode="enforce", least_confidence=60)
    assert Policy(name="silent").over(platform).second_pass == platform.second_pass


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("mode: block", "own.yaml:2: second_pass.mode: the value is none of those that are known"),
        ("deadline_s: soon", "own.yaml:2: second_pass.deadline_s: a number is needed"),
        ("deadline_s: 0", "second_pass: `deadline_s` is not above 0 and at most 60"),
        ("least_confidence: 101", "second_pass: `least_confidence` is not from 0 to 100"),
        ("wait: 3", "own.yaml:2: second_pass.wait: there is no such field"),
    ],
)
def test_a_wrong_setting_is_told_with_its_line_and_what_to_do(line: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        _load(tmp_path, f"second_pass:\n  {line}\n")
    assert told in str(caught.value)
