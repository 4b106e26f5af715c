"""``sample_size``: how many respondents a wanted error takes."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from sudare.alignment import align
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation.estimate import (
    Target,
    check_confidence,
    check_target,
    normal_quantile,
)
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.registry import OR_AUTO, lookup
from sudare.mechanisms.values import as_categories_count, as_shares

MOST_RESPONDENTS = 10**15
"""Wishes that take more respondents than this are refused."""


WIDEST = 0.5
"""Half the width of a 95 % interval from which on a share may be any: results then say nothing."""


@runtime_checkable
class Plannable(Protocol):
    """A mechanism whose mean squared error is known before anything is collected."""

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Return the mean over the cells of the expected squared error of a share."""


def sample_size(
    mechanism: Plannable | str = "auto",
    *,
    k: int | None = None,
    epsilon: float | Fraction | None = None,
    half_width: float | None = None,
    stderr: float | None = None,
    rmse: float | None = None,
    shares: float | npt.ArrayLike | None = None,
    confidence: float = 0.95,
    target: Target = "population",
) -> int:
    """Return the least number of respondents with which the wanted error is met.

    With ``V(x)`` the exact variance of an estimated share x from one respondent
    (:meth:`FrequencyOracle.variance`), z the normal quantile of ``confidence``, and the largest
    V over the ``shares`` given or over all x in [0, 1]::

        stderr      n = ceil(max V / stderr²)
        half_width  n = ceil(max V z² / half_width²)
        rmse        n = ceil(expected_mse(1) / rmse²)

    Args:
        mechanism: a mechanism; or the name of one, or ``"auto"`` (the best of :func:`plan`),
            with ``k`` and ``epsilon``.
        k: number of categories, where ``mechanism`` is a name.
        epsilon: ε of the answer, where ``mechanism`` is a name.
        half_width: half the width of the interval of a share, in (0, 1]: 0.01 is one point.
        stderr: standard error of a share, in (0, 1].
        rmse: root of the mean squared error over all cells, in (0, 1].
        shares: true shares to plan for: one share, or all k of them (``rmse`` needs all).
            Default: the worst case, which for ``rmse`` is uniform shares.
        confidence: of the interval that ``half_width`` is about.
        target: whose shares the error is about; ``"population"`` includes the sampling.

    Raises:
        DomainError: not exactly one wish; one outside (0, 1]; one that takes more than 10**15
            respondents; a mechanism without the formula that the wish needs.
        WrongTypeError, PrivacyError, CollectionError: k, ε, shares or the mechanism is wrong.

    Examples:
        >>> import sudare as sd
        >>> sample_size(k=43, epsilon=2.0, half_width=0.01)
        64559
        >>> sample_size(sd.GRR(k=2, epsilon=1.0), stderr=0.02, shares=0.5, target="respondents")
        2302
    """
    found = _mechanism(mechanism, k, epsilon)
    check_target(target)
    level = check_confidence(confidence)
    wishes = {"half_width": half_width, "stderr": stderr, "rmse": rmse}
    given = {name: wish for name, wish in wishes.items() if wish is not None}
    if len(given) != 1:
        raise DomainError(
            "half_width, stderr or rmse",
            "must be given, and one of them alone",
            "such as half_width=0.02",
            got=", ".join(sorted(given)) or None,
        )
    [(name, wish)] = given.items()
    wanted = _wish(wish, name)
    if name == "rmse":
        true = _all_shares(shares, found)
        return _least(lambda n: found.expected_mse(n, true, target), wanted, name)
    if not isinstance(found, FrequencyOracle):
        raise DomainError("mechanism", f"must be a frequency oracle for {name}", "ask for rmse")
    oracle, points = found, _points(shares, found, target)
    scale = normal_quantile(level) ** 2 if name == "half_width" else 1.0
    return _least(lambda n: scale * float(oracle.variance(points, n, target).max()), wanted, name)


