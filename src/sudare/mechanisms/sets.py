"""Sets of categories: "check all that apply", one bit a category with its own exact ε."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, OutOfReachError, WrongTypeError
from sudare.estimation import Counts, Estimate
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.shares import ShareLaw
from sudare.exact import as_integer, exp_bounds, log_bounds
from sudare.exact.entropy import Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.categories import Bitwise
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.frequency.methods import unbiased
from sudare.mechanisms.parameters import EPSILON, Parameter, whole
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import (
    MAX_RESPONDENTS,
    as_held_counts,
    as_held_shares,
    as_set,
    as_sets,
)
from sudare.samplers import Subset
from sudare.samplers.subset import MAX_SET_CATEGORIES

_MOST = Parameter(
    name="most",
    read=lambda most, m: m.k if most is None else as_integer(most, "most", low=1, high=m.k),
    examples=(None, 1, 2),
    bad=((0, DomainError), (4, DomainError), (1.5, WrongTypeError), ("1", WrongTypeError)),
)


class SetLaw(ShareLaw):
    """How shares vary of which a respondent may have several.

    For the population the covariance of two shares x and y depends on how many hold both, which
    column sums do not tell: it lies between ``max(0, x + y - 1) - x y`` and ``min(x, y) - x y``.
    The end that gives a sum the larger variance is taken, so that no interval is too short.
    """

    exclusive: ClassVar[bool] = False

    @property
    def correlation(self) -> float:
        """0: not known, and the intervals of two cells are the widest so."""
        return 0.0

    def _extremes(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the shares of the least and the largest weighted sum: all or none of a sign."""
        return (weights < 0).astype(np.float64), (weights > 0).astype(np.float64)

    def variance(self, weights: Floats) -> float:
        """Return the largest variance that ``Σ weights_i shares_i`` can have."""
        total = float((weights * self.stderr) @ (weights * self.stderr))
        if self.target == "respondents":
            return total
        x = self.plausible
        least = np.maximum(0, np.add.outer(x, x) - 1)
        most = np.minimum.outer(x, x)
        pairs = np.multiply.outer(weights, weights)
        mixed = pairs * (np.where(pairs > 0, most, least) - np.multiply.outer(x, x))
        np.fill_diagonal(mixed, 0)
        return total + float(mixed.sum()) / self.n


