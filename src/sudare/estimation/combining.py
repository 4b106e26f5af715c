"""One estimate from several groups of respondents whose reports spent different ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any, ClassVar

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
    chosen: bool = False,
) -> Estimate:
    """Return the estimate of all groups together, such as people who chose different levels of ε.

    ::

        x = Σ_g v_g x_g,   Var x = Σ_g v_g² Var x_g
        v_g = n_g / N                                      (respondents: the groups are added)
        v_g ∝ 1 / mean of the variances of g at x_0        (population)
        v_g ∝ strata_g                                     (strata of known sizes)
        v_g = n_g / N,  Var x + Σ_g v_g (x_g - x)² / N     (a population whose people chose)

    with x_0 the groups so weighted as if all shares were equal: a weight that followed a group's
    own luck would be biased. Groups of one mechanism are simply added. For the population the
    variances are those at x, for the respondents those of each group at its own shares: people of
    another level may answer otherwise.

    For the population every group must estimate the same shares. That holds only if the level
    is independent of the answer, which no report can show: the caller declares it. Groups that are
    strata of known sizes, such as a collection a region, may differ as they like. So may groups
    that the people chose themselves, if all of them together are a random sample: then how many
    chose each is told by the sample, and its error is the last addend.

    Args:
        estimates: unbiased, of one domain, target and method; no respondent is in two groups.
        independent: for the population: which group a person is in is independent of the answer.
        strata: how many people of the population, or which share of them, each group stands for.
        chosen: for the population: people chose their groups, by the answer or not, and all of
            them together are a random sample.

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
    between = 0.0
    if check_flag(chosen, "chosen"):
        _check_chosen(strata, independent=independent)
        between = 1 / total if first.target == "population" else 0.0
    elif strata is not None:
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
                "chosen=True if all together are one random sample, "
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
    each = np.stack([group.shares for group in groups])
    law = _Combined(np.array(parts), each, tuple(laws), between)
    cautions = {(one, one.cells): one for group in groups for one in group.warnings}
    return Estimate(
        shares=law.shares,
        stderr=law.stderr,
        n=total,
        epsilon=max(group.epsilon for group in groups),
        covers=first.covers,
        method=first.method,
        target=first.target,
        warnings=tuple(cautions.values()),
        labels=first.labels,
        _law=law,
    )


@dataclass(frozen=True, eq=False)
class _Combined:
    """The law of a weighted sum of estimates whose reports are independent.

    Attributes:
        sizes: (groups,) weights.
        each: (groups, ...) estimated shares.
        laws: of each group's shares.
        between: 1 / N where N people chose their groups; 0 where the weights are known.
    """

    exclusive: ClassVar[bool] = True
    sizes: Floats
    each: Floats
    laws: tuple[Law, ...]
    between: float = 0.0

    @cached_property
    def shares(self) -> Floats:
        """The weighted sum of the groups' shares."""
        return self._sum(self.each)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        squares = np.stack([law.stderr**2 for law in self.laws])
        out: Floats = np.sqrt(np.tensordot(self.sizes**2, squares, axes=1) + self._chosen(None))
        return out

    def _sum(self, each: Floats) -> Floats:
        out: Floats = np.tensordot(self.sizes, each, axes=1)
        return out

    def _chosen(self, weights: Floats | None) -> Any:
        """Return what is added to a variance as people chose their groups."""
        if not self.between:
            return 0.0
        each = self.each
        if weights is not None:
            each = np.tensordot(each, weights, axes=weights.ndim)
        return self.between * self._sum((each - self._sum(each)) ** 2)

    def at(self, shares: Floats) -> _Combined:
        """Return the law of as many reports if these were the true shares of all groups."""
        return replace(self, laws=tuple(law.at(shares) for law in self.laws), between=0.0)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        each = [law.variance(weights) for law in self.laws]
        return float(self.sizes**2 @ np.array(each)) + float(self._chosen(weights))

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies; without weights how each share does."""
        pairs = zip(self.sizes.tolist(), self.laws, strict=True)
        whole = reduce(add, (law.spread(weights).scaled(v) for v, law in pairs))
        return replace(whole, now=whole.now + self._chosen(weights)) if self.between else whole

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, or by a score test."""
        return interval(self, miss, kind, simultaneous)


def _sum(weights: list[float], arrays: list[Floats]) -> Floats:
    total: Floats = np.tensordot(np.array(weights), np.stack(arrays), axes=1)
    return total


def _check_chosen(strata: object, *, independent: object) -> None:
    """Refuse what contradicts that people chose their groups."""
    if strata is not None or independent:
        raise EstimationError("chosen", "must stand alone", "leave out strata and independent")


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
