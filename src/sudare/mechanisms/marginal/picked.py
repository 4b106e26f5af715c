"""One attribute of each row, drawn uniformly, by its randomised response."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.exact import uniform
from sudare.exact.alias import Alias
from sudare.exact.entropy import Entropy
from sudare.mechanisms.joint.rows import ROWS, Sizes, as_rows, check_rows
from sudare.samplers import Keep, Pick
from sudare.samplers.base import index_dtype

_MOST_TABLED = 1 << 16  # cells of the laws that are written out


def draw_picked(values: object, sizes: Sizes, program: Pick, rng: Entropy) -> npt.NDArray[Any]:
    """Return (n, 2) reports, attribute and category, by the law of the program.

    Rows are checked and drawn block by block. Where all laws together are few cells beside the
    rows, they are one alias table, and no block is divided by attributes.

    Raises:
        WrongTypeError, DomainError: as :func:`~sudare.mechanisms.joint.rows.as_values`.
    """
    rows = as_rows(values, sizes)
    tabled = len(sizes) * max(sizes) ** 2 <= min(_MOST_TABLED, len(rows))
    out = np.empty((len(rows), 2), dtype=index_dtype(max(*sizes, len(sizes))))
    for start in range(0, len(rows), ROWS):
        block, drawn = rows[start : start + ROWS], out[start : start + ROWS]
        check_rows(block, sizes, start)
        if tabled:
            index = uniform(len(block), len(sizes), rng).astype(np.intp)
            drawn[:, 0] = index
            own = block.reshape(-1).take(np.arange(0, block.size, len(sizes)) + index)
            index *= max(sizes)
            np.add(index, own, out=index, casting="unsafe")
            drawn[:, 1] = _alias(program.parts).draw(index, rng)
            continue
        drawn[:, 0], reports = program.draw(block, rng)
        for i, part in enumerate(reports):
            drawn[drawn[:, 0] == i, 1] = part
    return out


@lru_cache(16)
def _alias(parts: tuple[Keep, ...]) -> Alias:
    """Return the laws of all values of all attributes, as many values for each."""
    most = max(part.k for part in parts)

    def laws() -> Iterator[list[int]]:
        for part in parts:
            for value in range(most):
                row = [part.step] * part.k + [0] * (most - part.k)
                row[value] += part.keep if value < part.k else 0
                yield row

    return Alias(laws())
