"""What an attack gains: analytically, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import WrongTypeError
from sudare.estimation import Counts
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy
from sudare.mechanisms.base import Mechanism
from sudare.poisoning.attack import Attack
from sudare.poisoning.surface import Surface
from sudare.poisoning.validation import as_beta

MOST_TRIALS = 1_000_000
MOST_PEOPLE = 1 << 53


@dataclass(frozen=True, eq=False)
class Gain:
    """How much larger the estimates of the targets are with the fake reports than without.

    Attributes:
        frequency: (r,) of each target's estimated frequency or share.
        mean: (r,) of each target's estimated mean; None for one of k categories.
        method: how frequencies and means were estimated.
        clipped: whether estimates were moved into [0, 1] and [-1, 1].
        stderr_frequency, stderr_mean: (r,) standard errors over the trials; None where analytic.
        stderr_total_frequency, stderr_total_mean: those of the totals.
        trials: number of trials; None where analytic.
    """

    frequency: Floats
    mean: Floats | None
    method: str
    clipped: bool
    stderr_frequency: Floats | None = None
    stderr_mean: Floats | None = None
    stderr_total_frequency: float | None = None
    stderr_total_mean: float | None = None
    trials: int | None = None

    @property
    def total_frequency(self) -> float:
        """G_f: the sum over the targets."""
        return float(self.frequency.sum())

    @property
    def total_mean(self) -> float | None:
        """G_m: the sum over the targets."""
        return None if self.mean is None else float(self.mean.sum())


def gain(
    mechanism: Mechanism,
    attack: Attack,
    beta: float,
    frequency: npt.ArrayLike | None = None,
    mean: npt.ArrayLike | None = None,
    *,
    method: str | None = None,
    clipped: bool = False,
    index_control: bool = False,
) -> Gain:
    """Return the gain of an attack, computed from exact laws without drawing anything.

    ::

        G = Σ over targets of  estimate((1 - β) honest law + β fake law) - estimate(honest law)

    This is the limit for many people. Where the estimate is linear in the counts (``"unbiased"``
    frequencies and shares, not clipped) it is the exact expectation for any number, given that each
    report is a fake one with probability β. An undefined mean, of a key that nobody is estimated
    to hold, counts as 0.

    Args:
        mechanism: what is attacked.
        attack: by what.
        beta: β, share of fake respondents among all, above 0 and below 1.
        frequency: true frequencies, (d,) or a number for all keys; for one of k categories the
            (k,) true shares, or None for equal ones.
        mean: true means, (d,) or a number; nothing for categories.
        method: of ``mechanism.estimate``; its first one by default.
        clipped: move estimates into [0, 1] and [-1, 1] before they are compared.
        index_control: the collector draws the key of a report.

    Raises:
        WrongTypeError, DomainError: an argument is out of range, or the attack is not defined
            for the mechanism.

    Source: Wu, Cao, Jia, Gong 2022 and Cao, Jia, Gong 2021 (``docs/poisoning.md``).

    Examples:
        >>> import sudare as sd
        >>> m = sd.PrivKV(d=50, epsilon=1.0, split="half")
        >>> attack = sd.poisoning.M2GA(targets=[0])
        >>> round(sd.poisoning.gain(m, attack, 0.05, 0.3, 0.2).total_frequency, 3)
        1.624
        >>> controlled = sd.poisoning.gain(m, attack, 0.05, 0.3, 0.2, index_control=True)
        >>> round(controlled.total_frequency, 3)
        0.112
    """
    share = as_beta(beta)
    solve = _Estimator(mechanism, attack, method, clipped)
    law = attack.law(mechanism, index_control=index_control)
    truth = solve.seen.truth(frequency, mean)
    after, before = (solve(solve.seen.expected(truth, law.rates, part)) for part in (share, 0.0))
    return Gain(*_rows(after - before), solve.method, solve.clipped)


def simulate_gain(
    mechanism: Mechanism,
    attack: Attack,
    beta: float,
    frequency: npt.ArrayLike | None = None,
    mean: npt.ArrayLike | None = None,
    *,
    n: int,
    trials: int = 50,
    method: str | None = None,
    clipped: bool = False,
    index_control: bool = False,
    rng: Randomness = None,
) -> Gain:
    """Return the mean gain over simulated collections, each drawn from aggregate laws.

    Args:
        mechanism, attack, beta, frequency, mean, method, clipped, index_control: as in
            :func:`gain`.
        n: number of respondents, of whom round(β n) are fake; at least one of each.
        trials: number of collections, at least 2.
        rng: a seed, NumPy generator or Entropy to repeat a simulation.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PrivKV(d=50, epsilon=1.0, split="half")
        >>> rng = sd.Entropy.seeded(b"gain")
        >>> attack = sd.poisoning.M2GA(targets=[0])
        >>> g = sd.poisoning.simulate_gain(m, attack, 0.05, 0.3, 0.2, n=100_000, rng=rng)
        >>> abs(g.total_frequency - 1.624) < 4 * g.stderr_total_frequency
        True
    """
    rounds = as_integer(trials, "trials", low=2, high=MOST_TRIALS)
    simulation = Simulation(mechanism, attack, beta, frequency, mean, n=n, method=method,
                            clipped=clipped, index_control=index_control, rng=rng)  # fmt: skip
    return simulation.summary(next(simulation) for _ in range(rounds))


class Simulation(Iterator[Floats]):
    """Trials of :func:`simulate_gain` one after the other, for whoever shows their progress."""

    def __init__(
        self,
        mechanism: Mechanism,
        attack: Attack,
        beta: float,
        frequency: npt.ArrayLike | None = None,
        mean: npt.ArrayLike | None = None,
        *,
        n: int,
        method: str | None = None,
        clipped: bool = False,
        index_control: bool = False,
        rng: Randomness = None,
    ) -> None:
        share = as_beta(beta)
        self._people = as_integer(n, "n", low=2, high=MOST_PEOPLE)
        self._fakes = min(max(round(share * self._people), 1), self._people - 1)
        self._solve = _Estimator(mechanism, attack, method, clipped)
        self._law = attack.law(mechanism, index_control=index_control)
        self._truth = self._solve.seen.truth(frequency, mean)
        self._rng = as_entropy(rng)

    def __next__(self) -> Floats:
        """Return one trial's gains of all targets: (2, r) or, for categories, (1, r)."""
        seen = self._solve.seen
        before = seen.draw(self._truth, self._people - self._fakes, self._rng)
        generator = self._rng.generator()
        added = self._law.support(self._fakes, generator)
        support = seen.joined(before, self._truth, added, generator)
        return self._solve(Counts(support, self._people, before.mechanism)) - self._solve(before)

    def summary(self, trials: Iterable[Floats]) -> Gain:
        """Return the mean gain over trials, at least two, with its standard errors."""
        drawn = np.stack(list(trials))
        each, total = (
            np.std(part, axis=0, ddof=1) / math.sqrt(len(drawn))
            for part in (drawn, drawn.sum(axis=2))
        )
        rows = _rows(drawn.mean(axis=0))
        errors = (*_rows(each), *_rows(total.tolist()))
        return Gain(*rows, self._solve.method, self._solve.clipped, *errors, len(drawn))


class _Estimator:
    """From counts to the estimates of the targets: frequencies, and means where there are any."""

    def __init__(
        self, mechanism: Mechanism, attack: Attack, method: str | None, clipped: bool
    ) -> None:
        if not isinstance(attack, Attack):
            raise WrongTypeError("attack", "must be an attack", "such as M2GA(targets=[0])")
        if not isinstance(clipped, bool):
            raise WrongTypeError("clipped", "must be True or False")
        self.seen: Surface = attack.surface(mechanism)
        self.method = self.seen.methods[0] if method is None else method
        self.clipped = clipped
        self._targets = attack.places(self.seen)

    def __call__(self, counts: Counts) -> Floats:
        estimate = self.seen.mechanism.estimate(counts, self.method)
        found = self.seen.found(estimate, self._targets)
        ends = np.array(self.seen.ends)[:, None]
        return np.clip(found, ends, 1.0) if self.clipped else found


def _rows(both: Any) -> tuple[Any, Any]:
    """Return what is of frequencies and, where there are means, what is of them."""
    return both[0], both[1] if len(both) > 1 else None
