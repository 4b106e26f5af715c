"""Mechanisms: randomisers with known integer weights, and everything derived from them.

:data:`SHIPPED` names each one once: from it come the public names here and in ``sudare``, and
what the registry finds. A family is loaded when one of its names is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.mechanisms.base import Mechanism as Mechanism
    from sudare.mechanisms.frequency import (
        GRR as GRR,
        OLH as OLH,
        OUE as OUE,
        SHE as SHE,
        SUE as SUE,
        THE as THE,
        DyadicUnary as DyadicUnary,
        FrequencyOracle as FrequencyOracle,
        HadamardResponse as HadamardResponse,
        LinearHashing as LinearHashing,
        NegativeSurvey as NegativeSurvey,
        ProjectiveGeometry as ProjectiveGeometry,
        SubsetSelection as SubsetSelection,
    )
    from sudare.mechanisms.joint import *  # noqa: F403
    from sudare.mechanisms.keyvalue import *  # noqa: F403
    from sudare.mechanisms.levels import Levels as Levels
    from sudare.mechanisms.marginal import *  # noqa: F403
    from sudare.mechanisms.number import *  # noqa: F403
    from sudare.mechanisms.pairs import *  # noqa: F403
    from sudare.mechanisms.place import *  # noqa: F403
    from sudare.mechanisms.registry import (
        from_json as from_json,
        names as names,
        register as register,
    )
    from sudare.mechanisms.repeated import (
        LGRR as LGRR,
        LOLOHA as LOLOHA,
        LOSUE as LOSUE,
        LSUE as LSUE,
        DBitFlipPM as DBitFlipPM,
    )
    from sudare.mechanisms.sets import SetUnary as SetUnary
    from sudare.mechanisms.text import PEM as PEM
    from sudare.mechanisms.trajectory import Trajectories as Trajectories

SHIPPED = {
    "frequency": (
        "GRR",
        "OUE",
        "SUE",
        "DyadicUnary",
        "HadamardResponse",
        "LinearHashing",
        "NegativeSurvey",
        "OLH",
        "ProjectiveGeometry",
        "SHE",
        "SubsetSelection",
        "THE",
    ),
    "joint": ("JointNegativeSurvey", "JointRR"),
    "keyvalue": ("PCKVGRR", "PCKVUE", "PrivKV", "PrivKVM", "StateRR"),
    "levels": ("Levels",),
    "marginal": ("MarginalRR",),
    "number": ("Duchi", "HierarchicalHistogram", "Hybrid", "Piecewise", "SquareWave"),
    "pairs": ("SampledPairs", "SampledTables"),
    "place": (
        "ElasticExponential",
        "Grid",
        "GridExponential",
        "PlaceChannel",
        "PlaceLevels",
        "PlanarLaplace",
        "RoadExponential",
        "TightGrid",
    ),
    "repeated": ("DBitFlipPM", "LGRR", "LOLOHA", "LOSUE", "LSUE"),
    "sets": ("SetUnary",),
    "text": ("PEM",),
    "trajectory": ("Trajectories",),
}
_HERE_ALONE = {
    "base": ("Mechanism",),
    "frequency.base": ("FrequencyOracle",),
    "joint.base": ("Joint",),
    "keyvalue.base": ("KeyValue",),
    "number.base": ("Number",),
    "number.binned": ("Binned",),
    "place.base": ("Place",),
    "registry": ("from_json", "names", "register"),
}

__all__, __getattr__, __dir__ = attach(__name__, SHIPPED | _HERE_ALONE, rooms=tuple(SHIPPED))
