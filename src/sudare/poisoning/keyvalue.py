"""Attacks on key-value data: M2GA, RMA and RKVA."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudare.errors import DomainError
from sudare.estimation.estimate import Floats
from sudare.mechanisms import PCKVGRR, PCKVUE, PrivKV, PrivKVM, StateRR
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.keyvalue.sampled import Sampled
from sudare.poisoning.attack import Attack
from sudare.poisoning.laws import FakeLaw, Keyed, Pairs, Rounds
from sudare.poisoning.positions import Signs

PLUS = np.array([1.0, 0.0, 0.0])
"""A state that is surely <1,+1>."""


@dataclass(frozen=True)
class KeyValueAttack(Attack):
    """What attacks on key-value data share.

    Must implement: ``_chosen`` (the law of the key, where the fake respondent chooses it),
    ``_states`` (of a report about a target, and about another key), ``_kinds`` (PCKV-UE) and
    ``_pairs`` (PCKV-GRR).
    """

    victims: ClassVar[tuple[type[Mechanism], ...]] = (PrivKV, StateRR, PrivKVM, PCKVUE, PCKVGRR)

    def _law(self, mechanism: Sampled | PrivKVM | PCKVUE | PCKVGRR, index_control: bool) -> FakeLaw:
        if isinstance(mechanism, PCKVUE | PCKVGRR):
            if index_control:
                raise DomainError(
                    "index_control",
                    f"must be False: no key is drawn for a report of {mechanism.name}",
                    "take PrivKV or StateRR",
                )
            if isinstance(mechanism, PCKVUE):
                return Signs(self._kinds(mechanism.channel.dense(), mechanism.d))
            return Pairs(self._pairs(mechanism), mechanism.d)
        keys = np.full(mechanism.d, 1 / mechanism.d)
        if not index_control:
            keys = self._chosen(mechanism.d)
        first = self._keyed(keys, mechanism.channel.dense())
        if isinstance(mechanism, Sampled):
            return first
        later = [self._keyed(keys, _fair(mechanism, i)) for i in range(1, mechanism.rounds)]
        return Rounds((first, *later))

    def _keyed(self, keys: Floats, channel: Floats) -> Keyed:
        target, other = self._states(channel)
        states = np.tile(other, (keys.size, 1))
        states[list(self.targets)] = target
        return Keyed(keys[:, None] * states)

    def _chosen(self, d: int) -> Floats:
        """Return the law of the key that a fake respondent chooses: one of the targets."""
        keys = np.zeros(d)
        keys[list(self.targets)] = 1 / len(self.targets)
        return keys

    @abstractmethod
    def _states(self, channel: Floats) -> tuple[Floats, Floats]:
        """Return the laws of the state told of a target, and of another key; (3,) each."""

    @abstractmethod
    def _kinds(self, channel: Floats, d: int) -> Floats:
        """Return the (kinds, d, 3) laws of the positions of a report to PCKV-UE."""

    @abstractmethod
    def _pairs(self, mechanism: PCKVGRR) -> Floats:
        """Return the law of the signed key that is reported to PCKV-GRR."""


@dataclass(frozen=True)
class M2GA(KeyValueAttack):
    """The maximal gain attack: every fake report says <1,+1> of a target.

    ::

        PrivKV, PrivKVM   a random target, <1,+1>, in every round
        PCKV-UE           <1,+1> at all targets, the rest as the noise of an honest report
        PCKV-GRR          <k,+1> of a random target k

    Where the collector draws the key: <1,+1> if it is a target, else as somebody honest who does
    not hold it.

    Args:
        targets: keys, distinct whole numbers.

    Raises:
        WrongTypeError, DomainError: not such numbers.

    Source: Wu, Cao, Jia, Gong 2022 (poisoning attacks to LDP protocols for key-value data).

    Examples:
        >>> import sudare as sd
        >>> attack = sd.poisoning.M2GA(targets=[1])
        >>> attack.reports(sd.PrivKV(d=3, epsilon=1.0), 2).tolist()
        [[1, 0], [1, 0]]
    """

    def _states(self, channel: Floats) -> tuple[Floats, Floats]:
        return PLUS, channel[:, 2]

    def _kinds(self, channel: Floats, d: int) -> Floats:
        return _positions(channel, d, self.targets, PLUS)[None]

    def _pairs(self, mechanism: PCKVGRR) -> Floats:
        cells = np.zeros(mechanism.program.outputs)
        cells[[2 * key for key in self.targets]] = 1 / len(self.targets)
        return cells


@dataclass(frozen=True)
class RMA(KeyValueAttack):
    """The random message attack: any report, without regard to the targets.

    ::

        PrivKV, PrivKVM   a random key; <0,0>, <1,+1>, <1,-1> with 1/2, 1/4, 1/4
        PCKV-UE           <1,+1>, <1,-1>, <0,0> with 1/3 each at every position
        PCKV-GRR          a random key, dummies included, with a random sign

    Args:
        targets: keys whose gain is asked for.

    Raises:
        WrongTypeError, DomainError: not such numbers.

    Source: Wu, Cao, Jia, Gong 2022.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RMA([0]).law(sd.PrivKV(d=2, epsilon=1.0)).rates.tolist()
        [[0.125, 0.125, 0.25], [0.125, 0.125, 0.25]]
    """

    def _chosen(self, d: int) -> Floats:
        return np.full(d, 1 / d)

    def _states(self, channel: Floats) -> tuple[Floats, Floats]:
        state = np.array([0.25, 0.25, 0.5])
        return state, state

    def _kinds(self, channel: Floats, d: int) -> Floats:
        return np.full((1, d, 3), 1 / 3)

    def _pairs(self, mechanism: PCKVGRR) -> Floats:
        size = mechanism.program.outputs
        return np.full(size, 1 / size)


@dataclass(frozen=True)
class RKVA(KeyValueAttack):
    """The random key-value attack: hold a random target with the value +1, and report honestly.

    Where the collector draws the key: as somebody who holds the targets with +1, and nothing else.
    To PCKV the pair is given as drawn, past padding and sampling.

    Args:
        targets: keys, distinct whole numbers.

    Raises:
        WrongTypeError, DomainError: not such numbers.

    Source: Wu, Cao, Jia, Gong 2022.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RKVA([1]).law(sd.StateRR(d=2, epsilon=1.0)).rates.round(3).tolist()
        [[0.0, 0.0, 0.0], [0.576, 0.212, 0.212]]
    """

    def _states(self, channel: Floats) -> tuple[Floats, Floats]:
        return channel[:, 0], channel[:, 2]

    def _kinds(self, channel: Floats, d: int) -> Floats:
        own = channel[:, 0]
        return np.stack([_positions(channel, d, (key,), own) for key in self.targets])

    def _pairs(self, mechanism: PCKVGRR) -> Floats:
        laws = [mechanism.program._law(key, 0) for key in self.targets]
        out: Floats = np.array(laws, dtype=np.float64).mean(axis=0)
        return out


def _positions(channel: Floats, d: int, keys: Sequence[int], state: Floats) -> Floats:
    """Return (d, 3) laws of positions: honest noise, and ``state`` at some keys."""
    out = np.tile(channel[:, 2], (d, 1))
    out[list(keys)] = state
    return out


def _fair(mechanism: PrivKVM, number: int) -> Floats:
    """Return the channel of a later round for people whose fed back mean is 0."""
    signs = mechanism._signs(number)
    return np.concatenate([signs, signs.mean(axis=1, keepdims=True)], axis=1)
