"""Key-value data as fake respondents see it, and its attacks: M2GA, RMA and RKVA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.errors import WrongTypeError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import PCKVGRR, PCKVUE, PrivKV, PrivKVM, StateRR
from sudare.mechanisms.keyvalue.base import states_of
from sudare.mechanisms.keyvalue.validation import as_population
from sudare.poisoning.attack import Attack
from sudare.poisoning.laws import FakeLaw, Keyed, Pairs, Rounds
from sudare.poisoning.positions import Signs
from sudare.poisoning.surface import Fakes, Population, Surface, register

PLUS = np.array([1.0, 0.0, 0.0])
"""A state that is surely <1,+1>."""

ANY_STATE = np.array([0.25, 0.25, 0.5])


class KeysSurface(Surface):
    """What key-value mechanisms share. Must implement: ``fakes`` and ``honest``."""

    usual: ClassVar[str] = "PrivKV"
    ends: ClassVar[tuple[float, ...]] = (0.0, -1.0)
    instead: ClassVar[str] = "take PrivKV or StateRR"

    def truth(self, frequency: object, mean: object) -> Population:
        """Return frequencies and means; numbers stand for all keys alike."""
        if frequency is None or mean is None:
            raise WrongTypeError("frequency and mean", "must be given", "a number, or d of them")
        d = self.size
        return as_population(_each(frequency, d), _each(mean, d), d)

    def draw(self, truth: Population, people: int, rng: Entropy) -> Counts:
        """Draw the counts of people of this population."""
        counts: Counts = self.mechanism.simulate(people, *truth, rng=rng)
        return counts

    def found(self, estimate: Any, targets: list[int]) -> Floats:
        """Return the targets' frequencies and means, 0 where not defined: (2, r)."""
        pair = (estimate.frequency, np.nan_to_num(estimate.mean, nan=0.0))
        return np.stack(pair)[:, targets]


@register(PrivKV, StateRR)
class DrawnKeySurface(KeysSurface):
    """A report is about one key, drawn by the device or by the collector, and its state."""

    together: ClassVar[bool] = True

    def channels(self) -> list[Floats]:
        """Return the law of the state told, in each round."""
        return [self.mechanism.channel.dense()]

    def honest(self, truth: Population) -> Floats:
        """Return what one person tells of each key."""
        out: Floats = states_of(*truth) @ self.channels()[0].T / self.size
        return out

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return <1,+1> of a target; any state of any key; a holder of the targets with +1.

        A report about another key, which the collector has drawn, is that of somebody honest who
        does not hold it.
        """
        chosen, rounds = range(self.size) if index_control else targets, self.channels()
        return Fakes(
            self._told(chosen, targets, [(PLUS, channel[:, 2]) for channel in rounds]),
            self._told(range(self.size), targets, [(ANY_STATE, ANY_STATE)] * len(rounds)),
            self._told(chosen, targets, [(channel[:, 0], channel[:, 2]) for channel in rounds]),
        )

    def _told(
        self, chosen: Sequence[int], targets: list[int], states: list[tuple[Floats, Floats]]
    ) -> FakeLaw:
        """Return one of the chosen keys, evenly, in each round, with the state of a target's or
        of another key's report."""
        keys = np.zeros(self.size)
        keys[list(chosen)] = 1 / len(chosen)
        parts = []
        for target, other in states:
            told = np.tile(other, (self.size, 1))
            told[targets] = target
            parts.append(Keyed(keys[:, None] * told))
        return Rounds(tuple(parts)) if self.mechanism.feeds_back else parts[0]


@register(PrivKVM)
class RoundsSurface(DrawnKeySurface):
    """The same in rounds, with the means of one fed back into the next."""

    def channels(self) -> list[Floats]:
        """Return the first round's, and the later ones' for people whose fed back mean is 0."""
        signs = [self.mechanism._signs(i) for i in range(1, self.mechanism.rounds)]
        fair = [np.concatenate([one, one.mean(axis=1, keepdims=True)], axis=1) for one in signs]
        return [*super().channels(), *fair]

    def rates(self, truth: Population, fakes: Floats, beta: float) -> Floats:
        """Round by round: fake reports are in the means that are fed back."""
        means = np.zeros(self.size)
        rates = []
        for number in range(self.mechanism.rounds):
            honest = self.mechanism._reported(number, *truth, means) / self.size
            rates.append((1 - beta) * honest + beta * fakes[number])
            means = self.mechanism._means(rates[-1])
        return np.stack(rates)

    def joined(
        self, before: Counts, truth: Population, fakes: Integers, generator: np.random.Generator
    ) -> Integers:
        """Draw the honest people anew: what is fed back to them has the fakes in it."""
        support: Integers = self.mechanism._tally(before.n, *truth, generator, fakes)
        return support


