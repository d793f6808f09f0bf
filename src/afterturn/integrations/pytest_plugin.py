"""Is the pytest plugin: rows of a dataset as tests. It does nothing for tests that do not ask for it.

    @pytest.mark.afterturn("rows.jsonl", target=answer, assertions=["not_contains:sorry"])
    def test_shop(afterturn_result):
        assert_passed(afterturn_result)

A test with the fixture `afterturn_result` (or `afterturn_row`) runs once a row; `afterturn_eval` checks rows that the
test writes itself. What the fixtures need is imported when the first of them is used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from afterturn.evals import Row, RowResult
    from afterturn.integrations.checker import Checker

_MARK = "afterturn"
_FIXTURES = frozenset(("afterturn_row", "afterturn_result", "afterturn_eval"))
_OF_ROWS = ("format", "repeat")
_OF_CHECKS = ("target", "rubrics", "judge", "assertions", "threshold", "deadline_s", "prices")
_HELP = (
    f"{_MARK}(dataset, *, target, rubrics, judge, assertions, threshold, deadline_s, prices, repeat, format): "
    "run an agent over rows (docs/evals.md)"
)


class _Misused(Exception):
    """Says what is wrong with a mark or a call, for one line of the report."""


def pytest_configure(config: pytest.Config) -> None:
    """Makes the mark known."""
    config.addinivalue_line("markers", _HELP)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fails a test that has the mark and none of the fixtures: it would pass and check nothing.

    A mark on a class or a module is for the tests in it that ask for the fixtures; the others are left alone.
    """
    marked = any(mark.name == _MARK for mark in item.own_markers)
    if marked and not _FIXTURES.intersection(getattr(item, "fixturenames", ())):
        pytest.fail(f"it has @pytest.mark.{_MARK} but checks nothing; take the fixture afterturn_result", pytrace=False)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes a test of each row and repeat, where a test asks for rows."""
    if "afterturn_row" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker(_MARK)
    try:
        rows, repeats = _asked(mark, metafunc.definition.path.parent)
    except _Misused as error:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {error}") from None
    pairs = [(row, repeat) for row in rows for repeat in range(1, repeats + 1)]
    ids = [f"{row.id}#{repeat}" if repeats > 1 else row.id for row, repeat in pairs]
    metafunc.parametrize("afterturn_row", pairs, ids=ids, indirect=True)


@pytest.fixture
def afterturn_row(request: pytest.FixtureRequest) -> Row:
    """The row that the test is about."""
    return request.param[0]


@pytest.fixture
def afterturn_result(request: pytest.FixtureRequest, afterturn_row: Row) -> RowResult:
    """What became of the row: `state`, `reason`, `scores`, `assertions`, `reply`."""
    try:
        checker = _checker(request, _marked(request))
    except _Misused as error:
        problem = str(error)
    else:
        return checker.check(afterturn_row, repeat=request.node.callspec.params["afterturn_row"][1])
    pytest.fail(problem, pytrace=False)  # out here, where nothing is shown beside it


@pytest.fixture
def afterturn_eval(request: pytest.FixtureRequest) -> Callable[..., RowResult]:
    """Checks a row that the test writes: `afterturn_eval({"input": "Hello!"}, target=answer)`.

    The mark's options hold where the call gives none.
    """

    def check(row: Row | Mapping[str, Any], **options: Any) -> RowResult:
        __tracebackhide__ = True  # what is shown is the line of the test
        from afterturn.errors import AfterturnError

        try:
            _check_names(options, _OF_CHECKS)
            return _checker(request, {**_marked(request), **options}).check(row)
        except (_Misused, AfterturnError) as error:
            problem = str(error)
        pytest.fail(problem)

    return check


@pytest.fixture(scope="session")
def _afterturn_checkers(request: pytest.FixtureRequest) -> Generator[dict[str, Checker]]:  # pyright: ignore[reportUnusedFunction]
    """Keeps agents and judges open from row to row."""
    checkers: dict[str, Checker] = {}
    yield checkers
    for checker in checkers.values():
        checker.close()


def _checker(request: pytest.FixtureRequest, options: Mapping[str, Any]) -> Checker:
    """Gives the checker of these options; the same for the same objects."""
    if "target" not in options:
        raise _Misused("name the agent: target=…")
    checkers: dict[str, Any] = request.getfixturevalue("_afterturn_checkers")
    key = "\n".join(f"{name}={_identity(value)}" for name, value in sorted(options.items()))
    if key not in checkers:
        from afterturn.errors import AfterturnError
        from afterturn.integrations.checker import Checker

        given = dict(options)
        try:
            checkers[key] = Checker(given.pop("target"), **given)
        except AfterturnError as error:
            raise _Misused(str(error)) from None
    return checkers[key]


def _identity(value: object) -> str:
    """Tells values apart: those that are written by what they say, objects by which they are."""
    if isinstance(value, str | int | float | Path):
        return repr(value)
    if isinstance(value, list | tuple):
        return ",".join(map(_identity, cast(Iterable[object], value)))
    return f"{type(value).__qualname__} {id(value)}"


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    options = _options(request.node.get_closest_marker(_MARK))
    return {name: value for name, value in options.items() if name in _OF_CHECKS}


def _asked(mark: pytest.Mark | None, folder: Path) -> tuple[list[Row], int]:
    """Gives the rows that a mark names and how often each is run."""
    options = _options(mark)
    datasets: tuple[object, ...] = () if mark is None else mark.args
    if not datasets:
        raise _Misused(f"it asks for rows: give it @pytest.mark.{_MARK}(DATASET)")
    dataset = datasets[0]
    if len(datasets) > 1 or not isinstance(dataset, str | Path):
        raise _Misused(
            "the mark takes one dataset, as the path of a file; rows of the test's own are for afterturn_eval"
        )
    repeats = options.get("repeat", 1)
    if type(repeats) is not int or repeats < 1:
        raise _Misused(f"repeat={repeats!r} would check nothing; give a whole number from 1")
    return _rows(folder / dataset, options.get("format")), repeats


def _options(mark: pytest.Mark | None) -> dict[str, Any]:
    options: dict[str, Any] = dict(mark.kwargs) if mark is not None else {}
    _check_names(options, (*_OF_ROWS, *_OF_CHECKS))
    return options


def _check_names(options: Mapping[str, Any], known: tuple[str, ...]) -> None:
    unknown = [name for name in options if name not in known]
    if unknown:
        raise _Misused(f"afterturn has no option {unknown[0]!r}; there are {', '.join(known)}")


def _rows(path: Path, format: str | None) -> list[Row]:
    from afterturn.errors import AfterturnError
    from afterturn.evals import open_dataset

    bad: list[str] = []
    try:
        dataset = open_dataset(path, format=format, tell=lambda line: bad.append(str(line)))
    except AfterturnError as error:
        raise _Misused(str(error)) from None
    if bad or not dataset.count:
        raise _Misused(bad[0] if bad else f"{path} holds no row; a test of nothing would pass")
    return list(dataset.rows())
