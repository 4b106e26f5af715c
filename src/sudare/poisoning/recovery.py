"""Shares of honest respondents alone, where the attack is known or guessed: LDPRecover."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Floats
from sudare.errors import EstimationError, WrongTypeError
from sudare.estimation import Estimate, project
from sudare.estimation.shares import ShareLaw
from sudare.mechanisms import FrequencyOracle
from sudare.poisoning.choice import CategoriesSurface, ChoiceAttack
from sudare.poisoning.surface import surface
from sudare.poisoning.validation import as_beta


def recover(
    mechanism: FrequencyOracle, est: Estimate, attack: ChoiceAttack | None, beta: float
) -> Floats:
    """Return the shares of the honest respondents, on the simplex.

    ::

        raw = β fakes + (1 - β) honest,   fakes = (rates of the fake law - q) / (p - q)
        result = the nearest point of the simplex to (raw - β fakes) / (1 - β)

    With the right attack, targets and β the honest shares before projection are unbiased. With
    None the fakes are guessed, in the way of LDPRecover: supports of one category each, spread
    evenly over the categories whose raw share is above 0. That guess knows no targets, and hardly
    moves what a targeted attack has lifted (``docs/poisoning.md``). It is no standard error: there
    is none here, since β and the attack are assumed.

    Args:
        mechanism: what was collected by.
        est: its unbiased estimate.
        attack: MGA, RPA or RIA with the targets that are known, or None.
        beta: share of fakes among all reports.

    Returns:
        (k,) shares.

    Raises:
        WrongTypeError, DomainError: an argument is out of range.
        EstimationError: not an unbiased estimate of this mechanism.

    Source: after Sun et al. 2024 (LDPRecover); the projection is Norm-Sub.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=4, epsilon=2.0)
        >>> attack = sd.poisoning.MGA(targets=[3])
        >>> rng = sd.Entropy.seeded(b"r")
        >>> counts = m.simulate([5000, 3000, 1500, 0], rng=rng) + attack.simulate(m, 500, rng=rng)
        >>> est = m.estimate(counts)
        >>> float(est.shares[3].round(2))
        0.07
        >>> float(sd.poisoning.recover(m, est, attack, beta=0.05)[3].round(2))
        0.0
    """
    share = as_beta(beta)
    rule = "must be one whose reports support categories: {}"
    surface(mechanism, CategoriesSurface, rule)
    if not isinstance(mechanism, FrequencyOracle):
        raise WrongTypeError("mechanism", "must be about one of k categories", "see MGA")
    if not (attack is None or isinstance(attack, ChoiceAttack)):
        raise WrongTypeError("attack", "must be MGA, RPA or RIA, or None", "None guesses it")
    law = est._law if isinstance(est, Estimate) else None
    p, q = mechanism.support_probabilities
    if (
        not isinstance(law, ShareLaw)
        or law.support.shape != mechanism.shape
        or (law.report.p, law.report.q) != (p, q)
        or (est.labels and mechanism.labels and est.labels != mechanism.labels)
    ):
        raise EstimationError("est", "must be an unbiased estimate of this mechanism")
    if attack is None:
        fakes = _guessed(est.shares, float(p), float(q))
    else:
        fakes = (attack.law(mechanism).rates - float(q)) / float(p - q)
    return project((est.shares - share * fakes) / (1 - share))


def _guessed(shares: Floats, p: float, q: float) -> Floats:
    """Return the shares of fakes that support one category each, evenly those above 0."""
    above = shares > 0
    total = (1 - shares.size * q) / (p - q)
    return np.where(above, total / max(int(above.sum()), 1), 0.0)
