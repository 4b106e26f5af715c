"""The averaging attack: whoever sees all rounds of a person guesses the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.errors import WrongTypeError
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.mechanisms.frequency.local_hashing import LocalHash
from sudare.mechanisms.repeated import LGRR, LOLOHA, DBitFlipPM, Repeated
from sudare.mechanisms.repeated.dbitflip import NO, YES
from sudare.mechanisms.repeated.direct import Twice
from sudare.mechanisms.repeated.unary import Flipped, unpacked
from sudare.samplers import Keep

MOST_ROUNDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Guessed:
    """How often the answer was guessed from all reports of so many rounds.

    Attributes:
        rounds: that were seen.
        guessed: share of the people whose answer was guessed.
        stderr: its standard error: a random sample of people.
        afresh: the same where each round is randomised anew by the same law.
        bound: how often the best guess is right from the permanent answer itself: no number of
            rounds gives more.
    """

    rounds: int
    guessed: float
    stderr: float
    afresh: float
    bound: float


def averaging(
    m: Repeated,
    rounds: Sequence[int] = (1, 10, 100, 1000),
    *,
    people: int = 10_000,
    rng: Randomness = None,
) -> list[Guessed]:
    """Guess the answers of people who give the same one in each round, from all their reports.

    The guess is the most likely answer, all being equally likely beforehand: the one that was
    reported most often. Who draws anew in each round is found out in the end; who reports a
    permanent answer never more than by that answer.

    Args:
        m: a mechanism of a repeated question.
        rounds: after how many to guess, each 1 to 10^6.
        people: how many are simulated.
        rng: a seed, NumPy generator or Entropy to repeat a simulation.

    Raises:
        WrongTypeError, DomainError: not such a mechanism, or an argument is out of range.

    Source: Erlingsson, Pihur, Korolova 2014, section 3.2; ``docs/proofs/repeated.md``, item 5.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LGRR(k=4, epsilon=1.0, permanent=2.0)
        >>> last = averaging(m, [1000], people=2000, rng=sd.Entropy.seeded(b"attack"))[0]
        >>> round(last.bound, 3), abs(last.guessed - last.bound) < 0.03, last.afresh
        (0.711, True, 1.0)
    """
    if not isinstance(m, Repeated):
        raise WrongTypeError("mechanism", "must be of a repeated question", "such as LGRR")
    steps = sorted(as_integer(one, "rounds", low=1, high=MOST_ROUNDS) for one in rounds)
    n = as_integer(people, "people", low=1, high=10**7)
    source = as_entropy(rng)
    generator = source.generator()
    values = generator.integers(m.k, size=n)
    kept, anew = (_watched(m, values, source, generator, own) for own in (True, False))
    out = []
    for step in steps:
        right, afresh = (float((one.guess(step) == values).mean()) for one in (kept, anew))
        error = math.sqrt(max(right * (1 - right), 0.25 / n) / n)
        out.append(Guessed(step, right, error, afresh, bound(m)))
    return out


@singledispatch
def bound(m: Repeated) -> float:
    """Return how often the best guess from the permanent answer itself is right.

    Examples:
        >>> import sudare as sd
        >>> round(bound(sd.LGRR(k=4, epsilon=1.0, permanent=2.0)), 3)
        0.711
    """
    return float(m.permanent.guess_probability)


@bound.register
def _(m: LOLOHA) -> float:
    return LocalHash(m.program.family, m.permanent).guess_probability


class _Watched:
    """People of whom an observer counts what was reported of each symbol."""

    def __init__(self, rates: Floats, generator: np.random.Generator) -> None:
        self._rates, self._generator, self._seen = rates, generator, 0
        self._counts = np.zeros(rates.shape, dtype=np.int64)

    def guess(self, rounds: int) -> Integers:
        """Return the best guess of each person's value after so many rounds in all."""
        more, self._seen = rounds - self._seen, rounds
        self._counts += self._reported(more)
        return self._best()

    def _reported(self, rounds: int) -> Integers:
        rates = self._rates / self._rates.sum(axis=1, keepdims=True)
        return np.asarray(self._generator.multinomial(rounds, rates))

    def _best(self) -> Integers:
        return _first(self._counts, self._generator)


