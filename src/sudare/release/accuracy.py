"""Before anything is spent: from ε to the bound of the noise, and from a bound to ε."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from sudare.errors import DomainError, PrivacyError, WrongTypeError, as_one_of
from sudare.estimation.confidence import check_confidence
from sudare.exact import as_integer
from sudare.ledger import Cost
from sudare.release.grid import Scale, exact
from sudare.release.numbers import Policy
from sudare.release.private_data import MOST_GROUPS, PrivateData
from sudare.release.protection import RELATIONS, NeighbourRelation
from sudare.release.queries import KINDS, Query
from sudare.release.queries.gram import MOST_COLUMNS

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
    missing: str = "refuse",
    share: Any = None,
    delta: Any = None,
    k: int | None = None,
    limit: Any = None,
    categories: int | None = None,
    columns: int = 2,
    where: bool = False,
) -> float:
    """Return how far the noise of an answer would reach; nothing is spent.

    In the unit of the answer; of quantiles and extremes in ranks, of a mode in rows. Where the data
    decide (means of a private number of rows, variances) it is the widest that they can make it; of
    correlations and regressions, which have no such one, that of independent columns, even between
    the bounds (of regressions without the intercept).

    Args:
        query: a kind: ``"mean"``, ``"median"``, ``"group_mean"``, ...
        epsilon, rho: one of the two.
        confidence: of the bound.
        n: number of rows, for means and variances; of groups, that of the group.
        bounds, step: of the column, for all but counts and modes.
        neighbours: the relation.
        rows: the most rows of a person.
        missing: ``"drop"`` where rows without a number are left out.
        share: of a quantile.
        delta: of groups that nobody listed.
        k: of the most frequent categories.
        limit: of a person's own sum.
        categories: how many, for a mode or top; how many groups or bins, by default two: more are
            alike.
        columns: how many, for covariances and regressions.
        where: True for a question about the rows that match a condition: n is their number.

    Raises:
        WrongTypeError, DomainError, PrivacyError: no such query or numbers.

    Examples:
        >>> round(bound_of("mean", epsilon=0.1, n=100_000, bounds=(0, 100)), 5)
        0.02996
        >>> round(bound_of("median", epsilon=0.1, bounds=(0, 100)), 1)
        153.2
    """
    miss = 1 - check_confidence(confidence)
    kind = KINDS[as_one_of(query, "query", sorted(KINDS))]
    held = _planned(n, bounds, step, neighbours, rows, missing, columns)
    held = held.of_private_size() if where else held
    said = {
        "share": share,
        "delta": delta,
        "k": k,
        "limit": limit,
        "others": list(held.columns)[1:],
    }
    asked = _asked(kind, said, categories)
    return asked.planned(held, Cost.of(epsilon=epsilon, rho=rho), miss)


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

    def wide(epsilon: float) -> float:
        return bound_of(query, epsilon=epsilon, confidence=confidence, **options)

    if not wanted > 0 or wide(high) > wanted:
        raise DomainError("bound", "cannot be kept: it is below a step of the grid", "widen it")
    for _ in range(_HALVINGS):
        middle = (low * high) ** 0.5
        try:
            kept = wide(middle) <= wanted
        except PrivacyError:  # more noise than can be drawn
            kept = False
        low, high = (low, middle) if kept else (middle, high)
    return high


def _asked(kind: type[Query], said: dict[str, Any], categories: Any) -> Query:
    """Return a query of a kind about what is planned."""
    if kind.tag() in ("mode", "top") and categories is None:
        raise WrongTypeError("categories", f"must be given for a {kind.kind}", "how many there are")
    several = 2 if categories is None else categories
    given: dict[str, Any] = {name: "x" for name in kind.fields() if kind.needs(name)}
    given |= {name: one for name, one in said.items() if name in given}
    for name in ("categories", "keys"):
        if name in given:
            given[name] = range(as_integer(several, "categories", low=1, high=MOST_GROUPS))
    if "edges" in given:
        bins = as_integer(several, "categories", low=1, high=MOST_GROUPS - 1)
        given["edges"] = range(bins + 1)
    return kind(**given)


def _planned(
    n: Any, bounds: Any, step: Any, neighbours: Any, rows: Any, missing: Any, columns: Any
) -> PrivateData:
    """Return what is said of the data set that is planned."""
    as_one_of(neighbours, "neighbours", RELATIONS)
    most = as_integer(rows, "rows", low=1, high=1 << 20)
    protection = NeighbourRelation(neighbours, most, None if most == 1 else "unit")
    scale = None if bounds is None else Scale.of(bounds, step, None, "bounds")
    size = 0 if n is None else as_integer(n, "n", low=1, high=1 << 60)
    several = as_integer(columns, "columns", low=2, high=MOST_COLUMNS)
    held = PrivateData.planned(scale, protection, size, several)
    if as_one_of(missing, "missing", get_args(Policy)) == "refuse":
        return held
    dropped = {name: replace(one, size_is_public=False) for name, one in held.bounded.items()}
    return replace(held, bounded=dropped)
