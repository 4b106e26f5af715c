"""The checks of joint mechanisms: a row of one category an attribute in, the whole table out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Joint
from sudare.testing.core import Checked
from sudare.testing.core.look import mixed
from sudare.testing.family import OUTSIDE, M, Sampled
from sudare.testing.law import Law, law_of
from sudare.testing.suite import Comparison

_ROWS = 100
_CELLS = 400  # of a table whose law is written out
_DRAWS = 1 << 14
_PAIRS = 3


def perturbs_pairs_of_attributes(m: Joint, rng: Entropy) -> Iterator[Comparison]:
    """Two attributes of a report follow the law of the joint mechanism of those two alone."""
    generator = rng.generator()
    for _ in range(_PAIRS if len(m.sizes) > 2 else 0):
        axes = generator.choice(len(m.sizes), 2, replace=False).tolist()
        law = law_of(m.subset(axes))
        if law is None:
            continue
        people = generator.integers(0, m.sizes, size=(_DRAWS, len(m.sizes)))
        index = mixed(len(law.answers), _DRAWS, rng)
        people[:, axes] = np.array(law.answers)[index]
        cells = law.rows(m.perturb(people, rng=rng)[:, axes])
        outputs, answers = law.table.shape
        counts = np.bincount(cells * answers + index, minlength=outputs * answers)
        yield Comparison(
            f"sent one report of the attributes {axes} for one value",
            counts.reshape(outputs, answers),
            np.bincount(index, minlength=answers),
            law.table,
        )


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


class _JointFamily(RowsFamily[Joint]):
    """Rows of one category an attribute."""

    cells: ClassVar[int] = _CELLS
    sampled: ClassVar[tuple[Sampled, ...]] = (*Checked.sampled, perturbs_pairs_of_attributes)

    def subjects(self, m: Joint) -> tuple[Joint, ...]:
        small = [i for i in range(len(m.sizes)) if prod(m.sizes[: i + 1]) <= _CELLS] or [0]
        return (m,) if len(small) == len(m.sizes) else (m.subset(small), m)

    def channels(self, m: Joint, law: Law) -> Iterator[tuple[Floats, Floats]]:
        if len(law.answers) == m.cells:
            yield m.channel.dense(), law.table

    def tally(self, m: Joint, answers: Sequence[Any], weights: Any) -> Any:
        out = np.zeros(m.sizes, dtype=weights.dtype)
        np.add.at(out, tuple(np.array(answers).T), weights)
        return out

    def bad_simulations(self, m: Joint) -> Iterator[tuple[Any, ...]]:
        return islice(super().bad_simulations(m), None if m.cells <= 1 << 20 else 2)


FAMILY = _JointFamily()
