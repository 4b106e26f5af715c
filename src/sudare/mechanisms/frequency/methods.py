"""The methods of ``FrequencyOracle.estimate``, by name. Each takes the law of the shares."""

from __future__ import annotations

from collections.abc import Callable

from sudare.estimation import clip_and_normalise, project
from sudare.estimation.caution import MANY, few_categories, on_the_average
from sudare.estimation.conclude import MethodResult
from sudare.estimation.likelihood import single_support_mle
from sudare.estimation.shares import ShareLaw

Method = Callable[[ShareLaw], MethodResult]


def unbiased(law: ShareLaw) -> MethodResult:
    """Return the raw inversion with its exact standard errors."""
    return MethodResult(law.shares, law.few, law)


def projected(law: ShareLaw) -> MethodResult:
    """Return the point of the simplex that is nearest to the raw shares (Norm-Sub)."""
    return MethodResult(project(law.shares), law.few)


def clipped(law: ShareLaw) -> MethodResult:
    """Return the raw shares without what is below 0, divided by their sum."""
    return MethodResult(clip_and_normalise(law.shares), law.few)


def mle(law: ShareLaw) -> MethodResult:
    """Return the most likely shares on the simplex, where the counts are the whole data."""
    p, q = float(law.report.p), float(law.report.q)
    return MethodResult(single_support_mle(law.support, p, q), law.few)


def shrunk(law: ShareLaw) -> MethodResult:
    """Return the raw shares drawn towards even ones, as far as they vary no more than the noise."""
    from sudare.estimation.shrinking import ShrunkLaw  # asked for by few

    found, told = ShrunkLaw(law), [on_the_average("shrunk")]
    if law.shares.size < MANY:
        told.append(few_categories("shrunk"))
    return MethodResult(found.shares, law.few, found, cautions=tuple(told))


METHODS: dict[str, Method] = {
    "unbiased": unbiased,
    "projected": projected,
    "clipped": clipped,
    "mle": mle,
    "shrunk": shrunk,
}
ALONE = frozenset({"shrunk"})
"""Methods that take one collection at a time; others take counts of several, a line each."""
