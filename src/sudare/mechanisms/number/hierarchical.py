"""The distribution of a number from one level of a tree of bins a person."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.alignment import align
from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.estimation import Counts, Estimate
from sudare.estimation.conclude import MethodResult
from sudare.estimation.distribution import Distribution
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.tree import BinTree, Level, TreeLaw
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.frequency import FrequencyOracle
from sudare.mechanisms.marginal.validation import mean_reciprocal
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.validation import HIGH, LOW, UNEVEN
from sudare.mechanisms.parameters import EPSILON, Parameter, choice, whole
from sudare.mechanisms.picked import Picked
from sudare.mechanisms.registry import lookup, register
from sudare.mechanisms.values import as_shares, as_true_counts

MOST_BINS = 4096
ORACLES = ("SubsetSelection", "GRR", "OUE")


@register
class HierarchicalHistogram(Binned, Picked):
    """Draw a level of a tree of bins; report one's node there by a frequency oracle, with all of ε.

    ::

        level uniform among ceil(log_branching bins), told;   node = bin // branching^height

    Levels are made consistent by weighted least squares
    (:class:`~sudare.estimation.tree.TreeLaw`): a range is the sum of few nodes, not of many bins.
    With as many branches as bins there is one level: the oracle over the bins.

    Guarantee: ε-local differential privacy of one answer (any two numbers are neighbours): the
    level that is drawn does not depend on the answer. Reports: (n, bytes) uint8, the wire form: the
    level, from the top, then the oracle's report. Counts: of each level the number of its reports,
    then the support of its nodes. Source: Cormode, Kulkarni, Srivastava 2019, section 4.

    Args:
        epsilon: ε of one answer, 0.001 to 20.
        low, high: the ends of the range, within ±1e100.
        bins: equal parts of the range, 2 to 4,096.
        branching: children of a node, 2 to 4,096.
        oracle: ``"SubsetSelection"``, ``"GRR"`` or ``"OUE"``.
        edges: (bins + 1,) where bins begin and end, from ``low`` to ``high``, if these are not
            equal; :meth:`over` takes the range and the number of bins from them.

    Raises:
        WrongTypeError, DomainError: not such a range, number of bins or branches, oracle or edges.
        WrongTypeError, PrivacyError: ε is out of range.

    Examples:
        >>> import sudare as sd
        >>> m = sd.HierarchicalHistogram(epsilon=2.0, low=0, high=80, bins=64, branching=8)
        >>> m.tree.sizes
        (8, 64)
        >>> import numpy as np
        >>> numbers = np.repeat(np.arange(20.0, 60.0), 500)
        >>> found = m.distribution(m.aggregate(m.perturb(numbers, rng=sd.Entropy.seeded(b"h"))))
        >>> low, high = found.range(20, 40).interval(0.95)
        >>> bool(low < 0.5 < high)
        True
    """

    name: ClassVar[str] = "HierarchicalHistogram"
    conformance: ClassVar[str] = "sudare.testing.tree"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        EPSILON,
        LOW,
        HIGH,
        whole("bins", 2, MOST_BINS, examples=(4, 5, 3)),
        whole("branching", 2, MOST_BINS, examples=(2, 3, 4)),
        choice("oracle", ORACLES),
        UNEVEN,
    )
    __slots__ = ("bins", "branching", "high", "low", "oracle", "tree", "uneven")
    branching: int
    oracle: str
    tree: BinTree
    uneven: tuple[float, ...] | None
    """Where bins begin and end that are not equal."""

    def __init__(
        self,
        epsilon: float | Fraction,
        low: float = -1.0,
        high: float = 1.0,
        bins: int = 64,
        branching: int = 8,
        oracle: str = "SubsetSelection",
        edges: Sequence[float] | None = None,
    ) -> None:
        self._take(
            epsilon=epsilon, low=low, high=high, bins=bins, branching=branching, oracle=oracle,
            edges=edges,
        )  # fmt: skip

    @classmethod
    def over(
        cls,
        edges: Sequence[float],
        epsilon: float | Fraction,
        branching: int = 8,
        oracle: str = "SubsetSelection",
    ) -> Self:
        """Return the mechanism of the bins between these edges.

        Args:
            edges: where bins begin and end, rising: 3 to 4,097 numbers.
            epsilon, branching, oracle: as of the class.

        Raises:
            WrongTypeError, DomainError, PrivacyError: as the class.

        Examples:
            >>> import sudare as sd
            >>> m = sd.HierarchicalHistogram.over([0, 10, 20, 50, 1000], epsilon=1.0)
            >>> m.bins, m.bins_of([0, 9.9, 10, 700, 1000]).tolist()
            (4, [0, 0, 1, 3, 3])
        """
        if isinstance(edges, str | bytes) or not isinstance(edges, Sequence | np.ndarray):
            raise WrongTypeError("edges", "must be a list of numbers", "such as (0, 10, 50, 100)")
        if len(edges) < 1:
            raise DomainError("edges", "must not be empty", "such as (0, 10, 50, 100)")
        return cls(epsilon, edges[0], edges[-1], len(edges) - 1, branching, oracle, edges)

    def _build(self) -> None:
        self._check_edges()
        tree = BinTree(self.bins, self.branching)
        kind = lookup(self.oracle, FrequencyOracle)
        set_fields(self, tree=tree)
        self._pick(tuple(kind(size, self.requested_epsilon) for size in tree.sizes))

    # -- the bins ----------------------------------------------------------------------------

    @property
    def edges(self) -> Floats:
        """(bins + 1,) where bins begin and end; a number on an edge belongs to the upper bin."""
        return super().edges if self.uneven is None else np.array(self.uneven)

    @property
    def full_name(self) -> str:
        """The mechanism's name, its branching and its oracle."""
        return f"{self.name}, {self.branching}, {self.oracle}"

    @property
    def centres(self) -> Floats:
        """(bins,) the middle of each bin: the scores of a mean."""
        if self.uneven is None:
            return super().centres
        out: Floats = self.edges[:-1] / 2 + self.edges[1:] / 2
        return out

    @property
    def widest(self) -> float:
        """Width of the widest bin: numbers lie at most half of it from the middle of theirs."""
        return super().widest if self.uneven is None else float(np.diff(self.edges).max())

    # -- the respondent's side ---------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
        return self.tree.nodes(self.bins_of(values))

    def _value_of(self, place: int) -> list[int]:
        nodes: list[int] = self.tree.nodes(np.array(place)).tolist()
        return nodes

    # -- the analyst's side ------------------------------------------------------------------

    def consistent(self, counts: Counts, target: Target = "population") -> TreeLaw:
        """Return the levels made to agree.

        Raises:
            EstimationError: no report is about the bins.
        """
        each = zip(self.parts, self.split(counts.support), strict=True)
        levels = tuple(Level(part.law, own[1:], int(own[0])) for part, own in each)
        if not levels[-1].n:
            raise EstimationError("counts", "must hold a report about the bins", "collect more")
        return TreeLaw(self.tree, levels, counts.n, target)

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> Estimate:
        """Estimate the share of the people in each bin; ``.mean(m.centres)`` is their mean.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: consistent, not clipped.
            target: whose shares the standard errors are about.

        Raises:
            EstimationError: no reports (about the bins), or counts of another mechanism.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        law = self.consistent(counts, asked.target)
        return asked.conclude(MethodResult(law.shares, law.few, law), Estimate)

    def distribution(self, counts: Counts, target: Target = "population") -> Distribution:
        """As every mechanism of bins: of :meth:`estimate`."""
        return Distribution(self.edges, self.estimate(counts, target=target))

    # -- before collecting -------------------------------------------------------------------

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Expected mean squared error of the bins' shares, before anything is collected.

        Exact, over the random sizes of the groups too, given that each level was reported.

        Args:
            n: number of respondents.
            shares: (bins,) true shares; None for equal ones.
            target: whose shares the error is about.

        Raises:
            WrongTypeError, DomainError: n < 1, or shares that do not sum to 1.
        """
        people = as_integer(n, "n", low=1, high=2**62)
        true = as_shares(shares, self.bins)
        return float(self._variances(np.eye(self.bins), true, people, check_target(target)).mean())

    def _edge_variances(self, n: int, target: Target) -> Floats:
        even, every = np.full(self.bins, 1 / self.bins), np.arange(self.bins)
        some = np.array_split(every[1:], max(1, self.bins**2 >> 20))
        each = [(every < edges[:, None]).astype(np.float64) for edges in some]
        return np.concatenate([self._variances(rows, even, n, target) for rows in each])

    def _variances(self, weights: Floats, shares: Floats, n: int, target: Target) -> Floats:
        """Return the expected squared errors of sums of shares, over the sizes of the groups."""
        law = self._designed(n, shares)
        out = law.variances(weights) * mean_reciprocal(n, len(law.levels))
        return out - law.known(weights) if target == "respondents" else out

    def _designed(self, n: int, shares: Floats) -> TreeLaw:
        """Return the law of one report about each level."""
        levels = tuple(Level(part.law, np.zeros(part.k, dtype=np.int64), 1) for part in self.parts)
        return TreeLaw(self.tree, levels, n, "population", shares)

    def level_weights(self, weights: npt.ArrayLike) -> list[Floats]:
        """Return what the shares of each level's nodes weigh in the estimate of a sum of bins.

        ::

            Σ_i w_i x_i = a constant + Σ_l u_l y_l,   if every level was reported

        Args:
            weights: w, (bins,).
        """
        w = np.asarray(align(weights, (self.bins,), "weights"), dtype=np.float64)
        even = np.full(self.bins, 1 / self.bins)
        return [u for _, _, u, _ in self._designed(1, even).told(w)]

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents in these bins would produce: the exact law of the tally.

        Args:
            true_counts: (bins,) whole numbers >= 0.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not such counts.
        """
        truth, generator = as_true_counts(true_counts, self.bins), as_entropy(rng).generator()
        drawn = generator.multinomial(truth, np.full(len(self.parts), 1 / len(self.parts)))
        out = []
        for level, part in enumerate(self.parts):
            held = self.tree.sums(drawn[:, level])[level]
            support = part._simulate(held, generator) if held.any() else np.zeros(part.k, np.int64)
            out.append(np.append(held.sum(), support))
        return self._counts(np.concatenate(out).astype(np.int64), int(truth.sum()))
