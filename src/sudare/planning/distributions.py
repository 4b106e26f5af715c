"""``plan_distribution``: mechanisms for the distribution of a number, the best first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare import frames
from sudare.errors import DomainError, counted
from sudare.estimation.estimate import Target, check_target, normal_quantile
from sudare.exact import as_epsilon, as_integer
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.choose import fine_bins, rank_distributions
from sudare.mechanisms.number.hierarchical import MOST_BINS, HierarchicalHistogram


@dataclass(frozen=True, slots=True)
class DistributionOption:
    """One mechanism of a plan.

    Attributes:
        mechanism: ready to use.
        cdf_mse: the mean over the inner edges of the expected squared error of the share below.
        half_width: half the width of a typical 95 % interval of such a share.
        report_bytes: length of one report.
    """

    mechanism: Binned
    cdf_mse: float
    half_width: float
    report_bytes: int

    @property
    def name(self) -> str:
        """The mechanism's name; of a tree with branching and oracle."""
        return self.mechanism.full_name

    def to_json(self) -> dict[str, Any]:
        """Return the option as JSON data."""
        return {
            "mechanism": self.mechanism.to_json(),
            "cdf_mse": self.cdf_mse,
            "half_width_95": self.half_width,
            "report_bytes": self.report_bytes,
            "epsilon": self.mechanism.epsilon,
        }


@dataclass(frozen=True)
class DistributionPlan:
    """Ranked options for one number; the first is the best.

    A sequence of :class:`DistributionOption`.
    """

    low: float
    high: float
    bins: int
    n: int
    epsilon: Fraction
    target: Target
    options: tuple[DistributionOption, ...]

    def __iter__(self) -> Iterator[DistributionOption]:
        return iter(self.options)

    def __len__(self) -> int:
        return len(self.options)

    def __getitem__(self, index: int) -> DistributionOption:
        return self.options[index]

    @property
    def best(self) -> Binned:
        """The mechanism with the least expected error."""
        return self.options[0].mechanism

    def __repr__(self) -> str:
        head = (
            f"DistributionPlan({self.low} to {self.high}, {self.bins} bins, n={self.n}, "
            f"epsilon={float(self.epsilon)}, {self.target})"
        )
        rows = [
            f"  {o.name:<43} expected MSE {o.cdf_mse:.4g}  95 % ± {o.half_width:.3g}  "
            f"{counted(o.report_bytes, 'byte')}"
            for o in self.options
        ]
        return "\n".join([head, *rows])

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON data."""
        return {
            "low": self.low,
            "high": self.high,
            "bins": self.bins,
            "n": self.n,
            "epsilon": float(self.epsilon),
            "target": self.target,
            "options": [option.to_json() for option in self.options],
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row an option."""
        rows = [option.to_json() | {"mechanism": option.name} for option in self.options]
        return frames.build({name: [row[name] for row in rows] for name in rows[0]}, library)


def plan_distribution(
    low: float,
    high: float,
    n: int,
    epsilon: float | Fraction,
    bins: int | None = None,
    target: Target = "population",
    edges: Sequence[float] | None = None,
) -> DistributionPlan:
    """Rank the mechanisms for the distribution of a number in [low, high].

    By the expected squared error of the share of people below an edge, the mean over the inner
    edges, exact for people who lie evenly: trees of several branchings and oracles, one level
    alone, :class:`~sudare.SquareWave`.

    Args:
        low, high: the ends of the range.
        n: number of respondents.
        epsilon: ε of the answer.
        bins: equal parts of the range, 2 to 4,096; default as many as are fine enough for
            the intervals of quantiles: more for more respondents.
        target: whose distribution the error is about.
        edges: where bins begin and end, from ``low`` to ``high``, that are not equal: trees alone
            are ranked, and by the error for people of whom each bin holds as many.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range.

    Examples:
        >>> best = plan_distribution(0, 100, n=20_000, epsilon=1.0, bins=64).best
        >>> best.name, best.branching, best.oracle
        ('HierarchicalHistogram', 4, 'SubsetSelection')
    """
    people, exact, whose = (
        as_integer(n, "n", low=1, high=2**62),
        as_epsilon(epsilon),
        check_target(target),
    )
    if edges is not None:
        if bins is not None:
            raise DomainError("bins", "must be left out where edges are given", got=bins)
        bins = HierarchicalHistogram.over(edges, exact).bins
    size = (
        fine_bins(exact, people)
        if bins is None
        else as_integer(bins, "bins", low=2, high=MOST_BINS)
    )
    z = normal_quantile(0.95)
    options = tuple(
        DistributionOption(m, mse, z * math.sqrt(mse), m.report_bytes)
        for mse, m in rank_distributions(low, high, exact, people, size, whose, edges)
    )
    best = options[0].mechanism
    return DistributionPlan(best.low, best.high, size, people, exact, whose, options)
