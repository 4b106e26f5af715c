"""The populations: three synthetic ones, and real people's films and clothes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sudare.arrays import Floats
from sudare.data import Holdings, KeyCounts
from sudare.mechanisms.keyvalue import PCKVGRR, PCKVUE, KeyValue
from sudare.mechanisms.keyvalue.base import states_of
from sudare.mechanisms.keyvalue.padded import reciprocal_sizes

D, N = 50, 100_000
_HEAVY = 0.9
"""Part of the people whose keys all fit into the padding."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Who is asked.

    Attributes:
        label: short, for streams of randomness, tables and file names; up to its first hyphen it is
            the key of its name for readers.
        n: number of people.
        frequency, mean: (d,) true shares of holders and means of their values.
        holdings: the people one by one, where they are known; else keys are held independently.
    """

    label: str
    n: int
    frequency: Floats
    mean: Floats
    holdings: Holdings | None = None

    @property
    def key(self) -> str:
        """Key of the words that name it, which may tell n."""
        return self.label.split("-")[0]

    @property
    def d(self) -> int:
        """Number of keys."""
        return self.frequency.size

    @property
    def padding(self) -> int:
        """The number of keys that nine of ten people do not exceed, at least 1."""
        if self.holdings is not None:
            keys = self.holdings.held.sum(axis=1)
            return max(1, int(np.quantile(keys, _HEAVY, method="inverted_cdf")))
        law = np.ones(1)
        for share in self.frequency:
            law = np.convolve(law, [1 - share, share])
        return max(1, int(np.searchsorted(np.cumsum(law), _HEAVY)))

    def states(self, mechanism: KeyValue) -> Floats:
        """Return the (d, 3) shares of the states that reports are about, key by key.

        They are those of the key itself, but for padding and sampling: there a person tells of one
        of all keys held.
        """
        if not isinstance(mechanism, PCKVUE | PCKVGRR):
            return states_of(self.frequency, self.mean)
        if self.holdings is not None:
            return drawn(self.holdings, mechanism.padding)
        chance = reciprocal_sizes(self.frequency, mechanism.padding)
        return states_of(self.frequency * chance, self.mean)


def drawn(people: Holdings, padding: int) -> Floats:
    """Return the (d, 3) shares of the states of the key that a person draws after padding."""
    chance = 1 / np.maximum(people.held.sum(axis=1), padding)
    each = people.held * chance[:, None]
    signs = [(each * (1 + sign * people.values) / 2).mean(axis=0) for sign in (1, -1)]
    return np.stack([*signs, 1 - signs[0] - signs[1]], axis=1)


def synthetic() -> tuple[Population, ...]:
    """Return the source's three: a key's frequency s, and 2 s - 1 the mean of its values.

    The source names the shapes alone; the parameters are ours.
    """
    k = np.arange(D)
    shapes = {
        "gauss": np.exp(-((k - 24.5) ** 2) / 200),
        "power": (1 + 0.1 * k) ** -1.1,
        "linear": (k + 1) / D,
    }
    return tuple(Population(label, N, s, 2 * s - 1) for label, s in shapes.items())


def worst() -> Population:
    """Return the control that must lose: linear frequencies, and all means 0."""
    linear = synthetic()[2]
    return Population("worst", N, linear.frequency, 0 * linear.mean)


def films(people: Holdings, n: int) -> Population:
    """Return n people like those of MovieLens."""
    return Population(f"movielens-{n}", n, people.frequency, people.mean, people)


def clothes(counts: KeyCounts) -> Population:
    """Return the people of Rent the Runway; which items one person has is not known."""
    return Population("clothing", counts.n, counts.frequency, counts.mean)
