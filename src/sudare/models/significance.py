"""Tests of coefficients: a statistic, its degrees of freedom, how often chance goes beyond."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Test:
    """What a test of coefficients found, beside a χ² law.

    Attributes:
        statistic: of Wald or of the likelihood ratio.
        df: degrees of freedom.
    """

    __test__ = False  # pytest looks for classes of that name

    statistic: float
    df: int

    @property
    def p_value(self) -> float:
        """How often chance alone goes beyond the statistic."""
        return chi_squared_beyond(self.statistic, self.df)

    def __repr__(self) -> str:
        return f"Test(χ²({self.df}) = {self.statistic:.4f}, p = {self.p_value:.4g})"


def chi_squared_beyond(x: float, df: int) -> float:
    """Return P(χ² > x) with a whole number of degrees of freedom.

    ::

        Q(1/2, y) = erfc(√y),   Q(1, y) = exp(-y),   Q(a + 1, y) = Q(a, y) + y^a exp(-y) / Γ(a + 1)

    with a = df / 2 and y = x / 2. Source: Abramowitz, Stegun 1964, 6.5.22.

    Examples:
        >>> [round(chi_squared_beyond(x, df), 4) for x, df in ((3.841, 1), (5.991, 2), (7.815, 3))]
        [0.05, 0.05, 0.05]
    """
    y = max(x, 0.0) / 2
    a = 0.5 if df % 2 else 1.0
    out = math.erfc(math.sqrt(y)) if df % 2 else math.exp(-y)
    while a < df / 2:
        if y > 0:
            out += math.exp(a * math.log(y) - y - math.lgamma(a + 1))
        a += 1
    return min(out, 1.0)
