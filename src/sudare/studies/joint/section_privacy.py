"""Sections 3 and 4 of the source: what γ promises."""

from __future__ import annotations

from fractions import Fraction

from sudare.mechanisms import JointNegativeSurvey, JointRR
from sudare.mechanisms.joint import gamma_for, posterior_ceiling
from sudare.studies.joint.theory import keep_probability, spread
from sudare.studies.study_text import Facts

PRIORS = (
    (0.05, 5, 21),
    (0.05, 10, 35),
    (0.05, 19, 50),
    (0.05, 100, 85),
    (0.01, 10, 10),
    (0.01, 99, 50),
    (0.10, 9, 50),
)


def over_survey() -> list[float]:
    """Return RR's error over that of NS (p = 0), from ``γ = 2(F - 1)/(F - 2)`` on."""
    return [
        float(
            spread(size, keep_probability(times * Fraction(2 * (size - 1), size - 2), size))
            / spread(size, Fraction(0))
        )
        for size in range(3, 21)
        for times in (1, 2, 5, 50)
    ]


def ratio(keep: Fraction) -> Fraction:
    """Return γ of an attribute of 10 categories whose p is far below 1/10."""
    return (1 - keep) / 9 / keep


def compute() -> Facts:
    """Return beliefs, ratios and what covers a whole submission."""
    found = [100 * posterior_ceiling(gamma, rho) for rho, gamma, _ in PRIORS]
    two = JointRR([10] * 2, gamma=10)
    return Facts.of(
        printed=[one[2] for one in PRIORS],
        found=found,
        gaps=[abs(a - b) for (*_, a), b in zip(PRIORS, found, strict=True)],
        least=float(JointNegativeSurvey([10]).channel.dense().min()),
        over_survey=over_survey(),
        small=float(ratio(Fraction(1, 10**6))),
        large=float(ratio(Fraction(1, 10**3))),
        gamma=10,
        alone=max(two.attribute_gammas),
        whole=two.gamma,
        low_keep=float(ratio(Fraction(1, 1000))),
        tables={
            "beliefs": [
                (rho, gamma, float(printed), value, gamma_for(rho, 0.5))
                for (rho, gamma, printed), value in zip(PRIORS, found, strict=True)
            ]
        },
    )
