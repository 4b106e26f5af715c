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
    )
    from sudare import (
        files as files,
    )
    from sudare import (
        ledger as ledger,
    )
    from sudare import (
        location as location,
    )
    from sudare import (
        planning as planning,
    )
    from sudare import (
        poisoning as poisoning,
    )
    from sudare import (
        release as release,
    )
    from sudare import (
        studies as studies,
    )
    from sudare import (
        testing as testing,
    )
    from sudare.channels import (
        Channel as Channel,
    )
    from sudare.channels import (
        Dense as Dense,
    )
    from sudare.channels import (
        Kronecker as Kronecker,
    )
    from sudare.channels import (
        Symmetric as Symmetric,
    )
    from sudare.collection import Client as Client
    from sudare.collection import Collection as Collection
    from sudare.errors import (
        BudgetExceeded as BudgetExceeded,
    )
    from sudare.errors import (
        CollectionError as CollectionError,
    )
    from sudare.errors import (
        ConformanceError as ConformanceError,
    )
    from sudare.errors import (
        DomainError as DomainError,
    )
    from sudare.errors import (
        EarlierAnswer as EarlierAnswer,
    )
    from sudare.errors import (
        EstimationError as EstimationError,
    )
    from sudare.errors import (
        MissingExtraError as MissingExtraError,
    )
    from sudare.errors import (
        PrivacyError as PrivacyError,
    )
    from sudare.errors import (
        ReportError as ReportError,
    )
    from sudare.errors import (
        StorageError as StorageError,
    )
    from sudare.errors import (
        SudareError as SudareError,
    )
    from sudare.errors import (
        WrongTypeError as WrongTypeError,
    )
    from sudare.estimation import (
        Counts as Counts,
    )
    from sudare.estimation import (
        Estimate as Estimate,
    )
    from sudare.estimation import (
        SparseCounts as SparseCounts,
    )
    from sudare.estimation import (
        bootstrap as bootstrap,
    )
    from sudare.estimation.combining import combine as combine
    from sudare.exact import Entropy as Entropy
    from sudare.mechanisms import *  # noqa: F403
    from sudare.mechanisms.joint.tables import joint_tables as joint_tables
    from sudare.planning import (
        Plan as Plan,
    )
    from sudare.planning import (
        compare as compare,
    )
    from sudare.planning import (
        crossing as crossing,
    )
    from sudare.planning import (
        plan as plan,
    )
    from sudare.planning import (
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
    "estimation": ("Counts", "Estimate", "SparseCounts", "bootstrap"),
    "estimation.combining": ("combine",),
    "exact": ("Entropy",),
    "mechanisms.joint.tables": ("joint_tables",),
    "planning": ("Plan", "compare", "crossing", "plan", "sample_size"),
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
