"""The checks of mechanisms of places: ε for each metre, over all pairs of cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Place
from sudare.testing.core import Checked, value
from sudare.testing.family import Exact
from sudare.testing.law import Law, law_of
from sudare.testing.suite import demand

MOST_PLACES = 256
_ROUNDED = 1e-9


def spends_what_it_says(m: Place, _: Entropy) -> None:
    """No pair of cells spends more a metre than ``epsilon``, some pair all of it, and none more
    than was asked for."""
    limit = m.requested_epsilon * (1 + Fraction(1, 10**11))
    demand(Fraction(m.epsilon) <= limit, "must not spend more ε than asked for")
    law = law_of(m)
    if law is None:
        return
    logs = np.log(law.table.T[:, m.reported])
    metres, most = m.distances(), 0.0
    for r in range(m.cells - 1):
        gaps = np.abs(logs[r] - logs[r + 1 :]).max(axis=1)
        most = max(most, float((gaps / metres[r, r + 1 :]).max()))
    demand(most <= m.epsilon * (1 + _ROUNDED), "must show the ε a metre that it spends")
    demand(m.epsilon <= most * (1 + 1e-6) + 1e-15, "must show no more ε a metre than it spends")


class _Places(Checked[Place]):
    """Cells of a map."""

    exact: ClassVar[tuple[Exact, ...]] = (
        spends_what_it_says,
        *(one for one in Checked.exact if one is not value.spends_what_it_says),
    )

    def subjects(self, m: Place) -> tuple[Place, ...]:
        """Return m itself: its law is written out whole."""
        if m.cells > MOST_PLACES:
            raise DomainError(
                "mechanism", f"must have at most {MOST_PLACES} cells", "check it on a smaller map"
            )
        return (m,)

    def answers(self, m: Place) -> Sequence[Any]:
        return range(m.cells)

    def bad_answers(self, m: Place) -> Iterable[Any]:
        return (*super().bad_answers(m), m.cells)

    def distances(self, m: Place, answers: Sequence[Any]) -> Floats:
        return m.distances()

    def channels(self, m: Place, law: Law) -> Iterator[tuple[Floats, Floats]]:
        yield m.channel.dense(), law.table
        yield m.matrix(), law.table

    def plausible(self, m: Place, answers: Sequence[Any]) -> npt.NDArray[np.bool_]:
        """Return all cells, where reports tell them apart: else many shares give the same ones."""
        return np.full(m.cells, bool(np.linalg.matrix_rank(m.matrix()) == m.cells))


FAMILY = _Places()