class _Hashes(_Watched):
    """The symbols are hashes by a function that the observer knows of each person."""

    def __init__(
        self, rates: Floats, generator: np.random.Generator, hashes: npt.NDArray[Any]
    ) -> None:
        super().__init__(rates, generator)
        self._hashes = hashes

    def _best(self) -> Integers:
        return _first(self._hashes == super()._best()[:, None], self._generator)


class _Bits(_Watched):
    def _reported(self, rounds: int) -> Integers:
        return np.asarray(self._generator.binomial(rounds, self._rates))


class _Answers(_Watched):
    def _reported(self, rounds: int) -> Integers:
        return np.asarray(self._generator.multinomial(rounds, self._rates))

    def _best(self) -> Integers:
        return _first(self._counts[..., YES] - self._counts[..., NO], self._generator)


@singledispatch
def _watched(
    m: Repeated, values: Integers, rng: Entropy, generator: np.random.Generator, permanent: bool
) -> _Watched:
    """Return people with these values, seen by their permanent answer or each round afresh."""
    raise WrongTypeError("mechanism", "must be one whose answers are guessed", "such as LGRR")


@_watched.register
def _(
    m: LGRR, values: Integers, rng: Entropy, generator: np.random.Generator, permanent: bool
) -> _Watched:
    return _Watched(_kept(m, m.program, values, rng, permanent), generator)


@_watched.register
def _(
    m: LOLOHA, values: Integers, rng: Entropy, generator: np.random.Generator, permanent: bool
) -> _Watched:
    functions = m._drawn_many(values.size, rng)
    rates = _kept(m, m.program.part, m._keys(values, functions), rng, permanent)
    hashes = m.program.family.hashes(functions[:, None], np.arange(m.k)[None, :])
    return _Hashes(rates, generator, hashes)


def _kept(m: Twice, told: Keep, symbols: Integers, rng: Entropy, permanent: bool) -> Floats:
    """Return how often each symbol comes from each person, (n, symbols)."""
    program = m.instant if permanent else told
    settled = m.permanent.draw(symbols, rng) if permanent else symbols
    total = 1 << program.width
    rates = np.full((symbols.size, m.permanent.k), program.step / total)
    rates[np.arange(symbols.size), settled] += program.keep / total
    return rates


@_watched.register
def _(
    m: Flipped, values: Integers, rng: Entropy, generator: np.random.Generator, permanent: bool
) -> _Watched:
    if permanent:
        flip = float(1 - m.instant.own / (1 << m.instant.width))
        rows: npt.NDArray[np.bool_] = unpacked(m.permanent.draw(values, rng), m.k)
        return _Bits(np.where(rows, 1 - flip, flip), generator)
    p, q = (float(one) for one in m.support_probabilities)
    return _Bits(np.where(values[:, None] == np.arange(m.k), p, q), generator)


@_watched.register
def _(
    m: DBitFlipPM, values: Integers, rng: Entropy, generator: np.random.Generator, permanent: bool
) -> _Watched:
    """How often a yes and a no come, (n, k, 3) beside nothing."""
    if permanent:
        answers = m.program.draw(values, rng)[..., None] == np.arange(3)
        return _Answers(np.asarray(answers, np.float64), generator)
    (p, q), asked = (float(one) for one in m.program.rates), m.d / m.k
    yes = asked * np.where(values[:, None] == np.arange(m.k), p, q)
    return _Answers(np.stack([np.full_like(yes, 1 - asked), asked - yes, yes], axis=-1), generator)


def _first(numbers: npt.NDArray[Any], generator: np.random.Generator) -> Integers:
    """Return where each row is largest, one of several at random."""
    return np.asarray((numbers + generator.random(numbers.shape) / 2).argmax(axis=1))
