"""Sudare: statistics about people without collecting people.

Respondents randomise their answer on their own device; a collector that nobody has to trust
stores only randomised reports; from these come shares with an error bar and the ε they cost.

Importing is lazy: a name is loaded when it is first used, so that a device starts fast.

Examples:
    >>> import sudare as sd
    >>> m = sd.GRR(k=3, epsilon=2.0)
    >>> reports = m.perturb([0, 1, 2, 2], rng=sd.Entropy.seeded(b"example"))
    >>> m.estimate(m.aggregate(reports)).n
    4
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sudare._version import __version__

if TYPE_CHECKING:
    from sudare import collector as collector
    from sudare import files as files
    from sudare import ledger as ledger
    from sudare import location as location
    from sudare import planning as planning
    from sudare import poisoning as poisoning
    from sudare import release as release
    from sudare import studies as studies
    from sudare import testing as testing
    from sudare.channels import Channel, Dense, Kronecker, Symmetric
    from sudare.collection import Client, Collection
    from sudare.errors import (
        BudgetExceeded,
        CollectionError,
        ConformanceError,
        DomainError,
        EstimationError,
        MissingExtraError,
        PrivacyError,
        ReportError,
        StorageError,
        SudareError,
        WrongTypeError,
    )
    from sudare.estimation import Counts, Estimate, SparseCounts, bootstrap
    from sudare.estimation.combining import combine
    from sudare.exact import Entropy
    from sudare.mechanisms import (
        GRR,
        OUE,
        PCKVGRR,
        PCKVUE,
        SUE,
        Duchi,
        DyadicUnary,
        ElasticExponential,
        Grid,
        GridExponential,
        Hybrid,
        JointNegativeSurvey,
        JointRR,
        MarginalRR,
        NegativeSurvey,
        Piecewise,
        PlaceChannel,
        PlaceLevels,
        PlanarLaplace,
        PrivKV,
        PrivKVM,
        RoadExponential,
        SetUnary,
        SquareWave,
        StateRR,
        TightGrid,
    )
    from sudare.mechanisms.joint.tables import joint_tables
    from sudare.planning import Plan, crossing, plan, sample_size

_HOMES = {
    "sudare.channels": ("Channel", "Dense", "Kronecker", "Symmetric"),
    "sudare.collection": ("Client", "Collection"),
    "sudare.errors": (
        "BudgetExceeded",
        "CollectionError",
        "ConformanceError",
        "DomainError",
        "EstimationError",
        "MissingExtraError",
        "PrivacyError",
        "ReportError",
        "StorageError",
        "SudareError",
        "WrongTypeError",
    ),
    "sudare.estimation": ("Counts", "Estimate", "SparseCounts", "bootstrap"),
    "sudare.exact": ("Entropy",),
    "sudare.mechanisms": (
        "GRR",
        "OUE",
        "PCKVGRR",
        "PCKVUE",
        "SUE",
        "Duchi",
        "DyadicUnary",
        "ElasticExponential",
        "Grid",
        "GridExponential",
        "Hybrid",
        "JointNegativeSurvey",
        "JointRR",
        "MarginalRR",
        "NegativeSurvey",
        "Piecewise",
        "PlaceChannel",
        "PlaceLevels",
        "PlanarLaplace",
        "PrivKV",
        "PrivKVM",
        "RoadExponential",
        "SetUnary",
        "SquareWave",
        "StateRR",
        "TightGrid",
    ),
    "sudare.estimation.combining": ("combine",),
    "sudare.mechanisms.joint.tables": ("joint_tables",),
    "sudare.planning": ("Plan", "crossing", "plan", "sample_size"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = (
    "collector",
    "files",
    "ledger",
    "location",
    "planning",
    "poisoning",
    "release",
    "studies",
    "testing",
)

__all__ = [
    "GRR",
    "OUE",
    "PCKVGRR",
    "PCKVUE",
    "SUE",
    "BudgetExceeded",
    "Channel",
    "Client",
    "Collection",
    "CollectionError",
    "ConformanceError",
    "Counts",
    "Dense",
    "DomainError",
    "Duchi",
    "DyadicUnary",
    "ElasticExponential",
    "Entropy",
    "Estimate",
    "EstimationError",
    "Grid",
    "GridExponential",
    "Hybrid",
    "JointNegativeSurvey",
    "JointRR",
    "Kronecker",
    "MarginalRR",
    "MissingExtraError",
    "NegativeSurvey",
    "Piecewise",
    "PlaceChannel",
    "PlaceLevels",
    "Plan",
    "PlanarLaplace",
    "PrivKV",
    "PrivKVM",
    "PrivacyError",
    "ReportError",
    "RoadExponential",
    "SetUnary",
    "SparseCounts",
    "SquareWave",
    "StateRR",
    "StorageError",
    "SudareError",
    "Symmetric",
    "TightGrid",
    "WrongTypeError",
    "__version__",
    "bootstrap",
    "collector",
    "combine",
    "crossing",
    "files",
    "joint_tables",
    "ledger",
    "location",
    "plan",
    "planning",
    "poisoning",
    "release",
    "sample_size",
    "studies",
    "testing",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return importlib.import_module(f"sudare.{name}")
    raise AttributeError(f"module 'sudare' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
