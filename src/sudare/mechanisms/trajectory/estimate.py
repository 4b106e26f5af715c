"""What is estimated of trips: four tables of shares, and trips made up from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.errors import EstimationError
from sudare.estimation import Estimate
from sudare.estimation.quantity import REMEDY, Quantity
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy

_CLEARLY = 4


def _none() -> Integers:
    return np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Moves(Estimate):
    """How often each move is made: shares of the places where a trip can have one.

    The last share is that of the places where the trip is over.

    Attributes:
        pairs: (moves, 2): the cells of each move, from and to.
        places: how many moves the longest trip has.
    """

    pairs: Integers = field(default_factory=_none)
    places: int = 1

    @property
    def per_trip(self) -> Quantity[Floats]:
        """(moves,): how many of each move a trip has on the average."""
        return Quantity(self.places * self.shares[:-1], self.places * self.stderr[:-1])

    def transitions(self) -> Quantity[Floats]:
        """Return of each move how probable it is for those who leave its first cell, (moves,).

        ::

            x_ab / Σ_c x_ac,   variance that of  Σ_c (1[c = b] - x_ab / Σ x_ac) x_ac / Σ x_ac

        by the delta method. NaN where the sum is not 4 standard errors above 0: hardly anybody
        leaves such a cell.

        Raises:
            EstimationError: standard errors are not known.
        """
        law = self._law
        if law is None:
            raise EstimationError("stderr", "is not known for this method", REMEDY)
        value, error = np.full((2, len(self.pairs)), np.nan)
        for cell in np.unique(self.pairs[:, 0]):
            own = np.flatnonzero(self.pairs[:, 0] == cell)
            row = np.zeros(self.shares.size)
            row[own] = 1
            total = float(row @ self.shares)
            if total <= _CLEARLY * law.variance(row) ** 0.5:
                continue
            for i in own.tolist():
                value[i] = self.shares[i] / total
                weights = -value[i] * row
                weights[i] += 1
                error[i] = max(law.variance(weights / total), 0.0) ** 0.5
        return Quantity(value, error)

    def matrix(self) -> Floats:
        """Return :meth:`transitions` as (cells, cells) probabilities, [from, to]; 0 between cells
        that are no neighbours."""
        cells = int(self.pairs.max()) + 1
        out = np.zeros((cells, cells))
        out[tuple(self.pairs.T)] = self.transitions().value
        return out


class TripEstimates(NamedTuple):
    """Estimates of trips.

    Attributes:
        lengths: (longest,) shares of trips of 1, 2, ... cells.
        begins: (cells,) shares of trips that begin in each cell.
        ends: (cells,) shares of trips that end in each cell.
        moves: (moves + 1,) shares of the moves.
    """

    lengths: Estimate
    begins: Estimate
    ends: Estimate
    moves: Moves

    def synthesise(self, n: int, *, rng: Randomness = None) -> Integers:
        """Make up trips that have these lengths, begins, ends and moves.

        Length and first cell are drawn from their shares, moved to the simplex. The walk is the
        Markov chain of the moves, in which a trip in cell a ends with ``e_a = end_a / (end_a + Σ_b
        move_ab)``, *given* its length: with r moves to go it goes from a to b with ::

            move_ab reach_{r-1}(b) / Σ_c move_ac reach_{r-1}(c)
            reach_0 = e,   reach_r(a) = Σ_b move_ab reach_{r-1}(b) / at_a

        where ``at_a = end_a + Σ_b move_ab``; where no move is known, to any neighbour. So lengths
        and begins are kept, and a trip turns to where trips end as it grows. Made-up trips cost no
        ε: reports alone are read.

        Args:
            n: how many trips.
            rng: a seed, NumPy generator or Entropy to repeat them.

        Returns:
            (n, longest) cells, -1 behind the last one.

        Raises:
            WrongTypeError, DomainError: n is no number of trips.

        Source: the chain with an end of Du et al. 2023 (LDPTrace), whose chance to end is
        multiplied by a weight that grows with the length; here it follows from the length.
        """
        from sudare.mechanisms.trajectory.synthesis import walk  # what a device does not need

        many = as_integer(n, "n", low=1, high=1 << 40)
        return walk(self, many, as_entropy(rng).generator())
