"""Simulates customers: scripts and personas that talk to an agent, conversation by conversation (SPEC D4, D5)."""

from __future__ import annotations

from afterturn.evals.simulate._classified import Classified, classify_transcripts
from afterturn.evals.simulate._conversation import MAX_TURNS, Conversations
from afterturn.evals.simulate._customer import Customer, Exchange, Said, Scene
from afterturn.evals.simulate._figures import ConversationFigures, conversation_figures
from afterturn.evals.simulate._leaks import LeakCheck
from afterturn.evals.simulate._library import library, load_personas
from afterturn.evals.simulate._model import ModelCustomer
from afterturn.evals.simulate._moves import Move, read_moves
from afterturn.evals.simulate._persona import Persona, read_persona
from afterturn.evals.simulate._played import Played, played
from afterturn.evals.simulate._run import SimulationParts, open_parts
from afterturn.evals.simulate._scenarios import Cast, open_cast, persona_of
from afterturn.evals.simulate._scripted import ScriptedCustomer
from afterturn.evals.simulate._stops import STOPS, Stop
from afterturn.evals.simulate._transcripts import transcripts, turns_of

__all__ = [
    "MAX_TURNS",
    "STOPS",
    "Cast",
    "Classified",
    "ConversationFigures",
    "Conversations",
    "Customer",
    "Exchange",
    "LeakCheck",
    "ModelCustomer",
    "Move",
    "Persona",
    "Played",
    "Said",
    "Scene",
    "ScriptedCustomer",
    "SimulationParts",
    "Stop",
    "classify_transcripts",
    "conversation_figures",
    "library",
    "load_personas",
    "open_cast",
    "open_parts",
    "persona_of",
    "played",
    "read_moves",
    "read_persona",
    "transcripts",
    "turns_of",
]
