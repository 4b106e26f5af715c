"""What one report supports: the law of a pure frequency oracle, from which all errors follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import EstimationError
from sudare.estimation.estimate import Target

if TYPE_CHECKING:
    from sudare.estimation.covariance import Covariance

Places = int | npt.NDArray[np.integer]
"""A category, or an array of them."""

MOST_DENSE = 1024
"""Categories up to which all covariances of any law are written out."""


@dataclass(frozen=True)
class SupportLaw(ABC):
    """What one report supports.

    A report supports the true category with probability p and each other one with probability q.
    Shares are estimated by ``(support / n - q) / (p - q)``; how they vary depends on which two
    categories a report supports together. Where that is told by two numbers, :class:`PairLaw`
    does all; otherwise implement ``pair_probability`` and ``noise``.

    Attributes:
        p, q: the two probabilities, exact.
        single: each report supports exactly one category, ``p + (k - 1) q = 1``: the counts are
            then the whole data, and their likelihood is known.
        counted: a support counts reports. Where it adds up numbers that reports say, p and q are
            their means.
    """

    p: Fraction
    q: Fraction
    single: ClassVar[bool] = False
    counted: ClassVar[bool] = True

    @abstractmethod
    def pair_probability(self, i: Places, j: Places, value: Places) -> Floats:
        """Return the probability that a report about ``value`` supports i and j, i ≠ j.

        Args:
            i, j, value: categories; arrays are taken element by element, as NumPy broadcasts.
        """

    @abstractmethod
    def noise(self, weights: Floats, shares: Floats) -> float:
        """Return n times the variance of ``Σ weights_i shares_i``, the respondents fixed.

        ::

            Σ_v shares_v Var( Σ_i weights_i [report supports i] | v ) / (p - q)^2

        Of one weight 1 it is :meth:`cells`. In k steps or so: k may be large.

        Args:
            weights: (k,) numbers.
            shares: (k,) true shares that add up to 1.
        """

    def spread(self, weights: Floats, shares: Floats) -> float:
        """Return :meth:`noise` at shares from 0 to 1 that need not add up to 1.

        Estimated shares do not. The variances are taken at these shares, the covariances at the
        same divided by their sum.
        """
        even = _even(shares)
        own = weights * weights * (self.cells(shares) - self.cells(even))
        return self.noise(weights, even) + float(own.sum())

    def spreads(self, weights: Floats, shares: Floats) -> Floats:
        """Return :meth:`spread` of rows of weights at rows of shares, as NumPy broadcasts them."""
        some, rows = np.broadcast_arrays(weights, shares)
        each = zip(some.reshape(-1, some.shape[-1]), rows.reshape(-1, some.shape[-1]), strict=True)
        return np.array([self.spread(w, x) for w, x in each]).reshape(some.shape[:-1])

    def cells(self, shares: Floats) -> Floats:
        """Return n times the variance of each estimated share, the respondents fixed.

        ::

            ( x p(1-p) + (1-x) q(1-q) ) / (p-q)^2
        """
        own, other, gap = self._noises
        return (shares * own + (1 - shares) * other) / (gap * gap)

    @cached_property
    def _rates(self) -> tuple[float, float]:
        return float(self.p), float(self.q)

    @cached_property
    def _noises(self) -> tuple[float, float, float]:
        """``p (1 - p)``, ``q (1 - q)`` and ``p - q``."""
        p, q = self.p, self.q
        return float(p * (1 - p)), float(q * (1 - q)), float(p - q)

    def covariance(self, shares: Floats) -> Covariance:
        """Return n times the covariances of all shares, the respondents fixed; as :meth:`spread`.

        Raises:
            EstimationError: more than 1,024 categories of a law that is no :class:`PairLaw`.
        """
        from sudare.estimation.covariance import Covariance  # asked for by few

        k = shares.size
        if k > MOST_DENSE:
            rule = f"must be at most {MOST_DENSE} for this mechanism's covariances"
            raise EstimationError("cells", rule, "merge categories", got=k)
        even, q, gap = _even(shares), float(self.q), float(self.p - self.q)
        i, j = np.indices((k, k))
        both = sum(x * self.pair_probability(i, j, v) for v, x in enumerate(even))
        apart = (both - q * q - q * gap * (even[:, None] + even)) / (gap * gap)
        np.fill_diagonal(apart, self.cells(shares))
        return Covariance(np.zeros(k), np.eye(k), apart)

    def third(self, weights: Floats, shares: Floats, sampled: bool) -> Floats:
        """Return about n² times the third central moment of ``Σ weights_i shares_i``.

        As if the supports were independent, given the value; of each row, where ``weights`` has
        several. With u the weights less their mean::

            Σ w_i³ noise_i   (and sampled:)   + Σ x_i u_i³ + 3 Σ x_i u_i w_i² (own - other)
        """
        square = weights * weights
        out = np.asarray((square * weights) @ self.third_of_cells(shares, False))
        if not sampled:
            return out
        even = _even(shares)
        apart = weights - np.asarray(weights @ even)[..., None]
        own, other = self.cells(np.array([1.0, 0.0]))
        mixed = apart * apart * apart + 3 * apart * square * (own - other)
        return np.asarray(out + mixed @ even)

    def third_of_cells(self, shares: Floats, sampled: bool) -> Floats:
        """Return n² times the third central moment of each estimated share.

        ::

            y (1 - y) (1 - 2 y) / (p - q)³,   y = q + (p - q) x                            (sampled)
            ( x p (1 - p) (1 - 2p) + (1 - x) q (1 - q) (1 - 2q) ) / (p - q)³
        """
        p, q = self._rates
        if sampled:
            y = q + (p - q) * shares
            return y * (1 - y) * (1 - 2 * y) / (p - q) ** 3
        own, other = p * (1 - p) * (1 - 2 * p), q * (1 - q) * (1 - 2 * q)
        return (shares * own + (1 - shares) * other) / (p - q) ** 3

    def variance(self, shares: Floats, n: int, target: Target) -> Floats:
        """Return the exact variance of each estimated share for true shares x.

        ::

            cells(x) / n                      (respondents)
            ... + x (1 - x) / n               (population)
        """
        noise = self.cells(shares) / n
        return noise if target == "respondents" else noise + shares * (1 - shares) / n


def _even(shares: Floats) -> Floats:
    """Return shares divided by their sum."""
    total = float(shares.sum())
    return shares / total if total > 0 else np.full_like(shares, 1 / shares.size)


@dataclass(frozen=True)
class PairLaw(SupportLaw):
    """The law of reports of which two numbers tell what they support together.

    Attributes:
        with_own: probability that a report supports the true category and one given other.
        without: probability that a report supports two given categories, neither the true one.

    Examples:
        >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
        >>> law = PairLaw.independent(half, quarter)
        >>> float(law.pair_probability(0, 1, value=0)), float(law.pair_probability(0, 1, value=2))
        (0.125, 0.0625)
        >>> law.noise(np.array([1.0, -1.0, 0.0]), np.array([0.5, 0.3, 0.2]))
        6.8
        >>> float(law.cells(np.array([0.5, 0.3])).sum())
        6.8
    """

    with_own: Fraction
    without: Fraction

    @classmethod
    def independent(cls, p: Fraction, q: Fraction) -> PairLaw:
        """Return the law of supports that are independent, given the value: a bit a category."""
        return PairLaw(p, q, p * q, q * q)

    def pair_probability(self, i: Places, j: Places, value: Places) -> Floats:
        """As every law: one of two numbers."""
        own = (np.asarray(i) == value) | (np.asarray(j) == value)
        return np.where(own, float(self.with_own), float(self.without))

    def noise(self, weights: Floats, shares: Floats) -> float:
        """As every law, in k steps; shares that do not add up to 1 leave others, of other values.

        The covariance of two cells i ≠ j is ``apart + (shared - apart) (x_i + x_j)``.
        """
        return float(self.spreads(weights, shares))

    def spreads(self, weights: Floats, shares: Floats) -> Floats:
        """As every law; of one row too."""
        apart, shared = self._covariances
        w, x, w2 = weights, shares, weights * weights
        total = w.sum(axis=-1)
        crossed = total * (w * x).sum(axis=-1) - (w2 * x).sum(axis=-1)
        mixed = apart * (total * total - w2.sum(axis=-1)) + 2 * (shared - apart) * crossed
        return np.asarray((w2 * self.cells(x)).sum(axis=-1) + mixed)

    @cached_property
    def _covariances(self) -> tuple[float, float]:
        """n times the covariance of two cells, neither or one of them that of all people."""
        square = (self.p - self.q) ** 2
        apart = float((self.without - self.q * self.q) / square)
        return apart, float((self.with_own - self.p * self.q) / square)

    def covariance(self, shares: Floats) -> Covariance:
        """As every law, in k numbers: ``apart 1 1^T + (shared - apart) (1 x^T + x 1^T)`` off the
        diagonal."""
        from sudare.estimation.covariance import Covariance  # asked for by few

        apart, shared = self._covariances
        more = shared - apart
        diagonal = self.cells(shares) - apart - 2 * more * shares
        vectors = np.stack([np.ones_like(shares), shares], axis=1)
        return Covariance(diagonal, vectors, np.array([[apart, more], [more, 0.0]]))

    def spread(self, weights: Floats, shares: Floats) -> float:
        """As :meth:`noise`."""
        return self.noise(weights, shares)


@dataclass(frozen=True)
class SingleLaw(PairLaw):
    """The law of reports that support exactly one category each, ``p + (k - 1) q = 1``."""

    with_own: Fraction = Fraction(0)
    without: Fraction = Fraction(0)
    single: ClassVar[bool] = True

    def third(self, weights: Floats, shares: Floats, sampled: bool) -> Floats:
        """As every law, and exact: the moments are those of the one weight that is supported."""
        q, gap, x = float(self.q), float(self.p - self.q), _even(shares)
        square = weights * weights
        powers = (weights, square, square * weights)
        moments = [q * one.sum(axis=-1, keepdims=True) + gap * one for one in powers]
        if sampled:
            moments = [np.asarray(one @ x) for one in moments]
        first, second, cube = moments
        each = cube - 3 * first * second + 2 * first**3
        return np.asarray(each if sampled else each @ x) / gap**3
