"""Which frequency oracle: ranked by exact expected error."""

from __future__ import annotations

from fractions import Fraction

from sudare.errors import OutOfReachError
from sudare.estimation.estimate import Target
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.registry import lookup, names


def rank(
    k: int,
    epsilon: float | Fraction,
    n: int,
    target: Target = "population",
    *,
    plugins: bool = True,
) -> list[tuple[float, FrequencyOracle]]:
    """Return ``(expected MSE, mechanism)`` of every mechanism, best first.

    The f-terms are included (:meth:`FrequencyOracle.expected_mse`); errors equal to five digits
    are ordered by the length of the report. A mechanism that cannot reach this ε at this k is left
    out.
    Without ``plugins`` the ranking is the same on every machine.
    """
    ranked: list[tuple[float, FrequencyOracle]] = []
    for name in names(FrequencyOracle, plugins=plugins):
        try:
            mechanism = lookup(name, FrequencyOracle)(k, epsilon)
        except OutOfReachError:
            continue
        ranked.append((mechanism.expected_mse(n, target=target), mechanism))
    return sorted(
        ranked, key=lambda pair: (rounded_error(pair[0]), pair[1].report_bytes, pair[1].name)
    )


def rounded_error(error: float) -> float:
    """Return five digits of an error: beyond them errors differ by how integers round ε down."""
    return float(f"{error:.5g}")
