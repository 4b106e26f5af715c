"""How well people are told who pick their level of ε: the table of ``docs/levels.md``.

    python tests/mechanisms/levels/figures_of_levels.py

Collections are simulated by exact laws from a seed: in each, N people are a random sample of a
population in which a level is picked with or without regard to the answer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import sudare as sd

REPETITIONS = 20_000
CHOICE = sd.Levels([sd.GRR(4, 0.5), sd.GRR(4, 1.0), sd.GRR(4, 3.0)])
TABLE = sd.Levels([sd.JointRR([2, 3], gamma=g) for g in (3, 10)])
SHARES = (0.4, 0.3, 0.2, 0.1)
CELLS = ((0.3, 0.1, 0.1), (0.05, 0.2, 0.25))


@dataclass(frozen=True)
class Scenario:
    """A population: of each level how many pick it, and what these hold."""

    name: str
    mechanism: Any
    picked: tuple[float, ...]
    held: Any
    n: int = 3000
    target: Any = "population"
    method: str = "unbiased"

    @property
    def joint(self) -> npt.NDArray[np.float64]:
        """Share of the population at each level with each answer."""
        held = np.array(self.held, dtype=np.float64)
        sizes = np.array(self.picked).reshape(-1, *[1] * (held.ndim - 1))
        return sizes * held


SKEWED = ((0.7, 0.1, 0.1, 0.1), (0.4, 0.3, 0.2, 0.1), (0.1, 0.5, 0.3, 0.1))
CROSSED = (CELLS, ((0.1, 0.3, 0.1), (0.25, 0.05, 0.2)))
SCENARIOS = (
    Scenario("choice, picked by chance", CHOICE, (0.5, 0.3, 0.2), (SHARES,) * 3),
    Scenario("choice, picked by the answer", CHOICE, (0.5, 0.3, 0.2), SKEWED),
    Scenario("the same, of the respondents", CHOICE, (0.5, 0.3, 0.2), SKEWED, target="respondents"),
    Scenario("the same, 200 people", CHOICE, (0.5, 0.3, 0.2), SKEWED, 200),
    Scenario("table, picked by the answer", TABLE, (0.6, 0.4), CROSSED),
    Scenario("choice, picked by chance, pooled", CHOICE, (0.5, 0.3, 0.2), (SHARES,) * 3,
             method="pooled"),
    Scenario("choice, picked by the answer, pooled", CHOICE, (0.5, 0.3, 0.2), SKEWED,
             method="pooled"),
)  # fmt: skip


def collections(one: Scenario, repetitions: int, rng: sd.Entropy) -> Iterator[tuple[Any, Any]]:
    """Yield counts, and the true shares that they are about."""
    joint, generator = one.joint, rng.generator()
    truth = joint.sum(axis=0)
    fixed = np.round(one.n * joint).astype(np.int64)
    for _ in range(repetitions):
        people = fixed
        if one.target == "population":
            people = generator.multinomial(one.n, joint.ravel()).reshape(joint.shape)
        else:
            truth = fixed.sum(axis=0) / fixed.sum()
        yield one.mechanism.simulate(people, rng=rng), truth


def measured(one: Scenario, repetitions: int, seed: bytes = b"levels") -> dict[str, float]:
    """Return how often intervals hold the truth, and stated over real errors, of all cells."""
    rows = []
    for counts, truth in collections(one, repetitions, sd.Entropy.seeded(seed)):
        found = one.mechanism.estimate(counts, one.method, one.target)
        low, high = found.interval(0.95)
        within = (low <= truth) & (truth <= high)
        rows.append(np.stack([found.shares - truth, found.stderr**2, within]))
    error, variance, within = (
        column.reshape(repetitions, -1) for column in np.array(rows).swapaxes(0, 1)
    )
    real = error.var(axis=0).mean()
    return {
        "stderr": float(np.sqrt(real)),
        "bias": float(np.abs(error.mean(axis=0)).max()),
        "ratio": float(np.sqrt(variance.mean() / real)),
        "coverage": float(100 * within.mean()),
    }


def main() -> None:
    print("| scenario | standard error | largest bias | stated / real error | coverage |")
    print("|---|---|---|---|---|")
    for one in SCENARIOS:
        found = measured(one, REPETITIONS)
        print(
            f"| {one.name} | {found['stderr']:.4f} | {found['bias']:.4f} "
            f"| {found['ratio']:.3f} | {found['coverage']:.1f} % |"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
