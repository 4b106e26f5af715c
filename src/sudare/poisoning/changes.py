"""Whether the reports of one part of a collection's time differ from those of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.errors import EstimationError
from sudare.estimation import Counts
from sudare.poisoning.false_alarms import FOUR_SIGMA
from sudare.poisoning.feasible import tail_bound
from sudare.poisoning.validation import as_beta


def changes(
    earlier: Counts, counts: Counts, *, false_alarm: float = FOUR_SIGMA
) -> dict[str, Any] | None:
    """Compare an earlier tally with what came after it, cell by cell, as JSON data.

    Where the order of the reports tells nothing of them, x of a cell's X supports are among the
    first m of n reports as in a draw without replacement, whatever the answers are::

        P(at least x | X) <= min(exp(-m KL(x/m || X/n)), exp(-(n-m) KL((X-x)/(n-m) || X/n)))

    and likewise for at most x. A cell is named where that is at most false_alarm / (2 cells).
    Fakes that come together are seen so, of GRR too; but who answers may change with time as well.

    Args:
        earlier: of the first m reports.
        counts: of all n.
        false_alarm: with how much chance anything is named though the order tells nothing.

    Returns:
        ``since``, which is m; ``more`` and ``fewer``, the cells, flat, with more or fewer supports
        among the later reports; ``false_alarm``. None where there is nothing on one of the sides.

    Raises:
        EstimationError: the earlier reports are not part of all.
        DomainError: not such a chance.

    Source: Hoeffding 1963, theorems 1 and 4.

    Examples:
        >>> import sudare as sd
        >>> first, burst = sd.Counts([500, 500], 1000), sd.Counts([700, 300], 1000)
        >>> found = sd.poisoning.changes(first, first + burst)
        >>> found["since"], found["more"], found["fewer"]
        (1000, [0], [1])
    """
    level = as_beta(false_alarm, "false_alarm")
    first, every = (np.asarray(one.support, dtype=np.float64).ravel() for one in (earlier, counts))
    later, rest = every - first, counts.n - earlier.n
    if earlier.support.shape != counts.support.shape or rest < 0 or later.min() < 0:
        raise EstimationError("earlier", "must be of some of the reports of counts")
    if earlier.n == 0 or rest == 0:
        return None
    rate = every / counts.n
    more, fewer = (
        np.minimum(
            tail_bound(first, earlier.n, rate, above=not grown),
            tail_bound(later, rest, rate, above=grown),
        )
        <= level / (2 * every.size)
        for grown in (True, False)
    )
    return {
        "since": earlier.n,
        "more": np.flatnonzero(more).tolist(),
        "fewer": np.flatnonzero(fewer).tolist(),
        "false_alarm": level,
    }
