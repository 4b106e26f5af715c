"""Which of several mechanisms is taken: the least error, and of nearly equal ones the shortest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sudare.mechanisms.base import Mechanism

M = TypeVar("M", bound=Mechanism)

SLACK = 1.0049
"""Errors up to this times the least one count as it, within half a per cent with all rounding."""


def best_first(errors: Sequence[tuple[float, M]]) -> list[tuple[float, M]]:
    """Order mechanisms by error, those of nearly the least one first and by bytes.

    Among the others errors equal to five digits are ordered by the length of the report: beyond
    them errors differ by how integers round ε down. A dominated mechanism is never among the first.
    """
    least = min((error for error, m in errors if not m.dominated_by), default=0.0)

    def place(pair: tuple[float, M]) -> tuple[bool, float, float, str]:
        error, mechanism = pair
        size, rounded = mechanism.program.report_bytes, rounded_error(error)
        near = error <= SLACK * least and not mechanism.dominated_by
        return (not near, *((size, rounded) if near else (rounded, size)), mechanism.name)

    return sorted(errors, key=place)


def rounded_error(error: float) -> float:
    """Return five digits of an error: beyond them errors differ by how integers round ε down."""
    return float(f"{error:.5g}")
