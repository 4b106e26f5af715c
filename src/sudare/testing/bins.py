"""The checks of mechanisms for the distribution of a number: what they tell of its bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.testing.number import Numbers


class Bins(Numbers):
    """The middle of each bin, numbers between, and the shares of the bins."""

    def at(self, m: Any, places: Floats) -> Floats:
        """Return the numbers at some places among the middles of the bins."""
        return np.asarray(np.interp(places, np.arange(m.bins), m.centres))

    def tally(self, m: Any, answers: Sequence[Any], weights: Any) -> Any:
        """Return how many are in each bin."""
        bins = [m.bin_of(one) for one in answers]
        return np.bincount(bins, weights, m.bins).astype(weights.dtype)


FAMILY = Bins()
