"""Attacks on a question with one answer: MGA, RPA and RIA."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import floor
from typing import ClassVar

import numpy as np

from sudare.errors import DomainError
from sudare.estimation.estimate import Floats
from sudare.mechanisms import GRR
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.unary import Unary
from sudare.poisoning.attack import Attack
from sudare.poisoning.laws import Categories, FakeLaw
from sudare.poisoning.positions import Bits

NO_BITS = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class ChoiceAttack(Attack):
    """What attacks on one of k categories share. GRR, and every unary encoding.

    Must implement: ``_category`` (GRR) and ``_bits`` (unary encodings).
    """

    victims: ClassVar[tuple[type[Mechanism], ...]] = (GRR, Unary)

    def _law(self, mechanism: GRR | Unary, index_control: bool) -> FakeLaw:
        if index_control:
            raise DomainError(
                "index_control",
                f"must be False: no key is drawn for a report of {mechanism.name}",
                "it is for key-value data",
            )
        p, q = (float(x) for x in mechanism.support_probabilities)
        if isinstance(mechanism, GRR):
            return Categories(self._category(mechanism.k, p, q))
        return self._bits(mechanism.k, p, q)

    def _honest(self, k: int, p: float, q: float) -> Floats:
        """Return (r, k) supports of honest reports of each target."""
        out = np.full((len(self.targets), k), q)
        out[np.arange(len(self.targets)), list(self.targets)] = p
        return out

    @abstractmethod
    def _category(self, k: int, p: float, q: float) -> Floats:
        """Return the law of the category that is reported."""

    @abstractmethod
    def _bits(self, k: int, p: float, q: float) -> Bits:
        """Return the law of the bits that are reported."""


@dataclass(frozen=True)
class MGA(ChoiceAttack):
    """The maximal gain attack: every fake report supports as many targets as it can.

    ::

        GRR      a random target
        unary    all targets' bits are 1, and floor(p + (k - 1) q - r) others, drawn at random, so
                 that a fake report has about as many ones as an honest one

    Args:
        targets: r categories, distinct whole numbers.

    Raises:
        WrongTypeError, DomainError: not such numbers.

    Source: Cao, Jia, Gong 2021 (data poisoning attacks to local differential privacy protocols).

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.MGA(targets=[2]).reports(sd.GRR(k=4, epsilon=1.0), 3).tolist()
        [2, 2, 2]
    """

    def _category(self, k: int, p: float, q: float) -> Floats:
        cells = np.zeros(k)
        cells[list(self.targets)] = 1 / len(self.targets)
        return cells

    def _bits(self, k: int, p: float, q: float) -> Bits:
        bits = np.zeros((1, k))
        bits[0, list(self.targets)] = 1
        others = np.flatnonzero(bits[0] == 0)
        ones = floor(p + (k - 1) * q) - len(self.targets)
        return Bits(bits, others, min(max(ones, 0), others.size))


@dataclass(frozen=True)
class RPA(ChoiceAttack):
    """The random perturbed-value attack: any report, without regard to the targets.

    ::

        GRR      a random category
        unary    every bit 1 with 1/2

    Args:
        targets: categories whose gain is asked for.

    Raises:
        WrongTypeError, DomainError: not such numbers.

    Source: Cao, Jia, Gong 2021.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RPA([0]).law(sd.OUE(k=3, epsilon=1.0)).rates.tolist()
        [0.5, 0.5, 0.5]
    """

    def _category(self, k: int, p: float, q: float) -> Floats:
        return np.full(k, 1 / k)

    def _bits(self, k: int, p: float, q: float) -> Bits:
        return Bits(np.full((1, k), 0.5), NO_BITS, 0)


@dataclass(frozen=True)
class RIA(ChoiceAttack):
    """The random item attack: claim a random target, and report honestly.

    Args:
        targets: categories, distinct whole numbers.

    Raises:
        WrongTypeError, DomainError: not such numbers.

    Source: Cao, Jia, Gong 2021.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RIA([0]).law(sd.SUE(k=3, epsilon=2.0)).rates.round(3).tolist()
        [0.731, 0.269, 0.269]
    """

    def _category(self, k: int, p: float, q: float) -> Floats:
        out: Floats = self._honest(k, p, q).mean(axis=0)
        return out

    def _bits(self, k: int, p: float, q: float) -> Bits:
        return Bits(self._honest(k, p, q), NO_BITS, 0)
