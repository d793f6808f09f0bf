"""The red-team pack: attacks, harmless look-alikes, what success looks like, and how far the judge can be moved."""

from __future__ import annotations

from afterturn.gate.redteam._check import RedTeamCheck, RedTeamGrader
from afterturn.gate.redteam._figures import Rate, RedTeamFigures, figures
from afterturn.gate.redteam._pack import DATASET, Pack, load_pack
from afterturn.gate.redteam._planted import Susceptibility, susceptibility
from afterturn.gate.redteam._records import FAMILIES, Sign
from afterturn.gate.redteam._run import RedTeamParts, dataset_of, header_of
from afterturn.gate.redteam._seen import refused, success
from afterturn.gate.redteam._static import StaticCheck
from afterturn.gate.redteam._turns import TurnByTurn

__all__ = [
    "DATASET",
    "FAMILIES",
    "Pack",
    "Rate",
    "RedTeamCheck",
    "RedTeamFigures",
    "RedTeamGrader",
    "RedTeamParts",
    "Sign",
    "StaticCheck",
    "Susceptibility",
    "TurnByTurn",
    "dataset_of",
    "figures",
    "header_of",
    "load_pack",
    "refused",
    "success",
    "susceptibility",
]