@register
class SetUnary(Bitwise):
    """Unary encoding of a set of at most ``most`` of k categories ("check all that apply").

    Bit i is 1 with probability p where the respondent holds category i, with q where not::

        d = min(most, k/2),  g = e^(ε/d),  x = min(most/k, 1/2)
        β² = (x g + 1 - x) / (x g + (1 - x) g²)
        q = β / (1 + β),  p = gβ / (1 + gβ)

    the p and q whose worst error over all populations of such sets is least
    (``docs/proofs/sets.md``).

    Guarantee: ε-local differential privacy of one whole answer: any two allowed sets are
    neighbours, the empty one too. Reports: packed bits as in :class:`~sudare.OUE`.

    Args:
        k: number of categories, 2 to 1024.
        epsilon: ε asked for, 0.001 to 20. The realised one is :attr:`epsilon`.
        most: how many categories a set may hold, 1 to k; default k. The fewer, the less noise.

    Raises:
        WrongTypeError, DomainError: k or most is not a whole number in its range.
        WrongTypeError, PrivacyError: ε is not a number in its range.

    Source: the unary encodings of Wang et al. 2017, section 4.3, and Erlingsson, Pihur,
    Korolova 2014 (sets of bits), with p and q by the derivation named above.

    Examples:
        >>> import numpy as np
        >>> import sudare as sd
        >>> m = sd.SetUnary(k=4, epsilon=2.0, most=2)
        >>> ticked = np.array([[True, True, False, False], [False, False, False, False]])
        >>> m.aggregate(m.perturb(ticked)).n
        2
        >>> m.estimate(sd.Counts((60, 50, 40, 40), 100)).shares.round(3).tolist()
        [0.908, 0.5, 0.092, 0.092]
    """

    conformance: ClassVar[str] = "sudare.testing.sets"
    name: ClassVar[str] = "SetUnary"
    most_written: ClassVar[int] = 8
    parameters: ClassVar[tuple[Parameter, ...]] = (
        whole("k", 2, MAX_SET_CATEGORIES, examples=(3, 2, 5)),
        EPSILON,
        _MOST,
    )
    __slots__ = ("k", "most")
    k: int
    most: int
    program: Subset

    def __init__(self, k: int, epsilon: float | Fraction, most: int | None = None) -> None:
        self._take(k=k, epsilon=epsilon, most=most)

    def _build(self) -> None:
        set_fields(self, program=_compile(self.k, self.most, self.requested_epsilon))

    # -- the law -----------------------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return as_sets(values, self.k, self.most)

    def _value(self, value: Any) -> tuple[int, ...]:
        return as_set(value, self.k, self.most)

    # -- the analyst's side ------------------------------------------------------------------

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> Estimate:
        """Estimate the share of respondents who hold each category: ``(support/n - q) / (p - q)``.

        The shares do not sum to 1. Standard errors are exact. A *difference* of two shares is
        exact for the respondents (given the sets the bits are independent); for the population
        it depends on how many hold both, which column sums do not tell: the possible covariance
        with the larger error is taken, so that no interval is too short (:class:`SetLaw`).

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: the raw inversion, not clipped.
            target: whose shares the standard errors are about, ``"population"`` (a random
                sample is assumed) or ``"respondents"``.

        Raises:
            EstimationError: no reports, or counts of another mechanism.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        law = SetLaw(self.law, counts.support, counts.n, asked.target)
        return asked.conclude(unbiased(law), Estimate)

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Expected mean squared error of the k estimated shares, before anything is collected.

        Args:
            n: number of respondents.
            shares: (k,) true shares from 0 to 1; None stands for the least favourable ones, all
                ``min(most / k, 1/2)``: no population of such sets has a larger error.
            target: whose shares the error is about.

        Raises:
            WrongTypeError, DomainError: n < 1, or shares that no population of sets has.
        """
        size = as_integer(n, "n", low=1, high=2**62)
        true = (
            np.full(self.k, min(self.most / self.k, 0.5))
            if shares is None
            else as_held_shares(shares, self.k, self.most)
        )
        return float(self.variance(true, size, check_target(target)).mean())

    def simulate(self, true_counts: npt.ArrayLike, n: int, *, rng: Randomness = None) -> Counts:
        """Draw the counts that n respondents would produce, ``true_counts[i]`` of whom hold i.

        Given the sets all bits are independent, so that the aggregate depends on these numbers
        alone: a binomial of p and one of q a category. Exact, without a loop over users.

        Args:
            true_counts: (k,) whole numbers from 0 to n.
            n: number of respondents.
        """
        people = as_integer(n, "n", low=1, high=MAX_RESPONDENTS)
        held = as_held_counts(true_counts, self.k, people, self.most)
        generator = as_entropy(rng).generator()
        p, q = (float(x) for x in self.support_probabilities)
        return self._counts(
            np.asarray(generator.binomial(held, p) + generator.binomial(people - held, q)), people
        )


def _compile(k: int, most: int, epsilon: Fraction) -> Subset:
    """Return the program of the least worst error; its guarantee is within 1e-6 below ``epsilon``.

    All in rationals, so that every machine compiles the same integers. The proof that the ratio
    stays below e^ε is item 5 of ``docs/proofs/sets.md``.
    """
    even = 2 * most >= k  # sets may differ in all k bits: p = 1 - q
    g = exp_bounds(2 * epsilon / min(2 * most, k))[0]
    x = min(Fraction(most, k), Fraction(1, 2))
    square = (x * g + 1 - x) / (x * g + (1 - x) * g * g)
    for width in (32, 64):
        top, scale = 1 << width, 1 << (2 * width)
        beta = Fraction(math.isqrt(square.numerator * scale**2 // square.denominator) + 1, scale)
        other = math.ceil(top * beta / (1 + beta))
        odds = g * Fraction(other, top - other)
        own = top - other if even else math.floor(top * odds / (1 + odds))
        if not 0 < other < own < top:
            continue
        program = Subset(k=k, width=width, own=own, other=other, most=most)
        if 0 <= epsilon - log_bounds(program.ratio)[0] <= TOLERANCE:
            return program
    raise OutOfReachError("epsilon", f"is out of reach at k = {k}", got=float(epsilon))
