"""One estimate from several groups of respondents whose reports spent different ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.estimation.confidence import check_flag
from sudare.estimation.estimate import Estimate, Kind, Law
from sudare.estimation.spread import Spread, interval
from sudare.estimation.weights import as_weights


def combine(
    estimates: Sequence[Estimate],
    *,
    independent: bool = False,
    strata: Sequence[float] | None = None,
) -> Estimate:
    """Return the estimate of all groups together, such as people who chose different levels of ε.

    ::

        x = Σ_g v_g x_g,   Var x = Σ_g v_g² Var x_g
        v_g = n_g / N                                      (respondents: the groups are added)
        v_g ∝ 1 / mean of the variances of g at x_0        (population)
        v_g ∝ strata_g                                     (strata of known sizes)

    with x_0 the groups so weighted as if all shares were equal: a weight that followed a group's
    own luck would be biased. Groups of one mechanism are simply added. For the population the
    variances are those at x, for the respondents those of each group at its own shares: people of
    another level may answer otherwise.

    For the population every group must estimate the same shares. That holds only if the level
    is independent of the answer, which no report can show: the caller declares it. Groups that are
    strata of known sizes, such as a collection a region, may differ as they like.

    Args:
        estimates: unbiased, of one domain, target and method; no respondent is in two groups.
        independent: for the population: which group a person is in is independent of the answer.
        strata: how many people of the population, or which share of them, each group stands for.

    Raises:
        WrongTypeError: not a list of estimates, or strata that are not numbers.
        DomainError: not one number above 0 a group.
        EstimationError: the estimates do not fit, have no standard errors, independence is
            not declared for the population, or strata are given of respondents.

    Source: Sei, Ohsuga 2014, discussion (groups of equal γ, added: right for the respondents).

    Examples:
        >>> import sudare as sd
        >>> low, high = sd.GRR(k=2, epsilon=1.0), sd.GRR(k=2, epsilon=3.0)
        >>> groups = [low.estimate(sd.Counts((60, 40), 100), target="respondents"),
        ...           high.estimate(sd.Counts((60, 40), 100), target="respondents")]
        >>> combine(groups).n, combine(groups).shares.round(3).tolist()
        (200, [0.663, 0.337])
        >>> strata = [m.estimate(sd.Counts((60, 40), 100)) for m in (low, high)]
        >>> combine(strata, strata=[30_000, 70_000]).shares.round(3).tolist()
        [0.642, 0.358]
    """
    groups = _groups(estimates)
    laws = _laws(groups)
    first = groups[0]
    total = sum(group.n for group in groups)
    parts = [group.n / total for group in groups]
    if strata is not None:
        parts = _sizes(strata, len(groups))
        if first.target != "population":
            raise EstimationError(
                "strata",
                "are of a population: the estimates must be too",
                'estimate with target="population"',
                got=first.target,
            )
    elif first.target == "population":
        if not check_flag(independent, "independent"):
            raise EstimationError(
                "independent",
                "must be declared for the population",
                "pass independent=True if a person's group does not depend on the answer, "
                'or estimate with target="respondents"',
            )
        shares = np.full_like(first.shares, 1 / first.shares.size)
        for _ in range(2):
            laws = [law.at(shares) for law in laws]
            variances = [float(np.mean(law.stderr**2)) for law in laws]
            if min(variances) > 0:
                precision = [1 / variance for variance in variances]
                parts = [one / sum(precision) for one in precision]
            shares = _sum(parts, [group.shares for group in groups])
        laws = [law.at(shares) for law in laws]
    shares = _sum(parts, [group.shares for group in groups])
    stderr = np.sqrt(_sum([v * v for v in parts], [law.stderr**2 for law in laws]))
    cautions = {(one, one.cells): one for group in groups for one in group.warnings}
    return Estimate(
        shares=shares,
        stderr=stderr,
        n=total,
        epsilon=max(group.epsilon for group in groups),
        covers=first.covers,
        method=first.method,
        target=first.target,
        warnings=tuple(cautions.values()),
        labels=first.labels,
        _law=_Combined(shares, stderr, tuple(zip(parts, laws, strict=True))),
    )


@dataclass(frozen=True, eq=False)
class _Combined:
    """The law of a weighted sum of independent estimates."""

    exclusive: ClassVar[bool] = True
    shares: Floats
    stderr: Floats
    parts: tuple[tuple[float, Law], ...]

    def at(self, shares: Floats) -> _Combined:
        """Return the law of as many reports if these were the true shares."""
        parts = tuple((v, law.at(shares)) for v, law in self.parts)
        stderr = np.sqrt(_sum([v * v for v, _ in parts], [law.stderr**2 for _, law in parts]))
        return _Combined(shares, stderr, parts)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        return sum(v * v * law.variance(weights) for v, law in self.parts)

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies; without weights how each share does."""
        return reduce(add, (law.spread(weights).scaled(v) for v, law in self.parts))

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, or by a score test."""
        return interval(self, miss, kind, simultaneous)


def _sum(weights: list[float], arrays: list[Floats]) -> Floats:
    total: Floats = np.tensordot(np.array(weights), np.stack(arrays), axes=1)
    return total


def _sizes(strata: object, groups: int) -> list[float]:
    """Return the part that each stratum is of the population."""
    sizes = as_weights(strata, (groups,), "strata")
    if not (sizes > 0).all():
        raise DomainError("strata", "must be above 0", "leave out groups of nobody")
    return list((sizes / sizes.sum()).tolist())


def _groups(estimates: object) -> list[Estimate]:
    if not isinstance(estimates, Sequence) or not estimates:
        raise WrongTypeError("estimates", "must be a list of estimates", "one for each group")
    if not all(isinstance(group, Estimate) for group in estimates):
        raise WrongTypeError("estimates", "must be a list of estimates", "one for each group")
    groups: list[Estimate] = list(estimates)
    if len({id(group) for group in groups}) < len(groups):
        raise EstimationError("estimates", "must name each group once")
    for name in ("target", "method", "covers", "labels"):
        if len({getattr(group, name) for group in groups}) > 1:
            raise EstimationError("estimates", f"must agree in their {name}")
    if len({group.shares.shape for group in groups}) > 1:
        raise EstimationError("estimates", "must agree in their shape")
    return groups


def _laws(groups: list[Estimate]) -> list[Law]:
    laws = [group._law for group in groups if group._law is not None]
    if len(laws) < len(groups) or groups[0].method != "unbiased":
        raise EstimationError(
            "estimates", "must be unbiased ones", 'estimate with method="unbiased"'
        )
    return laws
