"""The pytest plugin: each row is a test, and a suite that does not ask for it never notices it."""

from __future__ import annotations

import json
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

AGENT = """
import pytest
from afterturn.integrations.checker import assert_passed

calls = []

def answer(row):
    calls.append(row["id"])
    return "A refund takes five days." if "refund" in row["input"] else "No idea, sorry."
"""


@pytest.fixture(autouse=True)
def _rows(pytester: pytest.Pytester) -> None:  # pyright: ignore[reportUnusedFunction]
    rows = [{"id": "refund", "input": "How long does a refund take?"}, {"id": "hello", "input": "Hello!"}]
    (pytester.path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (pytester.path / "one.jsonl").write_text('{"id": "one", "input": "Hello!"}\n')


def outcome_of(pytester: pytest.Pytester, source: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(AGENT + source)  # pyright: ignore[reportUnknownMemberType]
    plugins = ("-p", "no:afterturn", "-p", "no:asyncio", "-p", "afterturn.integrations.pytest_plugin")
    return pytester.runpytest(*plugins, "--strict-markers", *arguments)


def test_each_row_is_a_test_with_its_id(pytester: pytest.Pytester) -> None:
    done = outcome_of(
        pytester,
        """
@pytest.mark.afterturn("rows.jsonl", target=answer, assertions=["not_contains:sorry"])
def test_shop(afterturn_row, afterturn_result):
    assert afterturn_result.row is afterturn_row
    assert_passed(afterturn_result)
""",
        "-v",
    )
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*test_shop?refund? PASSED*", "*test_shop?hello? FAILED*"])
    done.stdout.fnmatch_lines(["*row hello: fail (assertion): not_contains*"])
    assert "No idea" not in done.stdout.str().split("short test summary")[1]


def test_repeats_are_tests_too(pytester: pytest.Pytester) -> None:
    done = outcome_of(
        pytester,
        """
@pytest.mark.afterturn("rows.jsonl", target=answer, assertions=["not_contains:never"], repeat=2)
def test_shop(afterturn_result):
    assert_passed(afterturn_result)

def test_asked():
    assert calls == ["refund", "refund", "hello", "hello"]
""",
    )
    done.assert_outcomes(passed=5)


def test_a_test_may_write_its_rows_itself(pytester: pytest.Pytester) -> None:
    done = outcome_of(
        pytester,
        """
def test_row(afterturn_eval):
    result = afterturn_eval({"input": "refund?"}, target=answer, assertions=["contains:five days"])
    assert result.state == "pass"

@pytest.mark.afterturn(target=answer)
def test_marked(afterturn_eval):
    assert afterturn_eval({"input": "Hello!", "assert": ["contains:five days"]}).reason == "assertion"
""",
    )
    done.assert_outcomes(passed=2)


def test_a_judge_scores_and_an_agent_that_breaks_is_an_error_and_no_pass(pytester: pytest.Pytester) -> None:
    done = outcome_of(
        pytester,
        """
from afterturn.testing import ScriptedJudge

judge = ScriptedJudge({"reasoning": "It fits.", "score": 60})
def broken(row): raise RuntimeError("no")

def test_score(afterturn_eval):
    result = afterturn_eval({"input": "refund?", "expected": "5"}, target=answer, rubrics=["correctness"], judge=judge)
    assert (result.state, result.score) == ("fail", 60)

def test_broken(afterturn_eval):
    result = afterturn_eval({"input": "refund?"}, target=broken, assertions=["contains:x"])
    with pytest.raises(AssertionError, match="agent_error"):
        assert_passed(result)
""",
    )
    done.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("", "it asks for rows: give it @pytest.mark.afterturn(DATASET)"),
        ('@pytest.mark.afterturn("rows.jsonl", targets=answer)', "afterturn has no option 'targets'*"),
        ('@pytest.mark.afterturn("empty.jsonl", target=answer)', "*empty.jsonl holds no row*"),
        ('@pytest.mark.afterturn("absent.jsonl", target=answer)', "*absent.jsonl cannot be read*"),
        ('@pytest.mark.afterturn("broken.jsonl", target=answer)', "*broken.jsonl:1: not valid JSON*"),
        ('@pytest.mark.afterturn([{"input": "Hi"}], target=answer)', "the mark takes one dataset*"),
        ('@pytest.mark.afterturn("rows.jsonl", target=answer, repeat=0)', "repeat=0 would check nothing*"),
    ],
)
def test_a_mark_that_names_no_rows_is_one_line_where_tests_are_collected(
    pytester: pytest.Pytester, mark: str, told: str
) -> None:
    (pytester.path / "empty.jsonl").write_text("")
    (pytester.path / "broken.jsonl").write_text("{broken\n")
    done = outcome_of(pytester, f"\n{mark}\ndef test_shop(afterturn_result):\n    assert_passed(afterturn_result)\n")
    assert done.ret == pytest.ExitCode.INTERRUPTED
    shown = list(filter(None, done.stdout.str().split("= ERRORS =")[1].splitlines()))
    assert shown[2].startswith("test_a_mark_that_names_no_rows")
    assert fnmatch(shown[2].partition("test_shop: ")[2], told.replace("[", "[[]"))
    assert "short test summary" in shown[3]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("", "name the agent: target=…"),
        ("target=answer, rubrics=['nonsense'], judge='openai:x'", "no rubric is called 'nonsense'*"),
        ("target=answer, rubrics=['correctness']", "a rubric needs a judge*"),
        ("target=answer, assertions=['nonsense:1']", "no assertion is called 'nonsense'*"),
        ("target=answer, assertions='contains:x'", "assertions takes a list: assertions=['contains:x']"),
        ("target=answer, threshold=101", "threshold=101 is no score*"),
        ("target=answer, deadline_s=0", "deadline_s=0 is no time for a row*"),
        ("target='no_such_module:answer'", "no module 'no_such_module'*"),
    ],
)
def test_options_that_cannot_be_are_one_line_and_end_no_other_test(
    pytester: pytest.Pytester, options: str, told: str
) -> None:
    done = outcome_of(
        pytester,
        f"""
@pytest.mark.afterturn("one.jsonl", {options})
def test_shop(afterturn_result):
    assert_passed(afterturn_result)

def test_other():
    pass
""",
    )
    done.assert_outcomes(passed=1, errors=1)
    shown = list(filter(None, done.stdout.str().split("= ERRORS =")[1].splitlines()))
    assert "ERROR at setup of test_shop[one]" in shown[1]
    assert fnmatch(shown[2], told.replace("[", "[[]"))
    assert "short test summary" in shown[3]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("{'inputs': 'Hi'}, target=answer", "the row has no input*"),
        ("{'input': 'Hi'}, targets=answer", "afterturn has no option 'targets'*"),
        ("{'input': 'Hi'}", "name the agent: target=…"),
    ],
)
def test_a_call_that_cannot_be_is_told_at_the_line_of_the_test(pytester: pytest.Pytester, call: str, told: str) -> None:
    done = outcome_of(pytester, f"\ndef test_row(afterturn_eval):\n    afterturn_eval({call})\n")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines([f">*afterturn_eval({call})".replace("[", "[[]"), f"E*Failed: {told}"])
    assert "pytest_plugin.py" not in done.stdout.str()


