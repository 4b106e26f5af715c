"""What the families share whose respondents answer with a row of one category an attribute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, ClassVar

from sudare.testing.core import Checked
from sudare.testing.family import OUTSIDE, M

_ROWS = 100


class RowsFamily(Checked[M]):
    """Rows of whole numbers below the mechanism's ``sizes``.

    Attributes:
        cells: of a table of which all rows are answers; of a larger one some.
    """

    cells: ClassVar[int] = 144

    def answers(self, m: Any) -> Sequence[Any]:
        """Return all rows, or some that are spread over the table."""
        if prod(m.sizes) <= self.cells:
            return [list(row) for row in product(*map(range, m.sizes))]
        return [[(i * (j + 1) + i // 3) % k for j, k in enumerate(m.sizes)] for i in range(_ROWS)]

    def bad_answers(self, m: Any) -> Iterator[Any]:
        """Yield what is no row: one bad entry, or too few of them."""
        good = self.answers(m)[0]
        for bad in (*super().bad_answers(m), m.sizes[-1]):
            yield [*good[:-1], bad]
        yield from (good[1:], [*good, 0], None, OUTSIDE)
