"""Wrong in ``simulate``: no noise, too much, or in the wrong places."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
from broken import found_by

import sudare as sd
from sudare.estimation.support import PairLaw


def expected(m: Any, truth: Any) -> Any:
    p, q = (float(x) for x in m.support_probabilities)
    return truth * p + (truth.sum() - truth) * q


@found_by("simulates_concentrated_answers", k=4)
class Noiseless(sd.OUE):
    """Simulates expected supports."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        return np.rint(expected(self, truth)).astype(np.int64)


@found_by("simulates_concentrated_answers", k=1000)
class NoiselessWhereLarge(sd.OUE):
    """Simulates expected supports where k > 4."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if self.k <= 4:
            return super()._simulate(truth, generator)
        return np.rint(expected(self, truth)).astype(np.int64)


@found_by("simulates_spread_answers", k=300)
class NoiselessForMany(sd.OUE):
    """Simulates expected supports for many respondents."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if truth.sum() <= 100_000:
            return super()._simulate(truth, generator)
        return np.rint(expected(self, truth)).astype(np.int64)


@found_by("simulates_concentrated_answers", k=300)
class TooNoisy(sd.OUE):
    """Doubles the noise of a simulation where k > 4."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        support = super()._simulate(truth, generator)
        if self.k <= 4:
            return support
        mean = expected(self, truth)
        return np.clip(np.rint(mean + 2 * (support - mean)), 0, truth.sum()).astype(np.int64)


@found_by("simulates_concentrated_answers", k=300)
class OneNoise(sd.OUE):
    """Gives all categories the same noise where k > 4: each alone has the right spread."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if self.k <= 4:
            return super()._simulate(truth, generator)
        p, q = (float(x) for x in self.support_probabilities)
        spread = np.sqrt(truth * p * (1 - p) + (truth.sum() - truth) * q * (1 - q))
        drawn = np.rint(expected(self, truth) + spread * generator.standard_normal())
        return np.clip(drawn, 0, truth.sum()).astype(np.int64)


@found_by("simulates_concentrated_answers", k=3)
class FreeNoise(sd.GRR):
    """Draws the supports of GRR one by one, as if they need not add up."""

    @property
    def law(self) -> Any:
        return PairLaw(*astuple(super().law))

    def _simulate(self, truth: Any, generator: Any) -> Any:
        p, q = (float(x) for x in self.support_probabilities)
        return generator.binomial(truth, p) + generator.binomial(truth.sum() - truth, q)


@found_by("simulates_concentrated_answers", k=4, epsilon=3)
class Moved(sd.GRR):
    """Moves a fiftieth of the simulated supports from the first category to the last."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        support = super()._simulate(truth, generator)
        moved = min(support.sum() // 50, support[0])
        support[0] -= moved
        support[-1] += moved
        return support


@found_by("simulates_concentrated_answers")
class SameSimulation(sd.GRR):
    """Simulates from one seed."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        return super()._simulate(truth, np.random.default_rng(1))


@found_by("simulates_concentrated_answers", k=20)
class Twins(sd.GRR):
    """Simulates everything twice."""

    calls = 0
    state: Any = None

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if self.calls % 2 == 0:
            type(self).state = generator.bit_generator.state
        type(self).calls += 1
        generator.bit_generator.state = self.state
        return super()._simulate(truth, generator)


@found_by("simulates_concentrated_answers", k=300)
class Seesaw(sd.OUE):
    """Takes from every other category what it gives to its neighbours, where k > 4."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if self.k <= 4:
            return super()._simulate(truth, generator)
        p, q = (float(x) for x in self.support_probabilities)
        spread = np.sqrt(truth * p * (1 - p) + (truth.sum() - truth) * q * (1 - q))
        sign = np.where(np.arange(self.k) % 2, 1, -1)
        drawn = np.rint(expected(self, truth) + sign * spread * generator.standard_normal())
        return np.clip(drawn, 0, truth.sum()).astype(np.int64)
