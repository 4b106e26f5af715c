"""``Together``: how far sums of several noises may reach, each with a weight of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.release.released import Released

_RATES = np.geomspace(1e-3, 1e3, 400)


@dataclass(frozen=True, eq=False)
class Together:
    """Numbers that are each a sum ``Σ w_j e_j`` of independent noises.

    Attributes:
        laplace: ``Σ w_j² v_j`` over Laplace noises of variance ``v_j``, (k,).
        most: the largest ``w_j² v_j`` of them, (k,).
        weight: the largest ``|w_j|`` of them, (k,).
        gaussian: ``Σ w_j² v_j`` over Gaussian noises, (k,).
    """

    laplace: Floats
    most: Floats
    weight: Floats
    gaussian: Floats

    @classmethod
    def of(
        cls, answers: Sequence[Released[Any]], weights: Sequence[Floats], times: Any
    ) -> Together:
        """Return the sums of the noises of answers.

        Args:
            answers: each with one law, in steps of 1.
            weights: for each answer, of the k sums, (k, m): m weights that its numbers have.
            times: for each answer how many of its numbers have each weight, (m,).
        """
        zero = np.zeros(len(weights[0]) if weights else 0)
        laplace, most, weight, gaussian = zero, zero, zero, zero
        for answer, own, often in zip(answers, weights, times, strict=True):
            squares = own**2 * variance(answer)
            if is_gaussian(answer):
                gaussian = gaussian + squares @ often
            else:
                laplace = laplace + squares @ often
                most = np.maximum(most, squares.max(axis=1, initial=0))
                weight = np.maximum(weight, np.abs(own).max(axis=1, initial=0))
        return cls(laplace, most, weight, gaussian)

    @property
    def variance(self) -> Floats:
        """The variance of each sum, (k,)."""
        return self.laplace + self.gaussian

    def reach(self, miss: float) -> Floats:
        """Return t with ``P(|Σ w_j e_j| > t) <= miss`` for each sum, (k,).

        ::

            t = min over r of (ln(2 / miss) + ln E exp(r Σ w_j e_j)) / r

        Proof: ``docs/proofs/tables-together.md``, 2.
        """
        spread = np.sqrt(self.variance)
        known = spread > 0
        rates = _RATES / np.where(known, spread, 1)[:, None]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            wide = rates * self.weight[:, None]
            curved = np.where(wide > 1e-4, (np.cosh(wide) - 1) / (wide**2 / 2), 1 + wide**2)
            share = curved * rates**2 * self.most[:, None] / 2
            whole = curved * rates**2 * self.laplace[:, None] / 2
            log = np.where(share > 0, -np.log1p(-share) / share * whole, 0.0)
            log = np.where(share < 1, log, np.inf) + rates**2 * self.gaussian[:, None] / 2
            found = ((np.log(2 / miss) + log) / rates).min(axis=1)
        return np.where(known, found, 0.0)


def is_gaussian(answer: Released[Any]) -> bool:
    """Tell which of the two laws the noise of an answer has."""
    return bool(answer.noise[0]["law"] == "discrete Gaussian")


def variance(answer: Released[Any]) -> float:
    """Return the variance of the noise of an answer; of Gaussian noise at least that."""
    law = answer.noise[0]
    return float(Fraction(law["variance"])) if is_gaussian(answer) else float(law["stderr"]) ** 2
