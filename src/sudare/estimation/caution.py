"""``Caution``: a sentence about an estimate that its reader should know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

FEW_REPORTS = "few-reports"
NO_STDERR = "no-stderr"
NOT_CERTAIN = "not-certain"

_SHOWN = 8
_KEPT = 1000


class Caution(str):
    """A sentence (it is the string), with its code and the cells that it is about.

    Attributes:
        code: for programs: ``"few-reports"``, ``"no-stderr"`` or ``"not-certain"``.
        cells: flat indices of the cells, at most the first thousand.

    Examples:
        >>> few_reports([0, 2], 5)
        '2 of 5 categories have an expected report count below 30: 0, 2'
    """

    __slots__ = ("cells", "code")
    code: str
    cells: tuple[int, ...]

    def __new__(cls, text: str, code: str, cells: Iterable[int] = ()) -> Caution:
        """Make the sentence."""
        self = super().__new__(cls, text)
        self.code = code
        self.cells = tuple(cells)
        return self

    def __reduce__(self) -> tuple[type[Caution], tuple[str, str, tuple[int, ...]]]:
        return Caution, (str(self), self.code, self.cells)


def few_reports(cells: Sequence[int] | npt.NDArray[np.intp], of: int) -> Caution:
    """Return the caution about cells that too few reports are expected to support."""
    some = np.asarray(cells[:_KEPT]).tolist()
    shown = ", ".join(str(cell) for cell in some[:_SHOWN]) + (", ..." if some[_SHOWN:] else "")
    text = f"{len(cells)} of {of} categories have an expected report count below 30: {shown}"
    return Caution(text, FEW_REPORTS, some)


def no_stderr(method: str) -> Caution:
    """Return the caution about a method without a formula for its standard errors."""
    text = (
        f"no formula for the standard errors of the method {method!r}: "
        f"use sudare.bootstrap(mechanism, counts, method={method!r})"
    )
    return Caution(text, NO_STDERR)


def not_certain(gap: float) -> Caution:
    """Return the caution about a search that ended before it was sure of the maximum."""
    text = f"the likelihood may be up to {gap:.2g} nats below its maximum: the search has ended"
    return Caution(text, NOT_CERTAIN)
