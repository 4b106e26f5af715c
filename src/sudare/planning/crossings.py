"""``crossing``: the ε at which two mechanisms change places."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sudare.errors import OutOfReachError, WrongTypeError
from sudare.exact.parameters import EPSILON_MAX, EPSILON_MIN
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.registry import lookup
from sudare.mechanisms.values import as_categories_count

Errors = Callable[[float], tuple[float, float]]

_GRID = 160
_RESOLUTION = 1e-7


def crossing(
    a: str | type[FrequencyOracle],
    b: str | type[FrequencyOracle],
    *,
    k: int,
    rare: bool = False,
) -> float | None:
    """Return the ε at which two mechanisms for one of ``k`` categories change places.

    Up to there one has the smaller expected error, beyond it the other. Compared are the exact
    mean squared errors over the k cells. The true shares drop out, and so does the sampling,
    which is the same for both: the crossing is that of every histogram, every n and both
    targets. With ``rare`` the errors of a single rare category are compared::

        V(0) = q (1 - q) / (n (p - q)²)          (a share f -> 0: the f-terms are left out)

    For GRR and OUE: ``e^ε = sqrt((2k-1)(k-1)) - k``, and ``e^ε = (k-2) / 3`` with ``rare``.

    The errors are those of the realised integers. They move in steps, because the realised ε
    lies up to 1e-6 below the one asked for; the crossing is found by bisection and right to
    about 1e-6.

    Args:
        a: a frequency oracle, or its name; both must be registered.
        b: another one.
        k: number of categories.
        rare: compare the errors of a rare category instead of the mean over the cells.

    Returns:
        ε in [0.001, 20], the least one where there are several; None where neither overtakes the
        other in that range (GRR is better than OUE at every ε for k <= 5).

    Raises:
        CollectionError: no such mechanism.
        WrongTypeError, DomainError: k or ``rare`` is wrong.

    Source: Wang et al. 2017, section 4.4 (``rare``).

    Examples:
        >>> round(crossing("GRR", "OUE", k=43), 3)
        2.818
        >>> round(crossing("GRR", "OUE", k=43, rare=True), 3)
        2.615
        >>> crossing("GRR", "OUE", k=5) is None
        True
    """
    first, second = _class(a), _class(b)
    size = as_categories_count(k)
    if not isinstance(rare, bool):
        raise WrongTypeError("rare", "must be True or False", got=rare)

    def errors(epsilon: float) -> tuple[float, float]:
        return _error(first, size, epsilon, rare), _error(second, size, epsilon, rare)

    before: float | None = None
    order = 0
    for epsilon in grid():
        now = _order(*errors(epsilon), epsilon)
        if now == 0:
            continue
        if before is not None and now != order:
            return _bisect(errors, before, epsilon)
        before, order = epsilon, now
    return None


def grid(
    low: float = float(EPSILON_MIN), high: float = float(EPSILON_MAX), points: int = _GRID
) -> list[float]:
    """Return ε from ``low`` to ``high`` in equal ratios."""
    steps = np.geomspace(low, high, points).tolist()
    return [low, *steps[1:-1], high]


def _order(first: float, second: float, epsilon: float) -> int:
    """Return -1 or 1 where the first error is smaller or larger, 0 where they cannot be told apart.

    An error changes by at most ``2 / ε + 1`` of itself per unit of ε, and the two realised ε
    differ by up to 1e-6: closer errors say nothing of the mechanisms.
    """
    if not (math.isfinite(first) and math.isfinite(second)):
        return 0
    if abs(first - second) <= float(TOLERANCE) * (2 / epsilon + 1) * max(first, second):
        return 0
    return -1 if first < second else 1


def _bisect(errors: Errors, low: float, high: float) -> float:
    """Return where between ``low`` and ``high`` their order at ``high`` begins."""
    first, second = errors(high)
    while high - low > _RESOLUTION:
        middle = (low + high) / 2
        one, other = errors(middle)
        if (one < other) is (first < second):
            high = middle
        else:
            low = middle
    return (low + high) / 2


def _error(cls: type[FrequencyOracle], k: int, epsilon: float, rare: bool) -> float:
    try:
        mechanism = cls(k, epsilon)
    except OutOfReachError:
        return math.nan
    if rare:
        return float(mechanism.variance(np.zeros(1), 1, "respondents")[0])
    return mechanism.expected_mse(1, target="respondents")


def _class(mechanism: object) -> type[FrequencyOracle]:
    name = getattr(mechanism, "name", None) if isinstance(mechanism, type) else mechanism
    return lookup(name, FrequencyOracle)
