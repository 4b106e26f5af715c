"""``SampledPairs``: each respondent reports two attributes, drawn, as one category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.estimation import Counts, Estimate
from sudare.estimation.consistent import ConsistentPairs
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.shares import ShareLaw
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.frequency import FrequencyOracle
from sudare.mechanisms.joint.rows import SIZES, WRONG_SIZES, Sizes, as_row, as_sizes, as_values
from sudare.mechanisms.marginal.borders import as_truths, mean_reciprocal
from sudare.mechanisms.pairs.tables import PairTables
from sudare.mechanisms.parameters import EPSILON, Parameter, choice
from sudare.mechanisms.picked import Picked
from sudare.mechanisms.registry import lookup, register

ORACLES = ("SubsetSelection", "GRR", "OUE")
MOST_ATTRIBUTES = 100

_PAIRED: Parameter = Parameter(
    name="sizes",
    read=lambda sizes, _: _as_sizes(sizes),
    write=SIZES.write,
    parse=SIZES.parse,
    show=SIZES.show,
    examples=((3, 2), (2, 2, 2), (2, 3, 4)),
    bad=(*WRONG_SIZES, ([3], DomainError), ([2] * (MOST_ATTRIBUTES + 1), DomainError)),
)


def _as_sizes(sizes: object) -> Sizes:
    counts = as_sizes(sizes)
    if not 2 <= len(counts) <= MOST_ATTRIBUTES:
        raise DomainError("sizes", f"must name 2 to {MOST_ATTRIBUTES} attributes", got=len(counts))
    return counts


@register
class SampledPairs(Picked):
    """Draw two of D attributes; report what is held of both as one category, with the whole ε.

    ::

        pair (i, j) uniform among D (D - 1) / 2, told;   its cell of k_i k_j by a frequency oracle

    The tables of all pairs are made to agree in their margins by weighted least squares
    (:class:`~sudare.estimation.consistent.ConsistentPairs`).

    Guarantee: :attr:`epsilon` of the whole submission, any two rows are neighbours: the pair that
    is drawn does not depend on the answer. Reports: (n, bytes) uint8, the wire form: the number of
    the pair, in the order of ``itertools.combinations``, then the oracle's report. Counts: of each
    pair the number of its reports, then the support of its cells. Source: Zhang, Wang, Li, He, Chen
    2018 (CALM, without views of more attributes); Yang et al. 2020 (HDG) draw pairs likewise.

    Args:
        sizes: number of categories of each attribute, 2 to 100 attributes.
        epsilon: ε of the whole submission, 0.001 to 20.
        oracle: ``"SubsetSelection"``, ``"GRR"`` or ``"OUE"``.

    Raises:
        WrongTypeError, DomainError: sizes or the oracle are none.
        OutOfReachError: a pair has more cells than the oracle can take.
        WrongTypeError, PrivacyError: ε is out of range.

    Examples:
        >>> m = SampledPairs([3, 2, 2], epsilon=2.0)
        >>> m.pairs
        ((0, 1), (0, 2), (1, 2))
        >>> reports = m.perturb([[0, 1, 1], [2, 0, 0]] * 3000)
        >>> tables = m.estimate(m.aggregate(reports))
        >>> [table.shares.shape for table in tables]
        [(3, 2), (3, 2), (2, 2)]
        >>> bool(np.allclose(tables[0].shares.sum(axis=0), tables[2].shares.sum(axis=1)))
        True
    """

    conformance: ClassVar[str] = "sudare.testing.pairs"
    name: ClassVar[str] = "SampledPairs"
    covers: ClassVar[str] = "one submission: the answers to all attributes together"
    parameters: ClassVar[tuple[Parameter, ...]] = (_PAIRED, EPSILON, choice("oracle", ORACLES))
    __slots__ = ("oracle", "pairs", "sizes")
    sizes: Sizes
    oracle: str
    pairs: tuple[tuple[int, ...], ...]
    """Every two attributes."""

    def __init__(
        self, sizes: Sequence[int], epsilon: float | Fraction, oracle: str = "SubsetSelection"
    ) -> None:
        self._take(sizes=sizes, epsilon=epsilon, oracle=oracle)

    def _build(self) -> None:
        pairs: tuple[tuple[int, ...], ...] = tuple(combinations(range(len(self.sizes)), 2))
        kind = lookup(self.oracle, FrequencyOracle)
        cells = [self.sizes[i] * self.sizes[j] for i, j in pairs]
        made = {k: kind(k, self.requested_epsilon) for k in set(cells)}
        parts = tuple(made[k] for k in cells)
        set_fields(self, pairs=pairs)
        self._pick(parts)

    @property
    def attribute_epsilons(self) -> tuple[float, ...]:
        """ε of rows that differ in one attribute alone: that of the whole submission."""
        return (self.epsilon,) * len(self.sizes)

    # -- the respondent's side ---------------------------------------------------------------

    def cells(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the cell of each pair, (n, pairs), of checked rows."""
        columns = rows.astype(np.int64)
        out = [columns[:, i] * self.sizes[j] + columns[:, j] for i, j in self.pairs]
        return np.stack(out, axis=1)

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return self.cells(as_values(values, self.sizes))

    def _value(self, value: Any) -> list[int]:
        own: list[int] = self.cells(np.array([as_row(value, self.sizes)]))[0].tolist()
        return own

    # -- the analyst's side ------------------------------------------------------------------

    def consistent(self, counts: Counts, target: Target = "population") -> ConsistentPairs:
        """Return the tables of all pairs, made to agree; of pairs that nobody reported none."""
        whose = check_target(target)
        self.check_counts(counts)
        laws = {
            pair: ShareLaw(part.law, own[1:], int(own[0]), "population")
            for pair, part, own in zip(
                self.pairs, self.parts, self.split(counts.support), strict=True
            )
            if own[0]
        }
        return ConsistentPairs(self.sizes, laws, self._precisions, counts.n, whose)

    @property
    def _precisions(self) -> dict[tuple[int, ...], tuple[float, float]]:
        """1 / variance of a margin's deviation from one report about a pair, at even shares."""
        found: dict[tuple[int, int], float] = {}
        for (i, j), part in zip(self.pairs, self.parts, strict=True):
            for one, other in ((i, j), (j, i)):
                sizes = self.sizes[one], self.sizes[other]
                if sizes not in found:
                    weights = np.repeat(np.eye(sizes[0])[0] - 1 / sizes[0], sizes[1])
                    found[sizes] = 1 / _variance(part, weights)
        return {
            (i, j): (found[self.sizes[i], self.sizes[j]], found[self.sizes[j], self.sizes[i]])
            for i, j in self.pairs
        }

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> tuple[Estimate, ...]:
        """Estimate the table of every two attributes.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: consistent, not clipped.
            target: whose shares the standard errors are about.

        Returns:
            An estimate for each of :attr:`pairs`, all with the same margins, and with the
            ``epsilon`` and ``n`` of whole submissions.

        Raises:
            EstimationError: no reports (about one of the pairs), or other counts.
            DomainError: unknown method or target.
        """
        self._asked(counts, method, target)
        tables = self.tables(counts, target)
        return tuple(tables.table(pair) for pair in self.pairs)

    def margins(self, counts: Counts, target: Target = "population") -> tuple[Estimate, ...]:
        """Estimate each attribute alone, as in :meth:`estimate` from all pairs that it is in.

        Raises:
            EstimationError, DomainError: as :meth:`estimate`.
        """
        tables = self.tables(counts, target)
        return tuple(tables.table((axis,)) for axis in range(len(self.sizes)))

    def tables(self, counts: Counts, target: Target = "population") -> PairTables:
        """Return what :meth:`estimate` and :meth:`margins` are made of, where all are not needed.

        Its tables, Cramér's V of two attributes, and a joint table by maximum entropy. Pairs that
        nobody reported are refused only when they are asked for.

        Raises:
            EstimationError, DomainError: no reports, other counts, an unknown target.
        """
        asked = self._asked(counts, "unbiased", target)
        return PairTables(self.consistent(counts, asked.target), asked, self.pairs)

    def reports(self, counts: Counts) -> tuple[int, ...]:
        """Return how many of the reports are about each of :attr:`pairs`."""
        return tuple(int(part[0]) for part in self.split(counts.support))

    def expected_errors(
        self, tables: Sequence[tuple[int, ...]], n: int, target: Target = "population"
    ) -> list[float]:
        """Return for each table the mean over its cells of the expected squared error.

        Exact for uniform true shares, over the random sizes of the groups too, given that none is
        empty.

        Args:
            tables: pairs, or single attributes.
            n: number of respondents.
            target: whose shares the error is about.
        """
        people = as_integer(n, "n", low=1, high=2**62)
        check_target(target)
        laws = {
            pair: ShareLaw(part.law, np.zeros(part.k, dtype=np.int64), 1, "population")
            for pair, part in zip(self.pairs, self.parts, strict=True)
        }
        source = ConsistentPairs(self.sizes, laws, self._precisions, people, "population")
        oracle = dict(zip(self.pairs, self.parts, strict=True))
        each, found = mean_reciprocal(people, len(self.pairs)), dict[Any, float]()
        alike = len(set(self.sizes)) == 1
        for axes in tables:
            key = len(axes) if alike else axes
            if key not in found:
                size = prod(shape := tuple(self.sizes[axis] for axis in axes))
                one = np.zeros(shape)
                one.flat[0] = 1.0
                parts = source.weights(axes, one)
                noise = math.fsum(
                    _variance(oracle[pair], own.ravel()) for pair, own in parts.items()
                )
                known = (1 - 1 / size) / size / people if target == "respondents" else 0.0
                found[key] = noise * each - known
        return [found[len(axes) if alike else axes] for axes in tables]

    def expected_mse(self, n: int, shares: None = None, target: Target = "population") -> float:
        """Return the mean of :meth:`expected_errors` over the cells of all pairs.

        Raises:
            DomainError: shares are given: only uniform ones are known.
        """
        if shares is not None:
            raise DomainError("shares", "must be left out", "uniform ones are assumed")
        errors = self.expected_errors(self.pairs, n, target)
        return float(np.average(errors, weights=[part.k for part in self.parts]))

    def simulate(
        self, true_counts: Sequence[npt.ArrayLike], *, rng: Entropy | None = None
    ) -> Counts:
        """Draw the counts that respondents with these true counts would produce.

        Each pair's counts follow their exact law; how two pairs vary together depends on the rows,
        and they are drawn independently of one another here.

        Args:
            true_counts: for each pair whole numbers >= 0, its table; all with the same sum, below
                10**9.
            rng: :meth:`Entropy.seeded` to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not counts of that form.
        """
        flat = true_counts
        if isinstance(true_counts, list | tuple):
            flat = [one.ravel() if isinstance(one, np.ndarray) else one for one in true_counts]
        truths = as_truths(flat, tuple(part.k for part in self.parts), drawn=True)
        entropy = as_entropy(rng)
        generator, people = entropy.generator(), int(truths[0].sum())
        groups = generator.multinomial(people, np.full(len(truths), 1 / len(truths)))
        out = []
        for part, truth, group in zip(self.parts, truths, groups.tolist(), strict=True):
            drawn = generator.multivariate_hypergeometric(truth, group, method="marginals")
            support = part._simulate(drawn, generator) if group else np.zeros(part.k, np.int64)
            out.append(np.append(group, support))
        return self._counts(np.concatenate(out).astype(np.int64), people)


def _variance(part: FrequencyOracle, weights: Floats) -> float:
    """Return the variance of a weighted sum from one report about it, at even shares."""
    even = np.full(part.k, 1 / part.k)
    sampled = float(weights**2 @ even) - float(weights @ even) ** 2
    return part.law.noise(weights, even) + sampled
