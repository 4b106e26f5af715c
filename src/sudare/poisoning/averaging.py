"""The averaging attack: whoever sees all rounds of a person guesses the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.errors import WrongTypeError
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, as_entropy
from sudare.mechanisms.frequency.local_hashing import LocalHash
from sudare.mechanisms.repeated import LGRR, LOLOHA, DBitFlipPM, Repeated
from sudare.mechanisms.repeated.dbitflip import NO, YES
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
    rng: Entropy | None = None,
) -> list[Guessed]:
    """Guess the answers of people who give the same one in each round, from all their reports.

    The guess is the most likely answer, all being equally likely beforehand: the one that was
    reported most often. Who draws anew in each round is found out in the end; who reports a
    permanent answer never more than by that answer.

    Args:
        m: a mechanism of a repeated question.
        rounds: after how many to guess, each 1 to 10^6.
        people: how many are simulated.
        rng: :meth:`Entropy.seeded` to repeat a simulation.

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
    kept = _Watched(m, values, source, generator, permanent=True)
    anew = _Watched(m, values, source, generator, permanent=False)
    out = []
    for step in steps:
        right, afresh = (float((one.guess(step) == values).mean()) for one in (kept, anew))
        error = math.sqrt(max(right * (1 - right), 0.25 / n) / n)
        out.append(Guessed(step, right, error, afresh, bound(m)))
    return out


def bound(m: Repeated) -> float:
    """Return how often the best guess from the permanent answer itself is right.

    Examples:
        >>> import sudare as sd
        >>> round(bound(sd.LGRR(k=4, epsilon=1.0, permanent=2.0)), 3)
        0.711
    """
    if isinstance(m, LOLOHA):
        return LocalHash(m.program.family, m.permanent).guess_probability
    return float(m.permanent.guess_probability)


class _Watched:
    """People of whom an observer counts what was reported of each symbol."""

    def __init__(
        self,
        m: Any,
        values: Integers,
        rng: Entropy,
        generator: np.random.Generator,
        permanent: bool,
    ) -> None:
        self._m, self._generator, self._seen = m, generator, 0
        self._functions = None
        symbols = values
        if isinstance(m, LOLOHA):
            self._functions = m._drawn_many(values.size, rng)
            symbols = m._keys(values, self._functions)
        if isinstance(m, DBitFlipPM):
            self._rates = self._of_answers(m, values, rng, permanent)
        elif isinstance(m, Flipped):
            self._rates = self._of_bits(m, values, rng, permanent)
        else:
            told, size = _keep(m), m.permanent.k
            program: Keep = m.instant if permanent else told
            settled = m.permanent.draw(symbols, rng) if permanent else symbols
            total = 1 << program.width
            self._rates = np.full((values.size, size), program.step / total)
            self._rates[np.arange(values.size), settled] += program.keep / total
        self._counts = np.zeros(self._rates.shape, dtype=np.int64)

    @staticmethod
    def _of_answers(m: DBitFlipPM, values: Integers, rng: Entropy, permanent: bool) -> Floats:
        """Return how often a yes and a no come, (n, k, 3) beside nothing."""
        if permanent:
            return np.asarray(m.program.draw(values, rng)[..., None] == np.arange(3), np.float64)
        (p, q), asked = (float(one) for one in m.program.rates), m.d / m.k
        yes = asked * np.where(values[:, None] == np.arange(m.k), p, q)
        return np.stack([np.full_like(yes, 1 - asked), asked - yes, yes], axis=-1)

    @staticmethod
    def _of_bits(m: Flipped, values: Integers, rng: Entropy, permanent: bool) -> Floats:
        if permanent:
            flip = float(1 - m.instant.own / (1 << m.instant.width))
            rows: npt.NDArray[np.bool_] = unpacked(m.permanent.draw(values, rng), m.k)
            return np.where(rows, 1 - flip, flip)
        p, q = (float(one) for one in m.support_probabilities)
        return np.where(values[:, None] == np.arange(m.k), p, q)

    def guess(self, rounds: int) -> Integers:
        """Return the best guess of each person's value after so many rounds in all."""
        more, self._seen = rounds - self._seen, rounds
        draw = self._generator
        if isinstance(self._m, DBitFlipPM):
            self._counts += draw.multinomial(more, self._rates)
            return _first(self._counts[..., YES] - self._counts[..., NO], draw)
        if isinstance(self._m, Flipped):
            self._counts += draw.binomial(more, self._rates)
        else:
            rates = self._rates / self._rates.sum(axis=1, keepdims=True)
            self._counts += draw.multinomial(more, rates)
        symbols = _first(self._counts, draw)
        if self._functions is None:
            return symbols
        hashes = self._m.program.family.hashes(
            self._functions[:, None], np.arange(self._m.k)[None, :]
        )
        return _first(hashes == symbols[:, None], draw)


def _keep(m: Any) -> Keep:
    """Return the program of one report about a symbol."""
    return m.program if isinstance(m, LGRR) else m.program.part


def _first(numbers: npt.NDArray[Any], generator: np.random.Generator) -> Integers:
    """Return where each row is largest, one of several at random."""
    return np.asarray((numbers + generator.random(numbers.shape) / 2).argmax(axis=1))
