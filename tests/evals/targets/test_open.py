"""A target is opened by how it is written, and what is wrong with it is said before a row is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from eval_parts import row

from afterturn.errors import AgentError, UnreadableInputError, UsageError
from afterturn.evals import Mean, Parts, Prices, RunFile, new_header, open_dataset, start_run
from afterturn.evals.targets import Target, TargetOptions, open_target
from afterturn.formats import read_any, write_any
from afterturn.turns import Turn

AGENTS = """
import asyncio
from afterturn import Message, Turn

def plain(row): return f"{row['input']} {row.text} {row.id}"
async def later(row): await asyncio.sleep(0); return "2"
def deltas(row): yield "It "; yield "is 2."
async def async_deltas(row):
    yield "It "
    yield "is 2."
async def chunks(row):
    call = {"index": 0, "id": "1", "function": {"name": "find", "arguments": "{}"}}
    yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "It is [c1]"}}]}
    yield {"choices": [{"index": 0, "delta": {"content": " 2.", "tool_calls": [call]}}]}
def turn(row): return Turn(messages=(*row.row.input, Message(role="assistant", text="2")))
class Caller:
    async def __call__(self, row): return "2"
    def method(self, row): return "2"
caller = Caller()
number = 7
"""


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "some_agents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "some_agents"
    sys.modules.pop("some_agents", None)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "What is 1+1? What is 1+1? r1"),
        ("later", "2"),
        ("deltas", "It is 2."),
        ("async_deltas", "It is 2."),
        ("turn", "2"),
        ("caller", "2"),
        ("caller.method", "2"),
    ],
)
async def test_a_callable_may_be_of_any_kind(agents: str, name: str, text: str) -> None:
    target = open_target(f"{agents}:{name}")
    assert (await target.ask(row())).text == text
    assert target.name == f"some_agents:{name}"
    await target.aclose()


async def test_deltas_may_be_events_of_a_provider_and_stay_raw(agents: str) -> None:
    reply = await open_target(f"{agents}:chunks").ask(row())
    assert (reply.text, [call.name for call in reply.tool_calls]) == ("It is [c1] 2.", ["find"])


async def test_a_file_can_be_named_instead_of_a_module(agents: str) -> None:
    assert (await open_target("some_agents.py:later").ask(row())).text == "2"


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("some_agents", "is no target; give module:callable"),
        ("some_agents:nobody", "has no 'nobody'"),
        ("no_such_module:x", "no module 'no_such_module'"),
        ("some_agents:number", "is no callable"),
        ("no.py:x", "there is no file no.py"),
        (":x", "names no callable"),
        ("ftp://host/x", "is no address of an agent"),
        ("http://", "is no address"),
        ("https://user:hunter2@host/x", "holds a password"),
        ("https://host/x?api_key=hunter2", "holds a key"),
        ("https://host/v1", "needs --model NAME"),
        ("command:", "is followed by a command line"),
        ("command:'x", "is followed by a command line"),
    ],
)
def test_what_is_no_target_says_what_to_do_and_no_secret(agents: str, spec: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_target(spec)
    assert problem in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_module_that_breaks_while_it_is_imported_is_no_stack_trace(agents: str, tmp_path: Path) -> None:
    (tmp_path / "broken_agent.py").write_text("1 / 0\n")
    with pytest.raises(UsageError, match="broke while it was imported: ZeroDivisionError"):
        open_target("broken_agent:x")


def test_an_address_is_openai_compatible_by_its_model_its_path_or_its_prefix() -> None:
    from afterturn.evals.targets.chat import ChatTarget
    from afterturn.evals.targets.http import HttpTarget

    with_model = TargetOptions(model="m")

    def kind(spec: str, options: TargetOptions | None = None) -> tuple[Any, str]:
        target = open_target(spec, options)
        return type(target), target.name

    assert kind("http://h/agent") == (HttpTarget, "http://h/agent")
    assert kind("http://h/agent", with_model) == (ChatTarget, "http://h/agent/chat/completions")
    assert kind("http://h/v1/chat/completions", with_model) == (ChatTarget, "http://h/v1/chat/completions")
    assert kind("post+http://h/v1", with_model) == (HttpTarget, "http://h/v1")
    assert kind("chat+http://h/x", with_model) == (ChatTarget, "http://h/x/chat/completions")
    assert kind("https://h/x?key=${MY_KEY}") == (HttpTarget, "https://h/x?key=${MY_KEY}")


async def test_recorded_turns_answer_for_the_rows_that_have_their_id(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    lines = [
        {"turn": name, "messages": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": text}]}
        for name, text in (("r1", "old"), ("r2", "two"), ("r1", "new"))
    ]
    path.write_text("{broken\n" + "".join(json.dumps(line) + "\n" for line in lines))
    target = open_target(str(path))
    assert target.free
    assert (await target.ask(row())).text == "new"
    assert (await target.ask(row(id="x", metadata={"turn": "r2"}))).text == "two"
    with pytest.raises(AgentError) as caught:
        await target.ask(row(id="x"))
    assert caught.value.code == "no_recording"


@pytest.mark.parametrize("spec", ["command:true", "https://h/ask", "turns.jsonl", "some_agents:plain"])
@pytest.mark.parametrize("options", [TargetOptions(tools="t.json"), TargetOptions(real_tools=("find",))])
@pytest.mark.usefixtures("agents")
def test_tools_are_refused_where_no_stub_could_take_their_place(spec: str, options: TargetOptions) -> None:
    with pytest.raises(UsageError, match="runs its own tools"):
        open_target(spec, options)


@pytest.mark.parametrize("name", ["turns.jsonl", "turns.parquet"])
async def test_recorded_turns_are_found_by_id_too_and_by_turn_first(tmp_path: Path, name: str) -> None:
    said = {"one": {"id": "r1"}, "two": {"id": 2}, "three": {"turn": "r3", "id": "r4"}, "four": {"turn": "r4"}}
    path = tmp_path / "turns.jsonl"
    with path.open("w") as stream:
        for text, ids in said.items():
            messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": text}]
            stream.write(json.dumps({**ids, "messages": messages}) + "\n")
    if name != path.name:
        pytest.importorskip("pyarrow")
        write_any([turn for turn in read_any(path) if isinstance(turn, Turn)], tmp_path / name)
    target = open_target(str(tmp_path / name))
    found = [(await target.ask(row(id=wanted))).text for wanted in ("r1", "2", "r3", "r4")]
    assert found == ["one", "two", "three", "four"]
    with pytest.raises(AgentError, match="under `turn` or `id`; name one"):
        await target.ask(row(id="r5"))


async def test_the_latency_of_a_recorded_turn_is_unknown_and_not_the_time_of_reading_it(tmp_path: Path) -> None:
    path, out = tmp_path / "turns.jsonl", tmp_path / "run.jsonl"
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "two"}]
    path.write_text(json.dumps({"turn": "r1", "messages": messages}) + "\n")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "r1", "input": "Q"}\n')
    dataset = open_dataset(rows)
    parts = Parts(target=open_target(str(path)), assertions=("contains:two", "latency:1000"), prices=Prices({}))
    summary = await start_run(new_header(parts, dataset), parts, dataset, out)
    (result,) = RunFile(out).results()
    assert result.reply is not None
    assert result.reply.latency_ms is None
    assert [one.reason for one in result.assertions] == [None, "latency_unknown"]
    assert RunFile(out).summary().latency_ms == summary.latency_ms == Mean(mean=None, count=0, coverage=0.0)


def test_a_file_without_turns_or_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        open_target(str(tmp_path / "no.jsonl"))
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(UnreadableInputError, match="holds no turn"):
        open_target(str(tmp_path / "empty.jsonl"))


def command(folder: Path, code: str) -> Target:
    script = folder / "agent.py"
    script.write_text(f"import json, sys\nrow = json.loads(sys.stdin.readline())\n{code}\n")
    return open_target(f"command:{sys.executable} {script}")


async def test_a_command_reads_the_row_and_never_what_is_expected_of_it(tmp_path: Path) -> None:
    reply = await command(tmp_path, "print(json.dumps({'text': json.dumps(row)}))").ask(row(metadata={"label": 1}))
    assert json.loads(reply.text) == {
        "id": "r1",
        "input": "What is 1+1?",
        "messages": [{"role": "user", "content": "What is 1+1?"}],
    }


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("sys.exit(3)", "exit_code"),
        ("pass", "no_reply"),
        ("print(json.dumps({'x': 1}))", "bad_reply"),
        ('print(\'{"text": "It is two.\')', "bad_reply"),
        ("print('[{\"text\": ' + '[' * 5000)", "bad_reply"),
    ],
)
async def test_a_command_that_fails_says_how(tmp_path: Path, code: str, reason: str) -> None:
    with pytest.raises(AgentError) as caught:
        await command(tmp_path, code).ask(row())
    assert caught.value.code == reason


async def test_a_command_may_answer_in_plain_text_and_one_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert (await command(tmp_path, "print('{ It is 2.')").ask(row())).text == "{ It is 2."
    with pytest.raises(AgentError, match="check the command"):
        await open_target("command:/no/such/program").ask(row())
