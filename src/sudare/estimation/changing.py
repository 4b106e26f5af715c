"""How shares changed from one round to another of the same people."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sudare.arrays import Floats
from sudare.errors import EstimationError, WrongTypeError
from sudare.estimation.estimate import Estimate, check_alike
from sudare.estimation.quantity import Quantity
from sudare.exact import as_integer

BOUND = (
    "people who stayed may have changed in any way: the covariance is taken as the least that "
    "these shares allow, so that no interval is too short"
)
APART = "no person is in both rounds: the covariance is 0"


@dataclass(frozen=True, eq=False)
class Change(Quantity[Floats]):
    """A change of shares between two rounds.

    Attributes:
        value: (k,) changes, later less earlier.
        stderr: (k,) standard errors, at most; see ``bound``.
        both: how many people may be in both rounds.
        bound: the sentence that says what was taken for the unknown covariance.
    """

    both: int = field(default=0, kw_only=True)
    bound: str = field(default=BOUND, kw_only=True)


def change(before: Estimate, after: Estimate, *, both: int | None = None) -> Change:
    """Return how each share changed, with intervals that hold however people changed.

    Reports do not say who changed, so that the covariance of the two estimates is not known. It is
    never below that of the answers, and this one not below what the shares allow::

        Var(x' - x) <= Var x + Var x' + 2 m / (n n') (x x' - max(0, x + x' - 1))     (population)
        Var(x' - x) <= Var x + Var x'                                               (respondents)

    with m people in both rounds. Permanent answers make the covariance larger, and with it the
    error smaller, by an amount that nobody can know without knowing who changed. For the
    respondents the same people are asked in both rounds.

    Args:
        before, after: unbiased estimates of two rounds, of one domain and target.
        both: how many people at most are in both; default as many as the smaller round has.

    Raises:
        WrongTypeError: not estimates.
        EstimationError: the estimates do not fit, such as other labels, or are not unbiased.

    Source: ``docs/proofs/repeated.md``, item 6.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LGRR(k=2, epsilon=1.0)
        >>> first = m.estimate(sd.Counts((600, 400), 1000))
        >>> second = m.estimate(sd.Counts((500, 500), 1000))
        >>> moved = sd.change(first, second)
        >>> moved.value.round(3).tolist(), moved.stderr.round(4).tolist()
        ([-0.216, 0.216], [0.0508, 0.0508])
        >>> low, high = moved.interval(0.95)
    """
    if not (isinstance(before, Estimate) and isinstance(after, Estimate)):
        raise WrongTypeError("before and after", "must be estimates", "estimate both rounds")
    check_alike(before, after)
    if before.method != "unbiased":
        raise EstimationError("method", "must be unbiased", 'estimate with method="unbiased"')
    most = min(before.n, after.n)
    stayed = most if both is None else as_integer(both, "both", low=0, high=most)
    variance = before.stderr**2 + after.stderr**2
    if before.target == "population":
        x, y = (np.clip(one.shares, 0, 1) for one in (before, after))
        least = np.maximum(0, x + y - 1) - x * y
        variance = variance - 2 * stayed * least / (before.n * after.n)
    return Change(
        after.shares - before.shares,
        np.sqrt(variance),
        both=stayed,
        bound=BOUND if stayed else APART,
    )
