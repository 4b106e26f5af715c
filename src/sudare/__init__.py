"""Sudare: statistics about people without collecting people.

Respondents randomise their answer on their own device; a collector
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

from typing import TYPE_CHECKING

from sudare._version import __version__ as __version__
from sudare.lazy import attach
from sudare.mechanisms import SHIPPED

if TYPE_CHECKING:
    from sudare import (
        collector as collector,
        files as files,
        ledger as ledger,
        location as location,
        planning as planning,
        poisoning as poisoning,
        release as release,
        studies as studies,
        testing as testing,
    )
    from sudare.channels import (
        Channel as Channel,
        Dense as Dense,
        Kronecker as Kronecker,
        Symmetric as Symmetric,
    )
    from sudare.collection import Client as Client, Collection as Collection
    from sudare.errors import (
        BudgetExceeded as BudgetExceeded,
        CollectionError as CollectionError,
        ConformanceError as ConformanceError,
        DomainError as DomainError,
        EarlierAnswer as EarlierAnswer,
        EstimationError as EstimationError,
        MissingExtraError as MissingExtraError,
        PrivacyError as PrivacyError,
        ReportError as ReportError,
        StorageError as StorageError,
        SudareError as SudareError,
        WrongTypeError as WrongTypeError,
    )
    from sudare.estimation import (
        Counts as Counts,
        Distribution as Distribution,
        Estimate as Estimate,
        SparseCounts as SparseCounts,
        bootstrap as bootstrap,
    )
    from sudare.estimation.combining import combine as combine
    from sudare.exact import Entropy as Entropy
    from sudare.mechanisms import *  # noqa: F403
    from sudare.mechanisms.joint.tables import joint_tables as joint_tables
    from sudare.planning import (
        Plan as Plan,
        compare as compare,
        crossing as crossing,
        plan as plan,
        plan_distribution as plan_distribution,
        sample_size as sample_size,
    )

_HOMES = {
    "_version": ("__version__",),
    "channels": ("Channel", "Dense", "Kronecker", "Symmetric"),
    "collection": ("Client", "Collection"),
    "errors": (
        "BudgetExceeded",
        "CollectionError",
        "ConformanceError",
        "DomainError",
        "EarlierAnswer",
        "EstimationError",
        "MissingExtraError",
        "PrivacyError",
        "ReportError",
        "StorageError",
        "SudareError",
        "WrongTypeError",
    ),
    "estimation": ("Counts", "Distribution", "Estimate", "SparseCounts", "bootstrap"),
    "estimation.combining": ("combine",),
    "exact": ("Entropy",),
    "mechanisms.joint.tables": ("joint_tables",),
    "planning": ("Plan", "compare", "crossing", "plan", "plan_distribution", "sample_size"),
    **{f"mechanisms.{family}": names for family, names in SHIPPED.items()},
}
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

__all__, __getattr__, __dir__ = attach(__name__, _HOMES, _ROOMS)