@lru_cache(maxsize=1024)
def least_answers(mechanism: object, target: Target = "population") -> int:
    """Return from how many answers on results say something: half the width of a typical 95 %
    interval is at most :data:`WIDEST`; 1 for a mechanism whose expected error is not known.

    Args:
        mechanism: of a question, or what it is planned by.
        target: whose shares.

    Examples:
        >>> import sudare as sd
        >>> least_answers(sd.GRR(k=5, epsilon=2.0)), least_answers(sd.GRR(k=5, epsilon=0.2))
        (8, 1368)
    """
    if not isinstance(mechanism, Plannable):
        return 1
    try:
        return sample_size(mechanism, rmse=WIDEST / normal_quantile(0.95), target=target)
    except DomainError:  # no error is finite, of as many people as there may be
        return 1


def _least(variance: Callable[[int], float], stderr: float, wish: str) -> int:
    """Return the least n with ``variance(n) <= stderr²``, for a variance that falls with n.

    It is proportional to 1/n, or grows to that where a random part of the n reports.
    """
    limit = stderr * stderr
    least = variance(1) / limit if limit else math.inf
    if least > MOST_RESPONDENTS:
        raise DomainError(
            wish,
            f"must be one that {MOST_RESPONDENTS:.0e} respondents can meet",
            "raise it, or raise epsilon",
        )
    n = max(1, math.ceil(least))
    while n > 1 and variance(n - 1) <= limit:  # the quotient is rounded
        n -= 1
    below = n - 1
    while variance(n) > limit:
        below, n = n, 2 * n
    while n - below > 1:
        middle = (below + n) // 2
        below, n = (below, middle) if variance(middle) <= limit else (middle, n)
    return n


def _mechanism(mechanism: object, k: object, epsilon: object) -> Plannable:
    if not isinstance(mechanism, str):
        if not isinstance(mechanism, Plannable) or isinstance(mechanism, type):
            raise WrongTypeError(
                "mechanism", "must be a mechanism or the name of one", got=mechanism
            )
        if k is not None or epsilon is not None:
            raise DomainError("k, epsilon", "must be left out", "the mechanism has its own")
        return mechanism
    if k is None or epsilon is None:
        raise DomainError(
            "k, epsilon", "must both be given", "or give a mechanism, such as sd.GRR(43, 2.0)"
        )
    size = as_categories_count(k)
    if mechanism == "auto":
        return rank(size, epsilon, 1)[0][1]  # type: ignore[arg-type]
    return lookup(mechanism, FrequencyOracle, OR_AUTO)(size, epsilon)  # type: ignore[arg-type]


def _wish(wish: object, name: str) -> float:
    number = _number(wish)
    if number is None:
        raise WrongTypeError(name, "must be a number", "0.01 is one point", got=wish)
    if not 0 < number <= 1:
        raise DomainError(name, "must lie in (0, 1]", "0.01 is one point", got=wish)
    return number


def _one_share(shares: object) -> float | None:
    number = _number(shares)
    if number is not None and not 0 <= number <= 1:
        raise DomainError("shares", "must lie in [0, 1]", got=shares)
    return number


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _all_shares(shares: object, mechanism: Plannable) -> npt.NDArray[np.float64] | None:
    if shares is None:
        return None
    if _one_share(shares) is not None or not isinstance(mechanism, FrequencyOracle):
        raise DomainError("shares", "must be all k of them for rmse", "or leave them out")
    return as_shares(align(shares, (mechanism.labels,), "shares"), mechanism.k)


def _points(shares: object, mechanism: FrequencyOracle, target: Target) -> npt.NDArray[np.float64]:
    """Return the shares whose variance counts: those given, or the worst one.

    V is linear in x for the respondents and ``x (1 - x)`` more for the population, so that its
    largest value is at ``(1 + s) / 2`` for its slope s among the respondents.
    """
    one = _one_share(shares)
    if one is not None:
        return np.array([one])
    if shares is not None:
        return as_shares(align(shares, (mechanism.labels,), "shares"), mechanism.k)
    ends = np.array([0.0, 1.0])
    if target == "respondents":
        return ends
    other, own = mechanism.law.cells(ends).tolist()
    return np.array([min(1.0, max(0.0, (1 + own - other) / 2))])
