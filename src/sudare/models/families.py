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


_EXACT = 12.0
"""How much less than the numbers' own deviation that about the line is none, in logarithms."""


class Family(ABC):
    """The law of an outcome, given its linear predictor."""

    scaled: bool
    """Whether it has a standard deviation of its own."""

    @property
    def least(self) -> float:
        """The logarithm below which that deviation is none."""
        return -math.inf

    def start(self, matrices: Floats) -> Floats:
        """Return where β starts, and τ after it where there is one, by (combinations, n, p)."""
        return np.zeros(matrices.shape[2])

    def beside(self, x: Floats) -> tuple[Family, Floats]:
        """Return the law with a line through x (n, q) taken off, and that line's coefficients."""
        return self, np.zeros(x.shape[1])

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
        size: the deviation of the numbers that people gave; y's own where it is 0.
    """

    y: Floats
    size: float = 0.0
    scaled = True

    @property
    def least(self) -> float:
        """As every law: far below the numbers' own deviation."""
        return math.log(max(self.size or float(self.y.std()), 1e-300)) - _EXACT

    def start(self, matrices: Floats) -> Floats:
        """As every law: least squares, each combination taken as likely as any other."""
        combinations, n, p = matrices.shape
        x, y = matrices.reshape(combinations * n, p), np.tile(self.y, combinations)
        beta = _line(x, y)
        deviation = float(np.sqrt(np.mean((y - x @ beta) ** 2)))
        return np.append(beta, math.log(max(deviation, 1e-300)))

    def beside(self, x: Floats) -> tuple[Family, Floats]:
        """As every law: least squares."""
        line = _line(x, self.y)
        return Normal(self.y - x @ line, self.size or float(self.y.std())), line

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


def _line(x: Floats, y: Floats) -> Floats:
    """Return the coefficients of least squares, whatever the sizes of the columns."""
    size = np.abs(x).max(axis=0)
    return np.asarray(np.linalg.lstsq(x / size, y, rcond=None)[0] / size)
