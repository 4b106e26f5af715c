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
        data as data,
        engines as engines,
        files as files,
        ledger as ledger,
        location as location,
        models as models,
        planning as planning,
        poisoning as poisoning,
        release as release,
        studies as studies,
        testing as testing,
        weights as weights,
    )
    from sudare.channels import (
        Channel as Channel,
        Dense as Dense,
        Kronecker as Kronecker,
        Symmetric as Symmetric,
    )
    from sudare.collection import (
        AsyncClient as AsyncClient,
        Client as Client,
        Collection as Collection,
        simulate as simulate,
    )
    from sudare.engines import estimate_from as estimate_from, spark as spark
    from sudare.errors import (
        BudgetExceeded as BudgetExceeded,
        CollectionError as CollectionError,
        ConformanceError as ConformanceError,
        DomainError as DomainError,
        EarlierAnswer as EarlierAnswer,
        EngineError as EngineError,
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
    from sudare.estimation.changing import change as change
    from sudare.estimation.combining import combine as combine
    from sudare.exact import Entropy as Entropy
    from sudare.mechanisms import (
        GRR as GRR,
        LGRR as LGRR,
        LOLOHA as LOLOHA,
        LOSUE as LOSUE,
        LSUE as LSUE,
        OLH as OLH,
        OUE as OUE,
        PCKVGRR as PCKVGRR,
        PCKVUE as PCKVUE,
        PEM as PEM,
        SHE as SHE,
        SUE as SUE,
        THE as THE,
        DBitFlipPM as DBitFlipPM,
        Duchi as Duchi,
        DyadicUnary as DyadicUnary,
        ElasticExponential as ElasticExponential,
        Grid as Grid,
        GridExponential as GridExponential,
        HadamardResponse as HadamardResponse,
        HierarchicalHistogram as HierarchicalHistogram,
        Hybrid as Hybrid,
        JointNegativeSurvey as JointNegativeSurvey,
        JointRR as JointRR,
        Levels as Levels,
        LinearHashing as LinearHashing,
        MarginalRR as MarginalRR,
        NegativeSurvey as NegativeSurvey,
        Piecewise as Piecewise,
        PlaceChannel as PlaceChannel,
        PlaceLevels as PlaceLevels,
        PlanarLaplace as PlanarLaplace,
        PrivKV as PrivKV,
        PrivKVM as PrivKVM,
        ProjectiveGeometry as ProjectiveGeometry,
        RoadExponential as RoadExponential,
        SampledPairs as SampledPairs,
        SampledTables as SampledTables,
        SetUnary as SetUnary,
        SquareWave as SquareWave,
        StateRR as StateRR,
        SubsetSelection as SubsetSelection,
        TightGrid as TightGrid,
        Trajectories as Trajectories,
    )
    from sudare.mechanisms.crossed import cross as cross
    from sudare.mechanisms.joint.tables import joint_tables as joint_tables
    from sudare.planning import (
        Plan as Plan,
        compare as compare,
        crossing as crossing,
        plan as plan,
        plan_distribution as plan_distribution,
        plan_repeated as plan_repeated,
        sample_size as sample_size,
    )

_HOMES = {
    "_version": ("__version__",),
    "channels": ("Channel", "Dense", "Kronecker", "Symmetric"),
    "collection": ("AsyncClient", "Client", "Collection", "simulate"),
    "engines.sources": ("estimate_from",),
    "errors": (
        "BudgetExceeded",
        "CollectionError",
        "ConformanceError",
        "DomainError",
        "EarlierAnswer",
        "EngineError",
        "EstimationError",
        "MissingExtraError",
        "PrivacyError",
        "ReportError",
        "StorageError",
        "SudareError",
        "WrongTypeError",
    ),
    "engines": ("spark",),
    "estimation": ("Counts", "Distribution", "Estimate", "SparseCounts", "bootstrap"),
    "estimation.changing": ("change",),
    "estimation.combining": ("combine",),
    "exact": ("Entropy",),
    "mechanisms.crossed": ("cross",),
    "mechanisms.joint.tables": ("joint_tables",),
    "planning": (
        "Plan",
        "compare",
        "crossing",
        "plan",
        "plan_distribution",
        "plan_repeated",
        "sample_size",
    ),
    **{f"mechanisms.{family}": names for family, names in SHIPPED.items()},
}
_ROOMS = (
    "collector",
    "data",
    "engines",
    "files",
    "ledger",
    "location",
    "models",
    "planning",
    "poisoning",
    "release",
    "studies",
    "testing",
    "weights",
)

__all__, __getattr__, __dir__ = attach(__name__, _HOMES, _ROOMS)