def test_a_marked_test_without_a_fixture_fails_since_it_would_check_nothing(pytester: pytest.Pytester) -> None:
    done = outcome_of(
        pytester,
        """
import unittest

@pytest.mark.afterturn("rows.jsonl", target=answer)
def test_nothing():
    pass

class TestOld(unittest.TestCase):
    @pytest.mark.afterturn("rows.jsonl", target=answer)
    def test_old(self):
        pass

@pytest.mark.afterturn(target=answer)
class TestShop:
    def test_plain(self):
        pass

    def test_row(self, afterturn_eval):
        assert afterturn_eval({"input": "refund?"}, assertions=["contains:five"]).state == "pass"

@pytest.mark.skip
@pytest.mark.afterturn("rows.jsonl", target=answer)
def test_skipped():
    pass
""",
    )
    done.assert_outcomes(passed=2, errors=2, skipped=1)
    told = "it has @pytest.mark.afterturn but checks nothing; take the fixture afterturn_result"
    assert done.stdout.str().splitlines().count(told) == 2


def test_the_plugin_loads_nothing_of_afterturn_where_no_test_asks_for_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(  # pyright: ignore[reportUnknownMemberType]
        """
import sys
def test_plain():
    assert not [name for name in sys.modules if name.startswith(("afterturn.evals", "afterturn.judges", "sqlalchemy"))]
"""
    )
    plugins = ("-p", "no:afterturn", "-p", "no:asyncio", "-p", "afterturn.integrations.pytest_plugin")
    done = pytester.runpytest_subprocess(*plugins)
    done.assert_outcomes(passed=1)


def test_the_package_names_the_plugin_as_its_entry_point() -> None:
    config = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert config["project"]["entry-points"]["pytest11"] == {"afterturn": "afterturn.integrations.pytest_plugin"}
    assert sys.version_info >= (3, 11)
