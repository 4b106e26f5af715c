"""Marginals alone: one budget, split, spent on a sampled attribute, or hidden by fake answers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import EstimationError, PrivacyError
from sudare.estimation import Counts, Estimate, histogram
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.shares import ShareLaw
from sudare.estimation.support import SingleLaw
from sudare.exact import as_integer, floor_float, log_bounds
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.exact.parameters import EPSILON_MIN
from sudare.frozen import set_fields
from sudare.mechanisms.base import OneValue, adds_up_to
from sudare.mechanisms.bulk import in_blocks, in_parts
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.frequency.methods import unbiased
from sudare.mechanisms.joint.rows import SIZES, as_reports, as_row, as_values, draw_columns
from sudare.mechanisms.marginal.fake import Fake
from sudare.mechanisms.marginal.picked import draw_picked
from sudare.mechanisms.marginal.validation import (
    as_all_shares,
    as_truths,
    known_part,
    mean_reciprocal,
    tally_picked,
)
from sudare.mechanisms.parameters import EPSILON, Parameter, choice
from sudare.mechanisms.registry import register
from sudare.samplers import Pick, Product
from sudare.samplers.base import index_dtype

Strategy = Literal["split", "sample", "fake"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@register
class MarginalRR(OneValue):
    """GRR on the attributes of one respondent, for the distribution of each attribute alone.

    ::

        split    every attribute by GRR at ε / D                          (SPL)
        sample   one attribute, drawn uniformly and told, by GRR at ε     (SMP)
        fake     one attribute, drawn and not told, by GRR at ε; the
                 others uniformly at random                               (RS+FD)

    With p and q of the GRR, ``n_i`` the number of reports about attribute i and c its counts,
    each share is ``(c / n_i - q*) / (p* - q*)``::

        split    p* = p, q* = q, n_i = n
        sample   p* = p, q* = q, n_i = those who drew it, about n / D
        fake     p* = (p + (D - 1) / k_i) / D, q* = (q + (D - 1) / k_i) / D, n_i = n

    Guarantee: :attr:`epsilon` of the whole submission, any two rows are neighbours. Where only
    attribute i differs it is :attr:`attribute_epsilons`. For ``"fake"`` the literature states the
    latter, ``ln((e^ε - 1) / D + 1)``, and raises ε so far that *it* meets the budget; whole rows
    then spend the raised ε (``docs/mechanisms/marginal-rr.md``).

    Reports: ``"split"`` and ``"fake"`` (n, D) indices, ``"sample"`` (n, 2): attribute and index.
    No device runs ``"fake"``: it is for comparisons.

    Args:
        sizes: number of categories of each attribute, at least 2.
        epsilon: ε of the whole submission, 0.001 to 20.
        strategy: ``"split"``, ``"sample"`` or ``"fake"``.

    Raises:
        WrongTypeError, DomainError: sizes or the strategy are none.
        WrongTypeError, PrivacyError: ε is out of range, or too small to be split.

    Source: Arcolezi, Couchot, Al Bouna, Xiao 2021 (SPL, SMP, RS+FD with GRR); the variances
    follow from the law of the reports.

    Examples:
        >>> m = MarginalRR([3, 2], epsilon=2.0, strategy="sample")
        >>> counts = m.aggregate([[0, 2], [1, 0], [0, 0]])
        >>> counts
        Counts(support=[1, 0, 1, 1, 0], n=3)
        >>> [estimate.shares.round(3).tolist() for estimate in m.estimate(counts)]
        [[0.578, -0.157, 0.578], [1.157, -0.157]]
    """

    conformance: ClassVar[str] = "sudare.testing.marginal"
    name: ClassVar[str] = "MarginalRR"
    covers: ClassVar[str] = "one submission: the answers to all attributes together"
    parameters: ClassVar[tuple[Parameter, ...]] = (SIZES, EPSILON, choice("strategy", STRATEGIES))
    __slots__ = ("parts", "sizes", "strategy")
    sizes: tuple[int, ...]
    strategy: Strategy
    parts: tuple[GRR, ...]
    """The GRR of each attribute: at ε / D for ``"split"``, else at ε."""
    program: Product | Pick | Fake

    def __init__(
        self, sizes: Sequence[int], epsilon: float | Fraction, strategy: Strategy = "split"
    ) -> None:
        self._take(sizes=sizes, epsilon=epsilon, strategy=strategy)

    def _build(self) -> None:
        asked = self.requested_epsilon
        each = asked / len(self.sizes) if self.strategy == "split" else asked
        if each < EPSILON_MIN:
            raise PrivacyError(
                "epsilon",
                f"must leave at least {float(EPSILON_MIN)} for each attribute",
                'take strategy="sample", or fewer attributes',
                got=float(asked),
            )
        parts = tuple(GRR(k, each) for k in self.sizes)
        kinds: dict[str, type[Product | Pick]] = {"split": Product, "sample": Pick, "fake": Fake}
        program = kinds[self.strategy](tuple(part.program for part in parts))
        set_fields(self, parts=parts, program=program)

    # -- the law -----------------------------------------------------------------------------

    @property
    def attribute_epsilons(self) -> tuple[float, ...]:
        """ε of rows that differ in one attribute alone, rounded down, for each attribute."""
        ratios = [
            self.program.part_ratio(i) if isinstance(self.program, Fake) else part.program.ratio
            for i, part in enumerate(self.parts)
        ]
        return tuple(floor_float(log_bounds(ratio)[0]) for ratio in ratios)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(Σ sizes,)``: the counts of one attribute after the other."""
        return (sum(self.sizes),)

    def support_probabilities(self, attribute: int) -> tuple[Fraction, Fraction]:
        """Return ``(p*, q*)`` of an attribute: a report about it names the true category, or one
        other. Exact."""
        law = self.law(attribute)
        return law.p, law.q

    def law(self, attribute: int) -> SingleLaw:
        """Return the law of one report about an attribute. Exact."""
        i = as_integer(attribute, "attribute", low=0, high=len(self.sizes) - 1)
        own, other = self.parts[i].support_probabilities
        if self.strategy != "fake":
            return SingleLaw(own, other)
        d = len(self.sizes)
        even = Fraction(d - 1, self.sizes[i])
        return SingleLaw((own + even) / d, (other + even) / d)

    def marginal(self, counts: Counts, attribute: int) -> Counts:
        """Return the counts of one attribute; ``n`` is the number of reports about it."""
        self.check_counts(counts)
        i = as_integer(attribute, "attribute", low=0, high=len(self.sizes) - 1)
        support = self._split(counts.support)[i]
        return Counts(support, int(support.sum()))

    def _split(self, cells: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        return np.split(cells, np.cumsum(self.sizes)[:-1])

    # -- the respondent's side ---------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return as_values(values, self.sizes)

    def _value(self, value: Any) -> list[int]:
        return as_row(value, self.sizes)

    def perturb(self, values: npt.ArrayLike, *, rng: Randomness = None) -> npt.NDArray[Any]:
        """Randomise the rows of n respondents, as :meth:`sudare.JointRR.perturb`.

        Returns:
            (n, D) categories, or for ``"sample"`` (n, 2): the attribute and its category; in the
            smallest dtype that holds them.
        """
        return in_blocks(self._draw, rng, values, report_bytes=self.report_bytes)

    def _draw(self, values: npt.ArrayLike, rng: Entropy) -> npt.NDArray[Any]:
        if isinstance(self.program, Product) and not isinstance(self.program, Fake):
            return draw_columns(values, self.sizes, self.program.parts, rng)
        if isinstance(self.program, Pick):
            return draw_picked(values, self.sizes, self.program, rng)
        columns = self.program.draw(self._values(values), rng)
        return np.stack(columns, axis=1, dtype=index_dtype(max(self.sizes)))

    # -- the analyst's side ------------------------------------------------------------------

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the categories of each attribute, in the form that :meth:`perturb` returns."""
        if self.strategy == "sample":
            support = tally_picked(reports, self.sizes)
            return self._counts(support, int(support.sum()))
        rows = as_reports(reports, self.sizes)
        columns = [histogram(rows[:, i], k) for i, k in enumerate(self.sizes)]
        return self._counts(np.concatenate(columns), rows.shape[0])

    def _adds_up(self, counts: Counts) -> bool:
        if self.strategy == "sample":
            return super()._adds_up(counts)
        return all(adds_up_to(part, counts.n) for part in self._split(counts.support))

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> tuple[Estimate, ...]:
        """Estimate the distribution of each attribute.

        For ``"sample"`` the standard errors are those given the numbers of reports ``n_i``: a
        random group answers for all, also for the respondents
        (:class:`~sudare.estimation.shares.ShareLaw`).

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: the inverse, not clipped.
            target: whose shares the standard errors are about.

        Returns:
            An estimate for each attribute, with the ``epsilon`` and ``n`` of whole submissions.

        Raises:
            EstimationError: no reports (about one of the attributes), or other counts.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        return tuple(self.estimate_one(counts, i, asked.target) for i in range(len(self.sizes)))

    def estimate_one(
        self, counts: Counts, attribute: int, target: Target = "population"
    ) -> Estimate:
        """Estimate the distribution of one attribute, as :meth:`estimate` does.

        Raises:
            EstimationError: no reports about it, or other counts.
            WrongTypeError, DomainError: no attribute, or an unknown target.
        """
        asked = self._asked(counts, "unbiased", target)
        i = as_integer(attribute, "attribute", low=0, high=len(self.sizes) - 1)
        law = self._shares(i, self._split(counts.support)[i], counts.n, asked.target)
        return asked.conclude(unbiased(law), Estimate)

    def _shares(self, i: int, support: npt.NDArray[np.int64], n: int, target: Target) -> ShareLaw:
        if self.strategy != "sample":
            return ShareLaw(self.law(i), support, n, target)
        group = int(support.sum())
        if group == 0:
            raise EstimationError(
                "counts", f"must hold a report about attribute {i}", "collect more"
            )
        return ShareLaw(
            self.law(i), support, group, "population", known=known_part(group, n, target)
        )

    def expected_mse(
        self,
        n: int,
        shares: Sequence[npt.ArrayLike] | None = None,
        target: Target = "population",
    ) -> Floats:
        """Expected mean squared error of each attribute's shares, before anything is collected.

        Exact, for ``"sample"`` over the random group sizes too, given that the group is not
        empty.

        Args:
            n: number of respondents.
            shares: true shares of each attribute; None stands for uniform ones.
            target: whose shares the error is about.

        Returns:
            (D,) float64: for each attribute the mean over its categories.

        Raises:
            WrongTypeError, DomainError: n < 1, or shares that do not sum to 1.
        """
        people = as_integer(n, "n", low=1, high=2**62)
        check_target(target)
        groups, between = 1 / people, 1 / people if target == "population" else 0.0
        if self.strategy == "sample":
            groups = between = mean_reciprocal(people, len(self.sizes))
            if target == "respondents":  # E (people - N) / ((people - 1) N)
                between = (people * groups - 1) / (people - 1) if people > 1 else 0.0
        errors = []
        for i, x in enumerate(as_all_shares(shares, self.sizes)):
            noise = self.law(i).cells(x) * groups
            errors.append(float((noise + x * (1 - x) * between).mean()))
        return np.array(errors)

    def simulate(self, true_counts: Sequence[npt.ArrayLike], *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents with these true counts would produce.

        The counts of each attribute follow their exact law, without a loop over users. How those
        of two attributes vary together depends on the rows for ``"sample"`` and ``"fake"``; here
        they are drawn independently of one another.

        Args:
            true_counts: for each attribute whole numbers >= 0; all with the same sum, for
                ``"sample"`` below 10**9.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not counts of that form.
        """
        truths = as_truths(true_counts, self.sizes, drawn=self.strategy == "sample")
        generator = as_entropy(rng).generator()
        people = int(truths[0].sum())
        if self.strategy == "sample":
            d = len(self.sizes)
            groups = generator.multinomial(people, np.full(d, 1 / d)).tolist()
            truths = [
                generator.multivariate_hypergeometric(truth, group, method="marginals")
                for truth, group in zip(truths, groups, strict=True)
            ]
        out = []
        for i, truth in enumerate(truths):
            p, q = self.support_probabilities(i)
            kept = generator.binomial(truth, float(p - q))
            k = truth.size
            out.append(kept + generator.multinomial(int((truth - kept).sum()), np.full(k, 1 / k)))
        return self._counts(np.concatenate(out), people)
