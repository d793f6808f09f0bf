"""Makes a dataset of conversations: each scenario with each persona that plays in it.

A scenario is a row. What it says of its customer (`goal`, `situation`, `facts`, `patience`, `opening`, `moves`) and
which personas play in it (`persona`) stand beside the row's own keys. The persona is written into the row, so that a
run's file can be read alone and a changed persona is another row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from afterturn.errors import InputError, UsageError
from afterturn.evals._dataset import Dataset, open_dataset
from afterturn.evals._records import Row
from afterturn.evals._rows import with_content
from afterturn.evals.simulate._library import find
from afterturn.evals.simulate._moves import Move
from afterturn.evals.simulate._persona import OVER, SCRIPT, Persona, read_persona, with_scenario
from afterturn.formats import BadLine, FormatProblem, is_list
from afterturn.turns import JsonValue

SCENARIOS = "scenarios"
"""Name of the dataset format: a row that needs no input where the customer begins."""

PERSONA = "persona"
OPENS = "opens"
CUSTOMER = "customer"


@dataclass(frozen=True, kw_only=True)
class Cast(Dataset):
    """Is a dataset of conversations.

    Attributes:
        scenarios: The scenarios.
        personas: The personas that play in those that name none.
        simulated: Whether a model plays the personas.
    """

    scenarios: Dataset
    personas: tuple[Persona, ...] = ()
    simulated: bool = False

    def all_rows(self) -> Iterator[Row]:
        """The conversations, scenario by scenario, and the lines that are no scenario; as often as wanted."""
        for row in self.scenarios.all_rows():
            if row.problem:
                yield row
            else:
                yield from _played_by(row, self.personas, simulated=self.simulated)


def open_cast(
    path: Path,
    personas: Sequence[Persona] = (),
    *,
    simulated: bool = False,
    format: str | None = None,
    tell: Callable[[BadLine], None] | None = None,
) -> Cast:
    """Reads scenarios and gives each its personas; all of it is checked before anything is asked.

    Args:
        path: The scenarios: any dataset, and rows without `input` where the customer begins.
        personas: Who plays in scenarios that name nobody; none: the scenarios' own messages and moves are the script.
        simulated: Whether a model plays the personas.
        format: The dataset's format; by default Afterturn's own.
        tell: Is told of every line that is no scenario.

    Raises:
        InputError: A scenario cannot be played; says where and why.
        UnreadableInputError: The file cannot be read.
    """
    scenarios = open_dataset(path, format=format or SCENARIOS, tell=tell)
    cast = Cast(
        path=path,
        format=scenarios.format,
        count=0,
        bad_lines=scenarios.bad_lines,
        scenarios=scenarios,
        personas=tuple(personas),
        simulated=simulated,
    )
    return replace(cast, count=sum(1 for _ in cast.rows()))


def opens(row: Row) -> bool:
    """Whether the customer begins; the row's input is then what it is told and goes to nobody."""
    return row.metadata.get(OPENS) == CUSTOMER


def persona_of(row: Row) -> Persona:
    """Who plays in a conversation; where nobody does, a customer with nothing more to say."""
    value = row.metadata.get(PERSONA)
    return read_persona(value) if isinstance(value, dict) else Persona(id=SCRIPT)


def _played_by(row: Row, personas: tuple[Persona, ...], *, simulated: bool) -> Iterator[Row]:
    where = row.source or row.id
    try:
        own = {key: row.metadata[key] for key in OVER if key in row.metadata}
        chosen = _chosen(row.metadata.get(PERSONA), personas)
        bare = not chosen or "moves" in own  # moves of the scenario are its script, whoever else could play
        for persona in (Persona(id=SCRIPT),) if bare else chosen:
            full = with_scenario(persona, own, where)
            _check(row, full, where, simulated=simulated and not bare)
            yield _row(row, None if bare and not own else full)
    except FormatProblem as problem:
        raise InputError(f"{where}: {problem}" if where not in str(problem) else str(problem)) from None
    except UsageError as error:
        raise InputError(f"{where}: {error}") from None


def _chosen(value: JsonValue, personas: tuple[Persona, ...]) -> tuple[Persona, ...]:
    names = [value] if isinstance(value, str) else value
    if names is None:
        return personas
    if not is_list(names) or not all(isinstance(name, str) for name in names):
        raise FormatProblem("`persona` is neither an id nor a list of ids", "name personas of the file or the library")
    return find((str(name) for name in names), personas)


def _row(row: Row, persona: Persona | None) -> Row:
    metadata = {key: value for key, value in row.metadata.items() if key not in (*OVER, PERSONA)}
    if persona is None:
        return with_content(replace(row, metadata=metadata))
    name = row.id if persona.id == SCRIPT else f"{row.id}~{persona.id}"
    criteria = row.criteria
    if not criteria and persona.goal:
        criteria = (f"By the end the customer has what it came for: {persona.goal}",)
    metadata[PERSONA] = persona.to_json()
    return with_content(replace(row, id=name, criteria=criteria, metadata=metadata))


def _check(row: Row, persona: Persona, where: str, *, simulated: bool) -> None:
    """Sees to it that somebody begins, and that a model has somebody to be."""
    if simulated and not (persona.goal or persona.situation):
        raise InputError(f"{where}: persona {persona.id} has neither goal nor situation; a model needs one to play it")
    begins = simulated or persona.opening or any(_unasked(move) for move in persona.moves)
    if opens(row) and not begins:
        raise InputError(f"{where}: nobody begins; give `input`, a persona with an `opening`, or --simulator")


def _unasked(move: Move) -> bool:
    return move.when_reply_matches is None and bool(move.say)
