"""What every pure frequency oracle shares: all of it follows from the law of one report.

A report *supports* some of the k values. With ``p`` the probability that it supports the true
one and ``q`` that it supports any other one (Wang et al. 2017, section 4), and with what it
supports together, everything else is algebra: the estimate, its errors, the expected error
before collecting.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.alignment import align, is_labelled
from sudare.arrays import Floats, Integers
from sudare.channels import Channel
from sudare.errors import (
    DomainError,
    EstimationError,
    OutOfReachError,
    WrongTypeError,
    as_one_of,
)
from sudare.estimation import Counts, Estimate
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.shares import ShareLaw
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.categories import Categories
from sudare.mechanisms.frequency.methods import ALONE, METHODS
from sudare.mechanisms.labels import CATEGORIES, Domain, as_number, as_numbered, labels_of, size_of
from sudare.mechanisms.parameters import EPSILON, Parameter
from sudare.mechanisms.values import (
    MAX_CATEGORIES,
    as_array,
    as_categories,
    as_category,
    as_shares,
    as_true_counts,
)
from sudare.samplers import Program

TOLERANCE = Fraction(1, 10**6)
"""The realised ε lies within this of the one asked for, and never above it."""


class FrequencyOracle(Categories):
    """A mechanism for one of k categories. A frozen value.

    Must implement: ``name``, ``_compile`` (ε to sampler program), ``law`` (of one report),
    ``channel``, ``aggregate`` and ``_simulate``. All else is derived.

    Args:
        k: number of categories, 2 to 2**24; or what they are called, a sequence of so many
            different texts. ``perturb`` then takes labels too, and estimates name them; where a
            label reads as a number, numbers stand for the labels that they are written like.
        epsilon: ε asked for, 0.001 to 20. The realised one is :attr:`epsilon`.

    Raises:
        WrongTypeError, DomainError: k is not a whole number in its range.
        OutOfReachError: k is above :attr:`max_k`, or no integers come close enough to ε.
        WrongTypeError, PrivacyError: ε is not a number in its range.
    """

    conformance: ClassVar[str] = "sudare.testing.frequency"
    once: ClassVar[bool | None] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (CATEGORIES, EPSILON)
    methods: ClassVar[tuple[str, ...]] = tuple(METHODS)
    max_k: ClassVar[int] = MAX_CATEGORIES
    """The most categories that its program can hold at any ε."""
    by_line: ClassVar[bool] = False
    """Whether ``_simulate`` takes true counts of several collections, a line each."""
    __slots__ = ("domain",)
    domain: Domain

    def __init__(self, k: int | Sequence[str], epsilon: float | Fraction) -> None:
        self._take(k=k, epsilon=epsilon)

    @property
    def k(self) -> int:
        """Number of categories."""
        return size_of(self.domain)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """What the categories are called; None where they are numbered."""
        return labels_of(self.domain)

    def _build(self) -> None:
        most = self.most_categories(self.requested_epsilon)
        if self.k > most:
            rule = f"must be at most {most} for {self.name}"
            raise OutOfReachError("k", rule, "take another mechanism", got=self.k)
        set_fields(self, program=self._compile(self.k, self.requested_epsilon))

    @classmethod
    def most_categories(cls, epsilon: Fraction) -> int:
        """Return the most categories that its program can hold at this ε: :attr:`max_k`."""
        return cls.max_k

    @classmethod
    @abstractmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Program:
        """Return the sampler program whose guarantee is within 1e-6 below ``epsilon``."""

    # -- the law -----------------------------------------------------------------------------

    @property
    @abstractmethod
    def channel(self) -> Channel:
        """The channel from values to reports (small alphabets only where it has no structure)."""

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        labelled = self.labels is not None
        return as_categories(as_numbered(values, self.labels), self.k, labelled=labelled)

    def _value(self, value: Any) -> int:
        return as_category(as_number(value, self.labels), self.k, labelled=self.labels is not None)

    # -- the analyst's side ------------------------------------------------------------------

    @abstractmethod
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Tally reports: how many support each category, (k,)."""

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> Estimate:
        """Estimate the shares of the k categories.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: ``(support / n - q) / (p - q)``, not clipped, with exact
                standard errors; ``"projected"``: the nearest shares that are none below 0 and
                sum to 1 (Norm-Sub); ``"clipped"``: clipped at 0 and divided by the sum;
                ``"mle"``: the most likely shares (GRR). Standard errors of the last three come
                from :func:`sudare.bootstrap`. ``"shrunk"``: drawn towards 1/k as far as the shares
                vary no more than the noise (empirical Bayes), for many categories and few
                respondents; its intervals hold on the average over the categories.
            target: whose shares the standard errors are about, ``"population"`` (a random
                sample is assumed) or ``"respondents"``.

        Raises:
            EstimationError: no reports, counts of another mechanism, or ``"mle"`` where the
                counts are not the whole data.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        if method == "mle" and not self.law.single:
            raise EstimationError(
                "method",
                f"must not be mle for {self.name}: its column sums are not sufficient for the "
                "likelihood",
                "use projected",
            )
        law = ShareLaw(self.law, self.supports(counts.support), counts.n, asked.target)
        made = counts if counts.mechanism else self._counts(counts.support, counts.n), asked.method
        return asked.conclude(METHODS[method](law), Estimate, labels=self.labels, _made=made)

    @property
    def supported(self) -> int | None:
        """How many categories each report supports; None where that is not one number."""
        return 1 if self.law.single else None

    def supports(self, tally: npt.ArrayLike) -> Integers:
        """Return what :attr:`law` is about, from the support of checked counts or of several: (k,)
        numbers that add up over the reports. A dict or pandas Series counts by label."""
        axes = (self.labels or self.k, *self.shape[1:])
        return self._supports(np.asarray(align(tally, axes, "tally")))

    def _supports(self, tally: Integers) -> Integers:
        return tally

    def expected_mse(
        self,
        n: int,
        shares: npt.ArrayLike | None = None,
        target: Target = "population",
        method: str = "unbiased",
    ) -> float:
        """Expected mean squared error of the k estimated shares, before anything is collected.

        The mean of :meth:`variance` over the cells, exact. For the respondents the true shares drop
        out (they sum to 1); ``None`` stands for uniform shares. Of the method ``"shrunk"`` it
        depends on the shares, and is that of normal errors.

        Raises:
            WrongTypeError, DomainError: n < 1, shares that do not sum to 1, or a method whose error
                is not known beforehand.
        """
        size, whose = as_integer(n, "n", low=1, high=2**62), check_target(target)
        if as_one_of(method, "method", ("unbiased", "shrunk")) == "shrunk":
            from sudare.estimation.shrinking import expected_error  # asked for by few

            true = as_shares(shares, self.k, labels=self.labels)
            return expected_error(self.law, true, size, whose)
        if shares is None:  # of uniform shares one cell tells all, however many there are
            true = np.full(1, 1 / self.k)
        else:
            true = as_shares(shares, self.k, labels=self.labels)
        return float(self.variance(true, size, whose).mean())

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents with these true counts would produce.

        The exact law of the aggregate, without a loop over users: for studies.

        Args:
            true_counts: (k,) whole numbers >= 0; or a dict or pandas Series, by label.
        """
        truth = as_true_counts(true_counts, self.k, labels=self.labels)
        support = self._simulate(truth, as_entropy(rng).generator())
        return self._counts(support, int(truth.sum()))

    def replicates(self, truth: npt.ArrayLike, method: str, *, rng: Randomness = None) -> Floats:
        """Draw collections as :meth:`simulate` does, and return the shares that a method estimates.

        Args:
            truth: (collections, k) true counts, each line with the same sum above 0; a line may be
                a dict or pandas Series, by label, and one alone is one collection.
            method: as in :meth:`estimate`, which has checked it.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Returns:
            (collections, k) shares.

        Raises:
            WrongTypeError, DomainError: not such counts.
        """
        lines = self._lines(truth)
        n, generator = int(lines[0].sum()), as_entropy(rng).generator()
        if self.by_line:
            drawn = self._simulate(lines, generator)
        else:
            drawn = np.stack([self._simulate(line, generator) for line in lines])

        def fitted(tally: Integers) -> Floats:
            return METHODS[method](ShareLaw(self.law, tally, n, "respondents")).shares

        tallies = self.supports(drawn)
        return np.stack([fitted(line) for line in tallies]) if method in ALONE else fitted(tallies)

    def _lines(self, truth: Any) -> Integers:
        """Return the true counts of collections, a line each, in the order of the categories."""
        alone = is_labelled(truth) and not hasattr(truth, "columns")
        lines = [truth] if alone else truth
        size = len(lines) if hasattr(lines, "__len__") else 0
        found = as_array(align(lines, (size, self.labels or self.k), "truth"))
        if found is None or found.dtype.kind not in "iu":
            raise WrongTypeError("truth", "must be whole numbers", "round them first")
        found = np.atleast_2d(found)
        if found.ndim != 2 or found.shape[1] != self.k or not len(found):
            rule = f"must have the shape (collections, {self.k})"
            raise DomainError("truth", rule, got=found.shape)
        sums = found.sum(axis=1)
        if found.min() < 0 or sums[0] < 1 or (sums != sums[0]).any():
            raise DomainError("truth", "must be >= 0, each line with one sum above 0")
        return found

    @abstractmethod
    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw the support of checked true counts; acts on the last axis where :attr:`by_line`."""
