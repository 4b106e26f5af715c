"""The methods of ``FrequencyOracle.estimate``, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sudare.errors import DomainError, EstimationError
from sudare.estimation import Counts, Estimate, clip_and_normalise, project
from sudare.estimation.caution import few_reports, no_stderr
from sudare.estimation.estimate import Floats, Target
from sudare.estimation.likelihood import single_support_mle
from sudare.estimation.support import SupportLaw

if TYPE_CHECKING:
    from sudare.mechanisms.frequency.base import FrequencyOracle

T = TypeVar("T")
Method = Callable[["FrequencyOracle", Counts, Target], Estimate]


def choose_method(methods: Mapping[str, T], method: object) -> T:
    """Return a family's method of that name; DomainError where there is none."""
    if not isinstance(method, str) or method not in methods:
        raise DomainError("method", f"must be one of {list(methods)}", got=method)
    return methods[method]


def unbiased(oracle: FrequencyOracle, counts: Counts, target: Target) -> Estimate:
    """Return the raw inversion with its exact standard errors."""
    law = _law(oracle, counts, target)
    return _estimate(oracle, counts, "unbiased", law, law.shares, known=True)


def projected(oracle: FrequencyOracle, counts: Counts, target: Target) -> Estimate:
    """Return the point of the simplex that is nearest to the raw shares (Norm-Sub)."""
    law = _law(oracle, counts, target)
    return _estimate(oracle, counts, "projected", law, project(law.shares))


def clipped(oracle: FrequencyOracle, counts: Counts, target: Target) -> Estimate:
    """Return the raw shares without what is below 0, divided by their sum."""
    law = _law(oracle, counts, target)
    return _estimate(oracle, counts, "clipped", law, clip_and_normalise(law.shares))


def mle(oracle: FrequencyOracle, counts: Counts, target: Target) -> Estimate:
    """Return the most likely shares on the simplex, where the counts are the whole data."""
    if not oracle.single_support:
        raise EstimationError(
            "method",
            f"must not be mle for {oracle.name}: its column sums are not sufficient for the "
            "likelihood",
            "use projected",
        )
    p, q = (float(x) for x in oracle.support_probabilities)
    law = _law(oracle, counts, target)
    return _estimate(oracle, counts, "mle", law, single_support_mle(counts.support, p, q))


METHODS: dict[str, Method] = {
    "unbiased": unbiased,
    "projected": projected,
    "clipped": clipped,
    "mle": mle,
}


def _law(oracle: FrequencyOracle, counts: Counts, target: Target) -> SupportLaw:
    p, q = oracle.support_probabilities
    ends = float(p), float(q)
    return SupportLaw(
        support=counts.support,
        n=counts.n,
        p=p,
        q=q,
        apart=oracle._noise_covariance(0.0, 0.0, *ends),
        shared=oracle._noise_covariance(1.0, 0.0, *ends),
        target=target,
    )


def _estimate(
    oracle: FrequencyOracle,
    counts: Counts,
    method: str,
    law: SupportLaw,
    shares: Floats,
    *,
    known: bool = False,
) -> Estimate:
    few = np.flatnonzero(law.few)
    cautions = [few_reports(few, shares.shape)] if few.size else []
    return Estimate(
        shares=shares,
        stderr=law.stderr if known else np.full_like(shares, np.nan),
        n=counts.n,
        epsilon=oracle.epsilon,
        covers=oracle.covers,
        method=method,
        target=law.target,
        warnings=(*cautions, *([] if known else [no_stderr(method)])),
        _law=law if known else None,
    )
