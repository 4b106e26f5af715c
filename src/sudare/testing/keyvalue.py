"""The checks of key-value mechanisms: which keys somebody holds, and a value for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact.entropy import Entropy, Randomness
from sudare.mechanisms import KeyValue
from sudare.mechanisms.keyvalue.validation import NOT_HELD, STEPS
from sudare.testing.core import Checked, resized
from sudare.testing.family import OUTSIDE, Batch
from sudare.testing.law import Law

_STATES = (1.0, -1.0, None, 0.5)
_SMALL = 2


class _KeyValues(Checked[KeyValue]):
    """Lists of a value in [-1, 1] or None (not held) a key.

    PrivKVM is looked at round by round, with means of 0 fed back: what people who do not hold a
    key send then is a value of 0.
    """

    at_random: ClassVar[bool] = True

    def subjects(self, m: KeyValue) -> tuple[KeyValue, ...]:
        return (m,) if m.d == _SMALL else (resized(m, d=_SMALL), m)

    def answers(self, m: KeyValue) -> Sequence[Any]:
        """Return all lists of +1, -1, 1/2 and not held; of many keys some of those."""
        if m.d == _SMALL:
            return [list(row) for row in product(_STATES, repeat=m.d)]
        return [[_STATES[(i + j * (i // 4 + 1)) % 4] for j in range(m.d)] for i in range(16)]

    def batch(self, m: KeyValue, answers: Sequence[Any]) -> Batch:
        held = np.array([[one is not None for one in row] for row in answers])
        values = np.array([[0.0 if one is None else one for one in row] for row in answers])
        return held, values

    def given(self, m: Any, answer: Any) -> Any:
        """Return positions, for each of the rounds where there are any."""
        own = m._value(answer)
        fed = [STEPS // 2 if position == NOT_HELD else position for position in own]
        return [own, *[fed] * (m.rounds - 1)] if self._rounds(m) else own

    def _rounds(self, m: KeyValue) -> bool:
        return hasattr(m, "rounds")

    def alone(self, m: KeyValue) -> bool:
        """Whether one report is all: a device cannot know the means of rounds to come."""
        return not self._rounds(m)

    def perturb(self, m: Any, batch: Batch, rng: Randomness) -> npt.NDArray[Any]:
        if self.alone(m):
            return super().perturb(m, batch, rng)
        none = np.zeros(m.d)
        rounds = [m.perturb_round(i, *batch, none, rng=rng) for i in range(m.rounds)]
        return np.stack(rounds, axis=1)

    def bad_answers(self, m: KeyValue) -> Iterator[Any]:
        good = [0.5] * m.d
        for bad in (float("nan"), "0", True, -1.01, 2, float(OUTSIDE), [0]):
            yield [*good[:-1], bad]
        yield from (good[1:], [*good, None], None, OUTSIDE)

    def bad_batches(self, m: KeyValue) -> Iterator[tuple[Any, ...]]:
        held, values = np.full((2, m.d), True), np.zeros((2, m.d))
        for bad in (float("nan"), -1.01, 2.0, float(OUTSIDE)):
            wrong = values.copy()
            wrong[1, -1] = bad
            yield held, wrong
        for marks in (held[0], held[:, 1:], held.astype(float), None, "01", held[:0]):
            yield marks, values
        for numbers in (values[0], values[:, 1:], values > 1, None, "01", values[:1]):
            yield held, numbers

    def attains(self, m: KeyValue) -> bool:
        """Whether two people reach the ratio: padding mixes pairs, as does holding
        many keys, and rounds are added up."""
        return m.padding == 1 and self.alone(m) and (m.d == _SMALL or not self._padded(m))

    def channels(self, m: KeyValue, law: Law) -> Iterator[tuple[Floats, Floats]]:
        """Yield the channel of one key, and the law of reports about it, of which there are 1/d."""
        if m.d == _SMALL and self.alone(m) and not self._padded(m):
            first = [i * len(_STATES) for i in range(3)]  # the states of the first key
            yield m.channel.dense(), law.table[:3, first] * m.d

    def truth(self, m: KeyValue, answers: Sequence[Any], weights: Floats) -> Floats:
        held, values = self.batch(m, answers)
        share = weights @ held
        with np.errstate(invalid="ignore"):
            means = weights @ (held * values) / share
        return np.concatenate([share, means if self.alone(m) else np.full(m.d, np.nan)])

    def method(self, m: KeyValue) -> str:
        return m.methods[0]

    def plausible(self, m: KeyValue, answers: Sequence[Any]) -> npt.NDArray[np.bool_]:
        """Return lists of signs alone, and of as many keys at most as padding makes up for.

        Errors are those of the signs of states: what a value between -1 and 1 adds when it is
        rounded to a sign is counted as the population's.
        """
        held, values = self.batch(m, answers)
        signs = (np.abs(values) == held).all(axis=1)
        few = held.sum(axis=1) <= (m.padding if self._padded(m) else m.d)
        both: npt.NDArray[np.bool_] = signs & few
        return both

    def _padded(self, m: KeyValue) -> bool:
        return hasattr(m, "position")

    def estimated(self, m: KeyValue, estimate: Any) -> tuple[Floats, Floats]:
        return (
            np.concatenate([estimate.frequency, estimate.mean]),
            np.concatenate([estimate.stderr_frequency, estimate.stderr_mean]),
        )

    def exact_errors(self, m: KeyValue, target: Target) -> npt.NDArray[np.bool_]:
        """Return all for the population, for the respondents the frequencies: of their means, and
        of what padding mixes, no more than a bound is stated."""
        frequencies = target == "population" or not self._padded(m)
        return np.repeat([frequencies, target == "population"], m.d)

    def simulate(self, m: KeyValue, answers: Sequence[Any], truth: Any, rng: Entropy) -> Counts:
        n = int(truth.sum())
        held, values = self.batch(m, answers)
        share = truth @ held / n
        with np.errstate(invalid="ignore"):
            means = truth @ (held * values) / n / share
        return m.simulate(n, share, means, rng=rng)

    def bad_simulations(self, m: KeyValue) -> Iterator[tuple[Any, ...]]:
        half = np.full(m.d, 0.5)
        for n in (None, 0, 1.5, -1):
            yield n, half, half
        for bad in (None, [0.5], half - 1, half + 1, half * np.nan, "01"):
            yield 10, bad, half

    def simulated(self, m: KeyValue) -> list[npt.NDArray[np.int64]]:
        """Return all cells, or those of the first round: later ones depend on what it found.

        None of many keys of which a part is drawn: people who hold some at random are not those
        of a few answers.
        """
        return [] if self._padded(m) and m.d != _SMALL else [np.arange(3 * m.d)]


FAMILY = _KeyValues()
