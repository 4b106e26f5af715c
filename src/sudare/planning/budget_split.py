"""Ways to split one ε over several attributes, and the mechanisms of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import comb, prod
from typing import TypeAlias

from sudare.mechanisms import (
    FrequencyOracle,
    JointRR,
    MarginalRR,
    Mechanism,
    SampledPairs,
    SampledTables,
)
from sudare.mechanisms.pairs.sampled import MOST_ATTRIBUTES, MOST_GROUPS, ORACLES, by_oracle

MOST_CELLS = 1 << 20
"""Most cells of a table that is reported as one category."""

BUDGETS = ("joint", "split", "sample", "flat", "pairs", "triples")
"""The ways of spending that are compared."""

TableMechanism: TypeAlias = JointRR | MarginalRR | FrequencyOracle | SampledTables

DRAWN = {"sample": 1, "pairs": 2, "triples": 3}
"""Attributes of the groups of which one is drawn."""


@dataclass(frozen=True, slots=True)
class BudgetSplit:
    """A mechanism that collects several attributes, or one, not yet made.

    Attributes:
        kind: its class.
        variant: the name of what it is made of, where there are several.
        make: makes it; PrivacyError or OutOfReachError where it cannot be.
    """

    kind: type[Mechanism]
    variant: str
    make: Callable[[], TableMechanism]

    @property
    def label(self) -> str:
        """The mechanism's name and what it is made of."""
        return f"{self.kind.name} {self.variant}".strip()


def ways(
    budget: str,
    sizes: tuple[int, ...],
    epsilon: Fraction,
    oracles: Iterable[type[FrequencyOracle]],
) -> Iterator[BudgetSplit]:
    """Yield the mechanisms of a way of spending.

    Args:
        budget: one of :data:`BUDGETS`.
        sizes: number of categories of each attribute.
        epsilon: ε of a whole submission.
        oracles: those that may report all attributes as one category.
    """
    if budget == "joint":
        each = [epsilon / len(sizes)] * len(sizes)
        yield BudgetSplit(JointRR, "", partial(JointRR, sizes, epsilon=each))
    elif budget == "flat":
        for kind in oracles:
            yield BudgetSplit(kind, "", partial(kind, prod(sizes), epsilon))
    elif budget == "split":
        yield BudgetSplit(MarginalRR, budget, partial(MarginalRR, sizes, epsilon, "split"))
    else:
        if budget == "sample":
            yield BudgetSplit(MarginalRR, budget, partial(MarginalRR, sizes, epsilon, "sample"))
        if 2 <= len(sizes) <= MOST_ATTRIBUTES:
            order = DRAWN[budget]
            for name in ORACLES:
                make = partial(by_oracle, sizes, epsilon, order, name)
                if order == 2:
                    yield BudgetSplit(SampledPairs, name, make)
                else:
                    yield BudgetSplit(SampledTables, f"{order} {name}", make)


def of_several() -> tuple[type[Mechanism], ...]:
    """Return the classes of all ways but the flat one, which takes any frequency oracle.

    Examples:
        >>> [kind.name for kind in of_several()]
        ['JointRR', 'MarginalRR', 'SampledTables', 'SampledPairs']
    """
    found = (ways(budget, (2,) * 4, Fraction(1), ()) for budget in BUDGETS)
    return tuple(dict.fromkeys(way.kind for each in found for way in each))


def unfit(budget: str, sizes: tuple[int, ...], order: int) -> str:
    """Return why a way of spending is no option for tables of so many attributes, if it is none."""
    if budget in ("split", "sample") and order > 1:
        return "gives no table of two attributes"
    if budget == "flat" and prod(sizes) > MOST_CELLS:
        return f"has more than {MOST_CELLS:,} cells"
    return _undrawn(DRAWN[budget], sizes, order) if budget in ("pairs", "triples") else ""


def _undrawn(drawn: int, sizes: tuple[int, ...], order: int) -> str:
    """Return why groups of so many attributes are none that can be drawn, if so."""
    if order > drawn == 2:
        return "tells of three attributes only the most even table, by maximum entropy: not ranked"
    if order > drawn:
        return "gives no table of four attributes"
    most = max(d for d in range(MOST_ATTRIBUTES + 1) if comb(d, drawn) <= MOST_GROUPS)
    if not drawn < len(sizes) <= most:
        return f"is for {drawn + 1} to {most} attributes"
    return (
        f"has more than {MOST_CELLS:,} cells" if prod(sorted(sizes)[-drawn:]) > MOST_CELLS else ""
    )


def too_little(sizes: tuple[int, ...]) -> str:
    """Return why a way of spending is no option whose ε cannot be split."""
    return f"leaves less than ε = 0.001 for each of {len(sizes)} attributes"
