"""Before anything is spent: from ε to the bound of the noise, and from a bound to ε."""

from __future__ import annotations

from typing import Any

from sudare.errors import DomainError, as_one_of
from sudare.estimation.confidence import check_confidence
from sudare.exact import as_integer
from sudare.ledger import Cost
from sudare.release.grid import Scale, exact
from sudare.release.held import Held
from sudare.release.protection import RELATIONS, NeighbourRelation
from sudare.release.queries import KINDS

_HALVINGS = 60


def bound_of(
    query: str,
    *,
    epsilon: Any = None,
    rho: Any = None,
    confidence: float = 0.95,
    n: int | None = None,
    bounds: Any = None,
    step: Any = 1,
    neighbours: str = "replace-one",
    rows: int = 1,
) -> float:
    """Return how far the noise of an answer would reach; nothing is spent.

    Args:
        query: ``"count"``, ``"missing"``, ``"histogram"``, ``"sum"``, or ``"mean"`` (of a public
            number of rows).
        epsilon, rho: one of the two.
        confidence: of the bound.
        n: number of rows, for a mean.
        bounds, step: of the column, for sums and means.
        neighbours: the relation.
        rows: the most rows of a person.

    Raises:
        WrongTypeError, DomainError, PrivacyError: no such query or numbers.

    Examples:
        >>> round(bound_of("mean", epsilon=0.1, n=100_000, bounds=(0, 100)), 5)
        0.02996
    """
    miss = 1 - check_confidence(confidence)
    held = _planned(n, bounds, step, neighbours, rows)
    kind = KINDS[as_one_of(query, "query", sorted(KINDS))]
    asked: Any = kind
    planned = asked(**dict.fromkeys(kind.fields(), "x"))
    noise, worth = planned.noise(held, Cost.of(epsilon=epsilon, rho=rho))
    return float(noise.reach(miss) * worth)


def epsilon_for(query: str, bound: Any, *, confidence: float = 0.95, **options: Any) -> float:
    """Return the least ε found whose noise stays within a bound; nothing is spent.

    Args:
        query, options: as of :func:`bound_of`.
        bound: how far the noise may reach.
        confidence: of the bound.

    Raises:
        WrongTypeError, DomainError, PrivacyError: no such query or numbers, or a bound that cannot
            be kept.

    Examples:
        >>> round(epsilon_for("mean", 0.03, n=100_000, bounds=(0, 100)), 3)
        0.1
    """
    check_confidence(confidence)
    wanted = float(exact(bound, "bound"))
    low, high = 1e-6, 1e3
    if not wanted > 0 or bound_of(query, epsilon=high, confidence=confidence, **options) > wanted:
        raise DomainError("bound", "cannot be kept: it is below a step of the grid", "widen it")
    for _ in range(_HALVINGS):
        middle = (low * high) ** 0.5
        if bound_of(query, epsilon=middle, confidence=confidence, **options) <= wanted:
            high = middle
        else:
            low = middle
    return high


def _planned(n: Any, bounds: Any, step: Any, neighbours: Any, rows: Any) -> Held:
    """Return what is said of the data set that is planned."""
    as_one_of(neighbours, "neighbours", RELATIONS)
    most = as_integer(rows, "rows", low=1, high=1 << 20)
    protection = NeighbourRelation(neighbours, most, None if most == 1 else "unit")
    scale = None if bounds is None else Scale.of(bounds, step, None, "bounds")
    size = 0 if n is None else as_integer(n, "n", low=1, high=1 << 60)
    return Held.planned(scale, protection, size)
