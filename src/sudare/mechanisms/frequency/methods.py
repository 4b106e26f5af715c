"""The methods of ``FrequencyOracle.estimate``, by name. Each takes the law of the shares."""

from __future__ import annotations

from collections.abc import Callable

from sudare.estimation import clip_and_normalise, project
from sudare.estimation.ending import Found
from sudare.estimation.likelihood import single_support_mle
from sudare.estimation.shares import ShareLaw

Method = Callable[[ShareLaw], Found]


def unbiased(law: ShareLaw) -> Found:
    """Return the raw inversion with its exact standard errors."""
    return Found(law.shares, law.few, law)


def projected(law: ShareLaw) -> Found:
    """Return the point of the simplex that is nearest to the raw shares (Norm-Sub)."""
    return Found(project(law.shares), law.few)


def clipped(law: ShareLaw) -> Found:
    """Return the raw shares without what is below 0, divided by their sum."""
    return Found(clip_and_normalise(law.shares), law.few)


def mle(law: ShareLaw) -> Found:
    """Return the most likely shares on the simplex, where the counts are the whole data."""
    p, q = float(law.report.p), float(law.report.q)
    return Found(single_support_mle(law.support, p, q), law.few)


METHODS: dict[str, Method] = {
    "unbiased": unbiased,
    "projected": projected,
    "clipped": clipped,
    "mle": mle,
}
