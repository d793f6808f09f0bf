"""The toolbox answers by stubs, and by a real tool only where one of its name is on offer."""

from __future__ import annotations

import pytest

from afterturn import Tool
from afterturn.errors import UsageError
from afterturn.evals.targets._stubs import Toolbox


def test_a_real_tool_that_is_not_on_offer_is_refused_with_the_names_that_are() -> None:
    with pytest.raises(UsageError, match=r"real tool lokup is not on offer; there is lookup, refund"):
        Toolbox([Tool(name="lookup"), Tool(name="refund")], ["lokup=json:dumps"])


def test_real_tools_may_be_named_before_the_tools_are_known() -> None:
    assert Toolbox((), ["lookup=json:dumps"]).tools == ()
