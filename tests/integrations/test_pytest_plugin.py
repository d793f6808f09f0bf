"""The pytest plugin: each row is a test, and a suite that does not ask for it never notices it."""

from __future__ import annotations

import json
import sys
import tomllib
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
        ("", "asks for rows"),
        ('@pytest.mark.afterturn("rows.jsonl", targets=answer)', "no option 'targets'"),
        ('@pytest.mark.afterturn("empty.jsonl", target=answer)', "holds no row"),
        ('@pytest.mark.afterturn("absent.jsonl", target=answer)', "absent.jsonl"),
    ],
)
def test_what_would_test_nothing_is_an_error(pytester: pytest.Pytester, mark: str, told: str) -> None:
    (pytester.path / "empty.jsonl").write_text("")
    done = outcome_of(pytester, f"\n{mark}\ndef test_shop(afterturn_result):\n    assert_passed(afterturn_result)\n")
    assert done.ret != 0
    assert told in done.stdout.str() + done.stderr.str()


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
