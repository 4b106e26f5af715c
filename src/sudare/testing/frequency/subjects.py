"""Which mechanisms are looked at: a small sibling that can be written out, and the one given."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core import resized
from sudare.testing.suite import BrokenRuleError, demand

MOST_CATEGORIES = 1 << 16

_SMALL = 4


def subjects(m: FrequencyOracle) -> tuple[FrequencyOracle, ...]:
    """Return the sibling at ``min(k, 4)``, and the mechanism itself where that is another one."""
    if m.k > MOST_CATEGORIES:
        raise DomainError(
            "mechanism", f"must have k <= {MOST_CATEGORIES}", "check it at a smaller k", got=m.k
        )
    try:
        k = min(m.k, _SMALL)
        small = resized(m, k=k) if m.studies_only else type(m)(k, m.requested_epsilon)
    except Exception as error:
        raise BrokenRuleError(
            f"must exist at k = {min(m.k, _SMALL)} too, by {type(error).__name__}"
        ) from error
    return (small,) if m.k <= _SMALL else (small, m)


def supports_of(m: FrequencyOracle, reports: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return what each report supports, (n, k), by ``aggregate`` of it alone.

    Where reports repeat, each is tallied once; the tally of all must be the sum. No report may
    say more than its number below ``program.outputs``: padding on the wire is 0.
    """
    first = inverse = np.arange(len(reports))
    if m.program.outputs <= MOST_CATEGORIES:
        _, first, inverse = np.unique(reports, axis=0, return_index=True, return_inverse=True)
    rows, wires, most = np.empty((first.size, m.k), dtype=np.bool_), [], m.program.outputs
    for row, i in zip(rows, first.tolist(), strict=True):
        wires.append(bytes(m.program.encode_one(reports[i])))
        demand(
            len(wires[-1]) == m.report_bytes and int.from_bytes(wires[-1], "little") < most,
            "must send nothing beyond its report, such as padding that is not 0",
        )
        counts = m.aggregate(reports[i : i + 1])
        demand(counts.n == 1, "must tally one report as one")
        row[:] = counts.support
    again = m.program.decode(b"".join(wires))
    demand(np.array_equal(again, reports[first]), "must decode what it encodes")
    supports: npt.NDArray[np.bool_] = rows[inverse.reshape(-1)]
    total = m.aggregate(reports)
    demand(
        total.n == len(reports) and np.array_equal(total.support, supports.sum(axis=0)),
        "must tally a batch as the sum of its reports",
    )
    return supports
