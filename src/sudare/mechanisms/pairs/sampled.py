"""``SampledTables``: each respondent reports a few attributes, drawn, as one category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, OutOfReachError, WrongTypeError
from sudare.estimation import Counts, Estimate
from sudare.estimation.consistent import Axes, ConsistentTables, subsets
from sudare.estimation.counts import margin
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.shares import ShareLaw
from sudare.estimation.support import SupportLaw
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.frequency import FrequencyOracle
from sudare.mechanisms.joint.rows import SIZES, WRONG_SIZES, Sizes, as_row, as_sizes, as_values
from sudare.mechanisms.marginal.validation import as_truths, mean_reciprocal
from sudare.mechanisms.pairs.tables import DrawnTables
from sudare.mechanisms.parameters import EPSILON, Parameter, choice
from sudare.mechanisms.picked import Picked
from sudare.mechanisms.registry import lookup, register

ORACLES = ("SubsetSelection", "GRR", "OUE")
MOST_ATTRIBUTES = 100
MOST_ORDER = 3
MOST_GROUPS = comb(MOST_ATTRIBUTES, 2)
"""Most tables of which one is drawn."""

_SIZES: Parameter = Parameter(
    name="sizes",
    read=lambda sizes, _: _as_sizes(sizes),
    write=SIZES.write,
    parse=SIZES.parse,
    show=SIZES.show,
    examples=((3, 2), (2, 2, 2), (2, 3, 4)),
    bad=(*WRONG_SIZES, ([3], DomainError), ([2] * (MOST_ATTRIBUTES + 1), DomainError)),
)
_ORDER: Parameter = Parameter(
    name="order",
    read=lambda order, m: _as_order(order, len(m.sizes)),
    examples=(1, 3, 2),
    bad=(
        *((order, DomainError) for order in (0, 3, 4)),
        *((order, WrongTypeError) for order in (1.5, "1", None, True)),
    ),
)
_ORACLE = choice("oracle", ORACLES)


def _as_sizes(sizes: object) -> Sizes:
    counts = as_sizes(sizes)
    if not 2 <= len(counts) <= MOST_ATTRIBUTES:
        raise DomainError("sizes", f"must name 2 to {MOST_ATTRIBUTES} attributes", got=len(counts))
    return counts


def _as_order(order: object, attributes: int) -> int:
    found = as_integer(order, "order", low=1, high=min(MOST_ORDER, attributes))
    if comb(attributes, found) > MOST_GROUPS:
        rule = f"must give at most {MOST_GROUPS:,} tables of so many attributes"
        raise DomainError("order", rule, "ask fewer attributes", got=found)
    return found


@register
class SampledTables(Picked):
    """Draw r of D attributes; report what is held of them as one category, with the whole ε.

    ::

        group g uniform among D! / (r! (D - r)!), told;   its cell of Π_{i in g} k_i by a frequency
        oracle

    The tables of all groups are made to agree in their margins by weighted least squares
    (:class:`~sudare.estimation.consistent.ConsistentTables`).

    Guarantee: :attr:`epsilon` of the whole submission, any two rows are neighbours: the group that
    is drawn does not depend on the answer. Reports: (n, bytes) uint8, the wire form: the number of
    the group, in the order of ``itertools.combinations``, then the oracle's report. Counts: of each
    group the number of its reports, then the support of its cells. Source: Zhang, Wang, Li, He,
    Chen 2018 (CALM, whose views are groups).

    Args:
        sizes: number of categories of each attribute, 2 to 100 attributes.
        epsilon: ε of the whole submission, 0.001 to 20.
        order: number of attributes of a group, 1 to 3, at most all; so that there are at most 4,950
            groups.
        oracle: ``"SubsetSelection"``, ``"GRR"`` or ``"OUE"``.

    Raises:
        WrongTypeError, DomainError: sizes, order or the oracle are none.
        OutOfReachError: a group has more cells than the oracle can take.
        WrongTypeError, PrivacyError: ε is out of range.

    Examples:
        >>> m = SampledTables([16, 5], epsilon=1.0, order=1)
        >>> m.groups
        ((0,), (1,))
        >>> import sudare as sd
        >>> sampled = sd.MarginalRR([16, 5], epsilon=1.0, strategy="sample")
        >>> round(float(sampled.expected_mse(10_000)[0] / m.expected_errors([(0,)], 10_000)[0]), 2)
        1.92
    """

    conformance: ClassVar[str] = "sudare.testing.pairs"
    name: ClassVar[str] = "SampledTables"
    covers: ClassVar[str] = "one submission: the answers to all attributes together"
    parameters: ClassVar[tuple[Parameter, ...]] = (_SIZES, EPSILON, _ORDER, _ORACLE)
    __slots__ = ("groups", "oracle", "order", "sizes")
    sizes: Sizes
    oracle: str
    order: int
    groups: tuple[Axes, ...]
    """Every set of so many attributes."""

    def __init__(
        self,
        sizes: Sequence[int],
        epsilon: float | Fraction,
        order: int,
        oracle: str = "SubsetSelection",
    ) -> None:
        self._take(sizes=sizes, epsilon=epsilon, order=order, oracle=oracle)

    def _build(self) -> None:
        groups = tuple(combinations(range(len(self.sizes)), self.order))
        kind = lookup(self.oracle, FrequencyOracle)
        cells = [prod(self._shape(group)) for group in groups]
        made = {k: kind(k, self.requested_epsilon) for k in set(cells)}
        set_fields(self, groups=groups)
        self._pick(tuple(made[k] for k in cells))

    def _shape(self, axes: Axes) -> Sizes:
        return tuple(self.sizes[axis] for axis in axes)

    @property
    def attribute_epsilons(self) -> tuple[float, ...]:
        """ε of rows that differ in one attribute alone: that of the whole submission."""
        return (self.epsilon,) * len(self.sizes)

    # -- the respondent's side ---------------------------------------------------------------

    def cells(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the cell of each group, (n, groups), of checked rows."""
        columns = rows.astype(np.int64).T
        out = [np.ravel_multi_index(columns[[*g]], self._shape(g)) for g in self.groups]
        return np.stack(out, axis=1).astype(np.int64)

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return self.cells(as_values(values, self.sizes))

    def _value(self, value: Any) -> list[int]:
        own: list[int] = self.cells(np.array([as_row(value, self.sizes)]))[0].tolist()
        return own

    # -- the analyst's side ------------------------------------------------------------------

    def consistent(self, counts: Counts, target: Target = "population") -> ConsistentTables:
        """Return the tables of all groups, made to agree; of those that nobody reported none."""
        whose = check_target(target)
        self.check_counts(counts)
        report = {part: part.law for part in set(self.parts)}
        laws = {
            group: ShareLaw(report[part], own[1:], int(own[0]), "population")
            for group, part, own in zip(
                self.groups, self.parts, self.split(counts.support), strict=True
            )
            if own[0]
        }
        return ConsistentTables(self.sizes, laws, self._precisions, counts.n, whose)

    @property
    def _precisions(self) -> dict[Axes, dict[Axes, float]]:
        """1 / variance of an effect from one report about a group, at even shares.

        Of a centred sum it is a multiple of the sum of the squared weights, where two numbers tell
        the law of the reports: of a cell of the effect S they add up to
        ``Π_{i ∈ S} (1 - 1/k_i) Π_{i ∈ g, i ∉ S} k_i``.
        """
        one = {part: _variance(part) for part in set(self.parts)}
        return {
            group: {
                some: prod(k / (1 - 1 / k) for k in self._shape(some)) / (part.k * one[part])
                for some in subsets(group)
            }
            for group, part in zip(self.groups, self.parts, strict=True)
        }

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> tuple[Estimate, ...]:
        """Estimate the table of every group.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: consistent, not clipped.
            target: whose shares the standard errors are about.

        Returns:
            An estimate for each of :attr:`groups`, all with the same margins, and with the
            ``epsilon`` and ``n`` of whole submissions.

        Raises:
            EstimationError: no reports (about one of the groups), or other counts.
            DomainError: unknown method or target.
        """
        self._asked(counts, method, target)
        tables = self.tables(counts, target)
        return tuple(tables.table(group) for group in self.groups)

    def margins(self, counts: Counts, target: Target = "population") -> tuple[Estimate, ...]:
        """Estimate each attribute alone, as in :meth:`estimate` from all groups that it is in.

        Raises:
            EstimationError, DomainError: as :meth:`estimate`.
        """
        tables = self.tables(counts, target)
        return tuple(tables.table((axis,)) for axis in range(len(self.sizes)))

    def tables(self, counts: Counts, target: Target = "population") -> DrawnTables:
        """Return what :meth:`estimate` and :meth:`margins` are made of, where all are not needed.

        Its tables, Cramér's V of two attributes, and a joint table by maximum entropy. Groups that
        nobody reported are refused only when they are asked for.

        Raises:
            EstimationError, DomainError: no reports, other counts, an unknown target.
        """
        asked = self._asked(counts, "unbiased", target)
        return DrawnTables(self.consistent(counts, asked.target), asked, self.groups)

    def reports(self, counts: Counts) -> tuple[int, ...]:
        """Return how many of the reports are about each of :attr:`groups`."""
        heads = np.cumsum([0, *(1 + part.k for part in self.parts[:-1])])
        return tuple(counts.support[heads].tolist())

    def expected_errors(
        self,
        tables: Sequence[Axes],
        n: int,
        target: Target = "population",
        shares: Floats | None = None,
    ) -> list[float]:
        """Return for each table the mean over its cells of the expected squared error.

        Effects of different attributes do not vary together, so that of a table T it is::

            E[1/N] Σ_{S ⊆ T} (Π_{i ∈ T, i ∉ S} 1/k_i²) / Σ_{g ⊇ S} precision of S from g

        for uniform true shares. Exact, over the random sizes N of the groups too, given that none
        is empty.

        Args:
            tables: groups, or some of their attributes, in ascending order.
            n: number of respondents.
            target: whose shares the error is about.
            shares: the true ones of all attributes, of the shape :attr:`sizes`; None stands for
                uniform ones.
        """
        people = as_integer(n, "n", low=1, high=2**62)
        check_target(target)
        if shares is not None:
            return self._errors_at(shares, tables, people, target)
        precision: dict[Axes, float] = {}
        for own in self._precisions.values():
            for some, one in own.items():
                precision[some] = precision.get(some, 0.0) + one
        each, errors = mean_reciprocal(people, len(self.groups)), []
        for axes in tables:
            size = prod(self._shape(axes))
            noise = sum(
                (prod(self._shape(some)) / size) ** 2 / precision[some] for some in subsets(axes)
            )
            known = (1 - 1 / size) / size / people if target == "respondents" else 0.0
            errors.append(noise * each - known)
        return errors

    def _errors_at(
        self, shares: Floats, tables: Sequence[Axes], n: int, target: Target
    ) -> list[float]:
        """Return the errors at these shares, cell by cell."""
        laws = {
            group: ShareLaw(part.law, np.zeros(part.k, dtype=np.int64), 1, "population")
            for group, part in zip(self.groups, self.parts, strict=True)
        }
        source = ConsistentTables(self.sizes, laws, self._precisions, n, "population")
        held = {group: (law.report, margin(shares, group).ravel()) for group, law in laws.items()}
        each, asked = mean_reciprocal(n, len(self.groups)), None if target == "population" else n
        errors = []
        for axes in tables:
            own = margin(shares, axes)
            cells = np.eye(own.size).reshape(-1, *own.shape)
            found = [
                _error(source.weights(axes, one), x, held, each, asked)
                for one, x in zip(cells, own.ravel().tolist(), strict=True)
            ]
            errors.append(sum(found) / len(found))
        return errors

    def expected_mse(self, n: int, shares: None = None, target: Target = "population") -> float:
        """Return the mean of :meth:`expected_errors` over the cells of all groups.

        Raises:
            DomainError: shares are given: only uniform ones are known.
        """
        if shares is not None:
            raise DomainError("shares", "must be left out", "uniform ones are assumed")
        errors = self.expected_errors(self.groups, n, target)
        return float(np.average(errors, weights=[part.k for part in self.parts]))

    def simulate(self, true_counts: Sequence[npt.ArrayLike], *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents with these true counts would produce.

        Each group's counts follow their exact law; how two vary together depends on the rows, and
        they are drawn independently of one another here.

        Args:
            true_counts: for each group whole numbers >= 0, its table; all with the same sum, below
                10**9.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

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


@register
class SampledPairs(SampledTables):
    """Draw two of D attributes: :class:`SampledTables` of order 2, under its own name.

    ::

        pair (i, j) uniform among D (D - 1) / 2, told;   its cell of k_i k_j by a frequency oracle

    Guarantee: :attr:`epsilon` of the whole submission, any two rows are neighbours: the pair that
    is drawn does not depend on the answer. Source: Zhang, Wang, Li, He, Chen 2018 (CALM, without
    views of more attributes); Yang et al. 2020 (HDG) draw pairs likewise.

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

    name: ClassVar[str] = "SampledPairs"
    parameters: ClassVar[tuple[Parameter, ...]] = (_SIZES, EPSILON, _ORACLE)
    __slots__ = ()

    def __init__(
        self, sizes: Sequence[int], epsilon: float | Fraction, oracle: str = "SubsetSelection"
    ) -> None:
        self._take(sizes=sizes, epsilon=epsilon, oracle=oracle)

    def _build(self) -> None:
        set_fields(self, order=2)
        super()._build()

    @property
    def pairs(self) -> tuple[Axes, ...]:
        """Every two attributes."""
        return self.groups


def by_oracle(
    sizes: Sequence[int], epsilon: float | Fraction, order: int, oracle: str
) -> SampledTables:
    """Return the sampled tables of an order by an oracle; of two under their own name."""
    if order == 2:
        return SampledPairs(sizes, epsilon, oracle)
    return SampledTables(sizes, epsilon, order, oracle)


def by_every_oracle(
    sizes: Sequence[int], epsilon: float | Fraction, order: int
) -> list[SampledTables]:
    """Return the sampled tables of an order, by each oracle that can; of two under their own name.

    Raises:
        OutOfReachError: no oracle can.
        WrongTypeError, DomainError, PrivacyError: as :class:`SampledTables`.
    """
    found: list[SampledTables] = []
    for oracle in ORACLES:
        try:
            found.append(by_oracle(sizes, epsilon, order, oracle))
        except OutOfReachError:
            if not found and oracle == ORACLES[-1]:
                raise
    return found


def _variance(part: FrequencyOracle) -> float:
    """Return the variance of a weighted sum of one report's shares whose weights add up to 0,
    divided by the sum of their squares; at even shares."""
    weights: Floats = np.zeros(part.k)
    weights[:2] = 1, -1
    return part.law.noise(weights, np.full(part.k, 1 / part.k)) / 2 + 1 / part.k


def _error(
    weights: Mapping[Axes, Floats],
    x: float,
    held: Mapping[Axes, tuple[SupportLaw, Floats]],
    each: float,
    respondents: int | None,
) -> float:
    """Return the expected squared error of a cell of share x, from each group's weights::

        E[1 / N] Σ_g (noise_g + V_g)                                          (population)
        E[1 / N] Σ_g noise_g + (n E[1 / N] Σ_g V_g - x (1 - x)) / (n - 1)     (n respondents)

    with V_g the variance of the weight of one respondent; the weights of all groups add up to 1 in
    the cell and 0 elsewhere, but for a constant.
    """
    noise = spread = 0.0
    for group, table in weights.items():
        (law, shares), own = held[group], table.ravel()
        noise += law.noise(own, shares)
        spread += float(own**2 @ shares) - float(own @ shares) ** 2
    if respondents is None:
        return each * (noise + spread)
    known = respondents * each * spread - x * (1 - x)
    return each * noise + known / max(respondents - 1, 1)