class PaddedSurface(KeysSurface):
    """What padding and sampling share: each position of a report has three states."""

    together: ClassVar[bool] = False

    def honest(self, truth: Population) -> Floats:
        """Return what one person tells of each key, after sampling."""
        out: Floats = self.mechanism._sampled(*truth) @ self.mechanism.channel.dense().T
        return out


@register(PCKVUE)
class PositionsSurface(PaddedSurface):
    """A report has a state at every position."""

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return <1,+1> at all targets amid honest noise; any states; <1,+1> of a target."""
        own = self.mechanism.channel.dense()[:, 0]
        return Fakes(
            Signs(self._noise(targets, PLUS)[None]),
            Signs(np.full((1, self.size, 3), 1 / 3)),
            Signs(np.stack([self._noise([key], own) for key in targets])),
        )

    def _noise(self, keys: list[int], state: Floats) -> Floats:
        """Return (d, 3) laws of positions: honest noise, and ``state`` at some keys."""
        out = np.tile(self.mechanism.channel.dense()[:, 2], (self.size, 1))
        out[keys] = state
        return out


@register(PCKVGRR)
class PairsSurface(PaddedSurface):
    """A report is a signed key, or a dummy."""

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return <k,+1> of a target k; any signed key or dummy; an honest report of a target."""
        program = self.mechanism.program
        cells = np.zeros(program.outputs)
        cells[[2 * key for key in targets]] = 1 / len(targets)
        honest = np.array([program._law(key, 0) for key in targets], dtype=np.float64)
        anything = np.full(cells.size, 1 / cells.size)
        laws = (cells, anything, honest.mean(axis=0))
        return Fakes(*(Pairs(law, self.size) for law in laws))


def _each(numbers: object, d: int) -> object:
    one = isinstance(numbers, int | float | np.number) and not isinstance(numbers, bool)
    return np.full(d, numbers) if one else numbers


class KeyValueAttack(Attack):
    """What attacks on key-value data share."""

    victims: ClassVar[type[Surface]] = KeysSurface


class M2GA(KeyValueAttack):
    """The maximal gain attack: every fake report says <1,+1> of a target.

    ::

        PrivKV, PrivKVM   a random target, <1,+1>, in every round
        PCKV-UE           <1,+1> at all targets, the rest as the noise of an honest report
        PCKV-GRR          <k,+1> of a random target k

    Where the collector draws the key: <1,+1> if it is a target, else as somebody honest who does
    not hold it.

    Source: Wu, Cao, Jia, Gong 2022 (poisoning attacks to LDP protocols for key-value data).

    Examples:
        >>> import sudare as sd
        >>> attack = sd.poisoning.M2GA(targets=[1])
        >>> attack.reports(sd.PrivKV(d=3, epsilon=1.0), 2).tolist()
        [[1, 0], [1, 0]]
    """

    way = "maximal"


class RMA(KeyValueAttack):
    """The random message attack: any report, without regard to the targets.

    ::

        PrivKV, PrivKVM   a random key; <0,0>, <1,+1>, <1,-1> with 1/2, 1/4, 1/4
        PCKV-UE           <1,+1>, <1,-1>, <0,0> with 1/3 each at every position
        PCKV-GRR          a random key, dummies included, with a random sign

    Source: Wu, Cao, Jia, Gong 2022.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RMA([0]).law(sd.PrivKV(d=2, epsilon=1.0)).rates.tolist()
        [[0.125, 0.125, 0.25], [0.125, 0.125, 0.25]]
    """

    way = "random"


class RKVA(KeyValueAttack):
    """The random key-value attack: hold a random target with the value +1, and report honestly.

    Where the collector draws the key: as somebody who holds the targets with +1, and nothing else.
    To PCKV the pair is given as drawn, past padding and sampling.

    Source: Wu, Cao, Jia, Gong 2022.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RKVA([1]).law(sd.StateRR(d=2, epsilon=1.0)).rates.round(3).tolist()
        [[0.0, 0.0, 0.0], [0.576, 0.212, 0.212]]
    """

    way = "honest"
