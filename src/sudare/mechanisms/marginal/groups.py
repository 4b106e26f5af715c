"""Where a random group of the respondents answers: its law, and its expected error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sudare.estimation.estimate import Floats, Target
from sudare.estimation.support import SupportLaw, share_variance


@dataclass(frozen=True, eq=False)
class GroupLaw(SupportLaw):
    """How shares vary that a random group of the respondents reports.

    The group is a random sample without replacement of all N respondents. Given its size n, the
    variance of a share x of all of them is that of a population less ``known x (1 - x) / n``,
    ``known = (n - 1) / (N - 1)``; for the population that they stand for ``known = 0``. Score
    intervals leave ``known`` out: they are a little wider than they need to be.

    Args:
        known: the part of the sampling variance that is none; ``target`` is ``"population"``.
    """

    known: float = 0.0

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        x = self.plausible
        sampled = share_variance(x, self.n, self.p, self.q, "population")
        return np.sqrt(np.maximum(sampled - self.known * x * (1 - x) / self.n, 0.0))

    def _variance(self, weights: Floats) -> float:
        w, x = weights, self.plausible
        pairs = float(w @ x) ** 2 - float((w * w) @ (x * x))
        return SupportLaw._variance(self, weights) + self.known * pairs / self.n


def known_part(group: int, people: int, target: Target) -> float:
    """Return :attr:`GroupLaw.known` for a group of so many people."""
    if target == "population":
        return 0.0
    return (group - 1) / (people - 1) if people > 1 else 1.0


def mean_reciprocal(n: int, parts: int) -> float:
    """Return ``E[1/N | N >= 1]`` for ``N ~ Binomial(n, 1/parts)``, to double precision.

    ::

        E[1/N; N >= 1] = Σ_{i=0}^{n-1} (r^i - r^n) / (n - i),   r = 1 - 1/parts

    (integrate ``(E[t^N] - r^n) / t``). Terms below e^-45 of the first one are left out.

    Examples:
        >>> mean_reciprocal(2, 2), 2 / 3 * 1 + 1 / 3 * 1 / 2
        (0.8333..., 0.8333...)
    """
    if parts == 1:
        return 1 / n
    rest = 1 - 1 / parts
    i = np.arange(min(n, int(-45 / np.log(rest)) + 1), dtype=np.float64)
    none = rest ** min(n, 2**52)
    return float(((rest**i - none) / (n - i)).sum()) / (1 - none)
