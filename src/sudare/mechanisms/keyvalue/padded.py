"""PCKV: a key that the person holds is drawn, after padding with dummies, and its pair reported."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Dense
from sudare.estimation import Counts, histogram
from sudare.estimation.keyvalue.law import StateLaw
from sudare.exact import exp_bounds
from sudare.exact.entropy import Entropy
from sudare.frozen import set_fields
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.keyvalue.base import KeyValue, states_of
from sudare.mechanisms.keyvalue.pairs import Padded, Pairs, Signs
from sudare.mechanisms.keyvalue.position import TOTAL, Position
from sudare.mechanisms.keyvalue.validation import Holdings, as_states
from sudare.mechanisms.parameters import Parameter, whole
from sudare.mechanisms.registry import register

MOST_PADDING = 1 << 16


class PCKV(KeyValue):
    """What PCKV-UE and PCKV-GRR share: padding and sampling, and their estimator.

    A person who holds fewer than ``padding`` keys adds dummies up to that number; one of the pairs
    is drawn uniformly. Frequencies are ``padding`` times the share of those who drew a key; of a
    person with more keys than that they see a part, and are too small.

    The states' shares and reports are those of one position, with N = n for every key. The
    standard errors are about the population; for the respondents they are an upper bound.

    Must implement: ``_compile``.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (
        *KeyValue.parameters,
        whole("padding", 1, MOST_PADDING, examples=(2, 3, 1)),
    )
    __slots__ = ("padding", "position")
    padding: int
    position: Position
    program: Padded

    def __init__(self, d: int, epsilon: float | Fraction, padding: int = 1) -> None:
        """Declare how many keys there are.

        Args:
            d: number of keys, at least 2.
            epsilon: ε of one submission, 0.001 to 20.
            padding: how many keys a person is made to hold, 1 to 65,536.

        Raises:
            WrongTypeError, DomainError: d or the padding is none.
            WrongTypeError, PrivacyError: ε is out of range.
        """
        self._take(d=d, epsilon=epsilon, padding=padding)

    def _build(self) -> None:
        position, program = self._compile(exp_bounds(self.requested_epsilon)[0])
        set_fields(self, position=position, program=program)
        self._refuse_overspending()

    @abstractmethod
    def _compile(self, grown: Fraction) -> tuple[Position, Padded]:
        """Return the weights for ``e^ε`` and the program."""

    @property
    def channel(self) -> Dense:
        """The law of one key's position: states to reports, both <1,+1>, <1,-1>, <0,*>; (3, 3)."""
        return Dense.from_matrix(self.position.table().matrix())

    def _draw(self, holdings: Holdings, rng: Entropy) -> npt.NDArray[Any]:
        return self.program.draw(holdings, rng)

    def _adds_up(self, counts: Counts) -> bool:
        return bool((counts.support.sum(axis=1) == counts.n).all())

    def _law(self, counts: Counts, target: Any) -> StateLaw:
        return super()._law(counts, "population")

    def _sampled(self, f: Floats, m: Floats) -> Floats:
        """Return the (d, 3) states of what people draw: 1/max(keys, padding) of each key held."""
        return states_of(f * reciprocal_sizes(f, self.padding), m)

    def _draw_pairs(
        self, n: int, law: Floats, generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw how many of n people have each signed key, by the (d, 2) ``law``; some have none."""
        chances = np.append(law.ravel(), max(0.0, 1 - law.sum()))
        counts = generator.multinomial(n, chances / chances.sum())
        return counts[:-1].reshape(self.d, 2).astype(np.int64)


@register
class PCKVUE(PCKV):
    """PCKV-UE: the drawn pair as one of d positions, each position randomised on its own.

    ::

        own position    its sign with a p, the other with a (1 - p), 0 with 1 - a
        every other     either sign with b / 2, 0 with 1 - b
        a = 1/2,  b = 2 / (e^ε + 3),  p = e^ε / (e^ε + 1)

    Positions of dummies are not sent: they would tell nothing.

    Reports: (n, d): 0 for <1,+1>, 1 for <1,-1>, 2 for <0,0>.

    Source: Gu, Li, Cheng, Xiong, Cao 2020, sections 4 and 5.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PCKVUE(d=3, epsilon=2.0, padding=2)
        >>> counts = m.aggregate(m.perturb([[True, False, True]] * 5, [[0.5, 0.0, -1.0]] * 5))
        >>> counts.support.sum(axis=1).tolist()
        [5, 5, 5]
    """

    name: ClassVar[str] = "PCKVUE"
    __slots__ = ()

    def _compile(self, grown: Fraction) -> tuple[Position, Padded]:
        position = Position.of(a=Fraction(1, 2), b=2 / (grown + 3), p=grown / (grown + 1))
        return position, Signs(d=self.d, padding=self.padding, position=position)

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the three states at each position."""
        rows = as_states(reports, (self.d,))
        named = [(rows == sign).sum(axis=0, dtype=np.int64) for sign in (0, 1)]
        support = np.stack([*named, rows.shape[0] - named[0] - named[1]], axis=1)
        return self._counts(support, rows.shape[0])

    def _tally(
        self, n: int, f: Floats, m: Floats, generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw how many people drew each pair, then each position of theirs and of the others."""
        drawn = self._draw_pairs(n, self._sampled(f, m)[:, :2], generator)
        held = np.concatenate([drawn, n - drawn.sum(axis=1, keepdims=True)], axis=1)
        columns = self.channel.dense().T
        parts = [generator.multinomial(held[:, x], columns[x]) for x in range(3)]
        out: npt.NDArray[np.int64] = np.stack(parts).sum(axis=0, dtype=np.int64)
        return out


@register
class PCKVGRR(PCKV):
    """PCKV-GRR: the drawn pair by randomised response over all keys, dummies and signs.

    ::

        the key with a, its sign kept with p; else another of the d + ℓ with b each, either sign
        a = (ℓ (e^ε - 1) + 2) / (ℓ (e^ε - 1) + 2 (d + ℓ)),  b = (1 - a) / (d + ℓ - 1)
        p = (ℓ (e^ε - 1) + 1) / (ℓ (e^ε - 1) + 2)

    ε counts that one of at least ℓ = ``padding`` pairs was drawn.

    Reports: (n,): 2 key + 0 for <key,+1>, + 1 for <key,-1>; dummies follow the keys.

    Source: Gu, Li, Cheng, Xiong, Cao 2020, sections 4 and 5.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PCKVGRR(d=3, epsilon=2.0, padding=2)
        >>> counts = m.aggregate(m.perturb([[True, False, True]] * 5, [[0.5, 0.0, -1.0]] * 5))
        >>> counts.support.sum(axis=1).tolist()
        [5, 5, 5]
    """

    name: ClassVar[str] = "PCKVGRR"
    __slots__ = ()

    def _compile(self, grown: Fraction) -> tuple[Position, Padded]:
        gain = self.padding * (grown - 1)
        a = (gain + 2) / (gain + 2 * (self.d + self.padding))
        others = self.d + self.padding - 1
        draft = Position.of(a=a, b=(1 - a) / others, p=(gain + 1) / (gain + 2))
        true = TOTAL - draft.flipped - 2 * others * draft.other  # all weights together are 2**64
        position = Position(true, draft.flipped, draft.other)
        return position, Pairs(d=self.d, padding=self.padding, position=position)

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count both signs of each key; a report of another key is <0,0>."""
        pairs = 2 * (self.d + self.padding)
        rows = as_states(reports, (), pairs)
        named = histogram(rows, pairs)[: 2 * self.d].reshape(self.d, 2)
        rest = rows.size - named.sum(axis=1, keepdims=True)
        return self._counts(np.concatenate([named, rest], axis=1), rows.size)

    def _tally(
        self, n: int, f: Floats, m: Floats, generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw all reports together: they name one key each."""
        law = self._sampled(f, m) @ self.channel.dense().T
        pairs = self._draw_pairs(n, law[:, :2], generator)
        return np.concatenate([pairs, n - pairs.sum(axis=1, keepdims=True)], axis=1)


def reciprocal_sizes(f: Floats, padding: int) -> Floats:
    """Return for each key ``E[1 / max(keys held, padding) | this key is held]``, in O(d²).

    Keys are held independently with probabilities f; the number of the others that are held has
    their Poisson binomial law, all of whose other factors are multiplied from both sides.

    Examples:
        >>> reciprocal_sizes(np.array([0.5, 0.5]), 1).tolist()
        [0.75, 0.75]
    """
    before: list[Floats] = [np.ones(1)]
    for one in f[:-1]:
        before.append(np.convolve(before[-1], [1 - one, one]))
    weights = 1 / np.maximum(np.arange(1, f.size + 1), padding).astype(np.float64)
    out = np.empty(f.size)
    # after[s] = E of the weights when s keys are held already, over the keys that follow
    after = weights
    for i in range(f.size - 1, -1, -1):
        out[i] = before[i] @ after[: before[i].size]
        after = (1 - f[i]) * after[:-1] + f[i] * after[1:] if i else after
    return out
