"""What an outcome's law says of one respondent, with its slopes: logistic, or normal."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from sudare.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """The logarithm of each respondent's density g, and what it changes by.

    Attributes:
        log: (n,) ln g.
        eta, tau: (n,) first derivatives by the linear predictor η and by τ = ln σ.
        eta_eta, eta_tau, tau_tau: (n,) second derivatives.
        known: (n,) the information on η that there would be if the outcome were known.
    """

    log: Floats
    eta: Floats
    eta_eta: Floats
    known: Floats
    tau: Floats | None = None
    eta_tau: Floats | None = None
    tau_tau: Floats | None = None


class Family(ABC):
    """The law of an outcome, given its linear predictor."""

    scaled: bool
    """Whether it has a standard deviation of its own."""
    start = 0.0
    """Where its logarithm starts."""

    @abstractmethod
    def slopes(self, eta: Floats, tau: float) -> Slopes:
        """Return what each respondent's outcome says."""


@dataclass(frozen=True, slots=True, eq=False)
class Logit(Family):
    """Two categories, the second with probability ``s(η) = 1 / (1 + exp(-η))``, seen by a channel.

    ::

        g = m_0 (1 - s) + m_1 s,   g' = (m_1 - m_0) s (1 - s),   g'' = g' (1 - 2 s)

    Attributes:
        likelihood: (n, 2) m: how probable each report is under either category.
    """

    likelihood: Floats
    scaled = False

    def slopes(self, eta: Floats, tau: float) -> Slopes:
        """As every law."""
        with np.errstate(over="ignore"):
            s, rest = 1 / (1 + np.exp(-eta)), 1 / (1 + np.exp(eta))
        m0, m1 = self.likelihood.T
        g = np.maximum(m0 * rest + m1 * s, 1e-300)
        first = (m1 - m0) * s * rest / g
        return Slopes(np.log(g), first, first * (rest - s) - first * first, s * rest)


@dataclass(frozen=True, slots=True, eq=False)
class Normal(Family):
    """A number in clear, normal around η with the standard deviation ``σ = exp(τ)``.

    Attributes:
        y: (n,) the numbers.
    """

    y: Floats
    scaled = True

    @property
    def start(self) -> float:  # type: ignore[override]
        """As every law: that of the numbers' own deviation."""
        return math.log(max(float(self.y.std()), 1e-300))

    def slopes(self, eta: Floats, tau: float) -> Slopes:
        """As every law."""
        weight = math.exp(min(-2 * tau, 300.0))
        off = self.y - eta
        square = weight * off * off
        return Slopes(
            log=-tau - 0.5 * math.log(2 * math.pi) - 0.5 * square,
            eta=weight * off,
            eta_eta=np.full_like(off, -weight),
            known=np.full_like(off, weight),
            tau=square - 1,
            eta_tau=-2 * weight * off,
            tau_tau=-2 * square,
        )
