"""``plan_tables``: one budget for several attributes, and which tables are wanted of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import combinations
from typing import Any

from sudare import frames
from sudare.errors import DomainError, OutOfReachError, PrivacyError, WrongTypeError
from sudare.estimation.counts import check_axes
from sudare.estimation.estimate import Target, check_target, normal_quantile
from sudare.exact import as_epsilon, as_integer
from sudare.exact.parameters import is_list
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.joint.rows import as_sizes
from sudare.mechanisms.ordering import rounded_error
from sudare.mechanisms.registry import lookup, names
from sudare.mechanisms.table_errors import table_errors
from sudare.planning.budget_split import BUDGETS, TableMechanism, too_little, unfit, ways

MOST_TABLES = 100_000


@dataclass(frozen=True, slots=True)
class TableOption:
    """One way to spend the budget.

    Attributes:
        mechanism: ready to use.
        budget: one of :data:`~sudare.planning.budget_split.BUDGETS`.
        errors: for each wanted table the mean over its cells of the expected squared error.
        expected_mse: the same over the cells of all wanted tables.
        half_width: half the width of a typical 95 % interval, ``1.96 sqrt(expected_mse)``.
    """

    mechanism: TableMechanism
    budget: str
    errors: tuple[float, ...]
    expected_mse: float
    half_width: float

    @property
    def attribute_epsilon(self) -> float:
        """The most that one attribute alone spends, realised."""
        return _attribute_epsilon(self.mechanism)

    def to_json(self) -> dict[str, Any]:
        """Return the option as JSON data."""
        return {
            "budget": self.budget,
            "mechanism": self.mechanism.name,
            "expected_mse": self.expected_mse,
            "half_width_95": self.half_width,
            "report_bytes": self.mechanism.report_bytes,
            "epsilon": self.mechanism.epsilon,
            "attribute_epsilon": self.attribute_epsilon,
        }


@singledispatch
def _attribute_epsilon(mechanism: Any) -> float:
    return float(max(mechanism.attribute_epsilons))


@_attribute_epsilon.register
def _(mechanism: FrequencyOracle) -> float:
    """All attributes are one category: each may spend the whole."""
    return mechanism.epsilon


@dataclass(frozen=True)
class TablePlan:
    """Ranked ways to spend one budget; the first is the best. A sequence of :class:`TableOption`.

    Attributes:
        tables: the wanted ones, each by its attributes.
        left_out: why a way of spending is not among the options, by its name.
    """

    sizes: tuple[int, ...]
    n: int
    epsilon: Fraction
    target: Target
    tables: tuple[tuple[int, ...], ...]
    options: tuple[TableOption, ...]
    left_out: dict[str, str]

    def __iter__(self) -> Iterator[TableOption]:
        return iter(self.options)

    def __len__(self) -> int:
        return len(self.options)

    def __getitem__(self, index: int) -> TableOption:
        return self.options[index]

    @property
    def best(self) -> TableMechanism:
        """The mechanism with the least expected error."""
        return self.options[0].mechanism

    def __repr__(self) -> str:
        head = (
            f"TablePlan(sizes={list(self.sizes)}, n={self.n}, epsilon={float(self.epsilon)}, "
            f"{tables_text(len(self.tables))}, {self.target})"
        )
        rows = [
            f"  {o.budget:<7} {o.mechanism.name:<15} expected MSE {o.expected_mse:.4g}  "
            f"95 % ± {o.half_width:.3g}  ε {o.mechanism.epsilon:.4g}, "
            f"an attribute alone {o.attribute_epsilon:.4g}"
            for o in self.options
        ]
        return "\n".join([head, *rows, *(f"  {k:<7} {v}" for k, v in self.left_out.items())])

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON data."""
        return {
            "sizes": list(self.sizes),
            "n": self.n,
            "epsilon": float(self.epsilon),
            "target": self.target,
            "tables": len(self.tables),
            "options": [option.to_json() for option in self.options],
            "left_out": self.left_out,
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row an option."""
        rows = [option.to_json() for option in self.options]
        return frames.build({name: [row[name] for row in rows] for name in rows[0]}, library)


def plan_tables(
    sizes: Sequence[int],
    n: int,
    epsilon: float | Fraction,
    order: int = 1,
    tables: Sequence[Sequence[int]] | None = None,
    target: Target = "population",
) -> TablePlan:
    """Rank the ways to spend one ε on several attributes, by the error of the wanted tables.

    ``joint``: :class:`~sudare.JointRR` with ε / D for each attribute, any table from the same
    reports. ``split``: the same reports, tallied for each attribute alone. ``sample``: each
    respondent answers one drawn attribute with the whole ε, by the oracle that errs least
    (:class:`~sudare.MarginalRR`, :class:`~sudare.SampledTables` of order 1). These two give no
    table of two attributes. ``flat``: the whole
    answer is one category of as many as there are cells, by the frequency oracle that errs least
    for the wanted tables; tables are sums of cells (:func:`~sudare.estimation.table.as_table`).
    ``pairs``: each respondent answers one drawn pair of attributes, so, with the whole ε
    (:class:`~sudare.SampledPairs`); for tables of one or two out of three or more. Of larger ones
    pairs tell the most even table alone, by maximum entropy, which has no exact error: they are not
    ranked for these. ``triples``: likewise one drawn triple (:class:`~sudare.SampledTables` of
    order 3); for tables of up to three out of four or more.

    The errors are exact; for the population uniform true shares are assumed. ``"fake"`` is no
    candidate: it is never better than ``sample``.

    Args:
        sizes: number of categories of each attribute.
        n: number of respondents.
        epsilon: ε of a whole submission.
        order: all tables of so many attributes are wanted; 1 for the marginals.
        tables: instead of ``order``, the wanted tables by their attributes.
        target: whose shares the error is about.

    Raises:
        WrongTypeError, DomainError, PrivacyError: an argument is out of range, more than 10**5
            tables, or no way of spending is left.

    Examples:
        >>> plan_tables([16, 5], n=45_222, epsilon=2.0).best
        SampledTables([16, 5], epsilon=2.0, order=1, oracle='SubsetSelection')
        >>> plan_tables([16, 5], n=45_222, epsilon=2.0, order=2).best
        SubsetSelection(k=80, epsilon=2.0)
    """
    counts, people = as_sizes(sizes), as_integer(n, "n", low=1, high=2**62)
    exact, whom = as_epsilon(epsilon), check_target(target)
    wanted = wanted_tables(len(counts), order, tables)
    cells = [math.prod(counts[i] for i in axes) for axes in wanted]
    whole = sum(cells)
    left_out: dict[str, str] = {}
    options = []
    for budget in BUDGETS:
        if reason := unfit(budget, counts, max(len(axes) for axes in wanted)):
            left_out[budget] = reason
            continue
        try:
            mechanism, errors = _option(budget, counts, exact, wanted, people, whom)
        except PrivacyError:
            left_out[budget] = too_little(counts)
            continue
        mean = sum(error * (one / whole) for error, one in zip(errors, cells, strict=True))
        if not math.isfinite(mean):
            left_out[budget] = "has an expected error beyond all numbers"
            continue
        half = normal_quantile(0.95) * math.sqrt(mean)
        options.append(TableOption(mechanism, budget, tuple(errors), mean, half))
    if not options:
        raise PrivacyError(
            "epsilon", "is too small for these tables", "ask for fewer attributes", got=float(exact)
        )
    options.sort(
        key=lambda option: float(f"{option.expected_mse:.12g}")
    )  # equal ones stay in order
    return TablePlan(counts, people, exact, whom, wanted, tuple(options), left_out)


def tables_text(count: int) -> str:
    """Return ``"1 table"``, ``"2 tables"``."""
    return "1 table" if count == 1 else f"{count:,} tables"


def _option(
    budget: str,
    sizes: tuple[int, ...],
    epsilon: Fraction,
    wanted: tuple[tuple[int, ...], ...],
    n: int,
    target: Target,
) -> tuple[TableMechanism, list[float]]:
    """Return the mechanism of a way of spending, and its error of each wanted table."""
    oracles = [lookup(name, FrequencyOracle) for name in names(FrequencyOracle)]
    candidates: list[TableMechanism] = []
    for way in ways(budget, sizes, epsilon, oracles):
        with suppress(OutOfReachError):
            candidates.append(way.make())
    cells = [math.prod(sizes[i] for i in axes) for axes in wanted]
    whole = sum(cells)
    found = [(one, table_errors(one, sizes, wanted, n, target)) for one in candidates]

    def cost(option: tuple[TableMechanism, list[float]]) -> tuple[float, int]:
        mechanism, errors = option
        mean = sum(error * (size / whole) for error, size in zip(errors, cells, strict=True))
        return rounded_error(mean), mechanism.report_bytes

    return min(found, key=cost)


def wanted_tables(attributes: int, order: object, tables: object) -> tuple[tuple[int, ...], ...]:
    """Return the attributes of each wanted table: those named, or all of so many attributes."""
    if tables is None:
        depth = as_integer(order, "order", low=1, high=attributes)
        if math.comb(attributes, depth) > MOST_TABLES:
            raise DomainError("order", f"must give at most {MOST_TABLES} tables", got=depth)
        return tuple(combinations(range(attributes), depth))
    if not is_list(tables):
        raise WrongTypeError("tables", "must list tables by their attributes", "such as [[0, 1]]")
    if not 1 <= len(tables) <= MOST_TABLES:
        raise DomainError("tables", f"must be 1 to {MOST_TABLES}", got=len(tables))
    return tuple(check_axes(axes, attributes) for axes in tables)
