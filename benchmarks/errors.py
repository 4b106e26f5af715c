"""Errors of releases: root mean squares beside those of 0.1, and bounds beside real errors.

    python benchmarks/errors.py             # about two minutes
    python benchmarks/errors.py --quick     # a look

The table has 10,000 skewed numbers between 0 and 100 in ten groups, the smallest of 92 rows. What
0.1 did is written out here by the same noise: half the price for sums around the middle, half for
numbers of rows; a third of it or a half for the squares.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import sudare as sd
from sudare.ledger import Cost
from sudare.release import Dataset
from sudare.release.noise import Noise

Floats = npt.NDArray[np.float64]
N, TOP = 10_000, 100
PRICES = {"ε = 0.1": Cost.of(epsilon=0.1), "ρ = 0.005": Cost.of(rho=0.005)}
GROUPS = [f"region {i}" for i in range(1, 11)]


def table() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return skewed numbers, of the mean 23.6, and the group of each."""
    rng = np.random.default_rng(0)
    numbers = np.clip(np.rint(rng.gamma(2, 11.7, N)), 0, TOP).astype(np.int64)
    weights = np.arange(1, 11) ** -1.81
    sizes = np.rint(weights / weights.sum() * N).astype(np.int64)
    return numbers, rng.permutation(np.repeat(np.arange(10), sizes))


def data(relation: Any, **options: Any) -> Dataset:
    numbers, groups = table()
    frame = {"x": numbers, "region": np.array(GROUPS)[groups]}
    return Dataset(frame, bounds={"x": (0, TOP)}, neighbours=relation, **options)


class Before:
    """What 0.1 drew, for one relation and price."""

    def __init__(self, relation: str, cost: Cost) -> None:
        self.cost, self.public, self.rng = cost, relation == "replace-one", sd.Entropy.system()
        self.twice = 2 if self.public else 1
        self.numbers, self.groups = table()
        self.near = self.numbers - TOP // 2

    def _noise(self, parts: int, sensitivity: int, squared: int | None = None) -> Noise:
        return Noise.of(Cost(self.cost.unit, self.cost.amount / parts), sensitivity, squared)

    def _sum(self, parts: int) -> Noise:
        return self._noise(parts, TOP if self.public else TOP // 2)

    def count(self) -> float:
        return N + self._noise(2, 1).draw(self.rng)

    def mean(self) -> float:
        if self.public:
            return float(np.clip(50 + (self.near.sum() + self._sum(1).draw(self.rng)) / N, 0, TOP))
        total = self.near.sum() + self._sum(2).draw(self.rng)
        return float(np.clip(50 + total / self.count(), 0, TOP))

    def variance(self) -> float:
        parts = 2 if self.public else 3
        first = self.near.sum() + self._sum(parts).draw(self.rng)
        second = (self.near**2).sum() + self._noise(parts, (TOP // 2) ** 2).draw(self.rng)
        n = N if self.public else N + self._noise(3, 1).draw(self.rng)
        return float(np.clip(second / n - (first / n) ** 2, 0, TOP**2 / 4))

    def integer_variance(self) -> float:
        """Return ``n Σ x² - (Σ x)²`` over n², with noise of the sensitivity ``(n - 1) w²``."""
        x = self.numbers
        whole = int(N * (x**2).sum() - x.sum() ** 2)
        return (whole + Noise.of(self.cost, (N - 1) * TOP**2).draw(self.rng)) / N**2

    def group_means(self) -> list[float]:
        change = TOP // 2 * self.twice
        totals = np.bincount(self.groups, self.near, 10).astype(int).tolist()
        counts = np.bincount(self.groups, minlength=10).tolist()
        noisy = self._noise(2, change, change * change).added(totals, self.rng)
        rows = self._noise(2, self.twice, self.twice).added(counts, self.rng)
        pairs = zip(noisy, rows, strict=True)
        return [float(np.clip(50 + total / max(1, n), 0, TOP)) for total, n in pairs]

    def group_sums(self) -> list[float]:
        change = TOP * self.twice
        totals = np.bincount(self.groups, self.numbers, 10).astype(int).tolist()
        return [
            float(one) for one in self._noise(1, change, change * change).added(totals, self.rng)
        ]


def rms(answers: list[Any], truth: Any) -> Floats:
    return np.asarray(np.sqrt(((np.array(answers) - truth) ** 2).mean(axis=0)))


def shown(question: str, price: str, relation: str, before: Floats, now: Floats) -> None:
    ratios = np.atleast_1d(now / before)
    wide = (
        f"{ratios.min():.2f}" if ratios.size == 1 else f"{ratios.min():.2f} to {ratios.max():.2f}"
    )
    old, new = (float(np.median(one)) for one in (before, now))
    print(f"| {question} | {relation} | {price} | {old:.4g} | {new:.4g} | {wide} |", flush=True)


def errors(times: int) -> None:
    print("| question | relation | price | RMSE of 0.1 | now | ratio |\n|---|---|---|---|---|---|")
    for relation in ("replace-one", "add-remove"):
        for price, cost in PRICES.items():
            compared(times, relation, price, cost)


def compared(times: int, relation: str, price: str, cost: Cost) -> None:
    """Print the errors at one price under one relation."""
    numbers, groups = table()
    sums = np.bincount(groups, numbers, 10)
    db, old, pay = data(relation), Before(relation, cost), {cost.unit: float(cost.amount)}
    by = db.group_by("region", GROUPS)

    def drawn(of: Callable[[], Any]) -> list[Any]:
        return [of() for _ in range(times)]

    def told(of: Any, *asked: Any) -> list[Any]:
        found = drawn(lambda: of(*asked, **pay).value)
        return [list(one.values()) if isinstance(one, dict) else one for one in found]

    def line(what: str, before: Any, now: Any, truth: Any) -> None:
        shown(what, price, relation, rms(before, truth), rms(now, truth))

    line("mean", drawn(old.mean), told(db.mean, "x"), numbers.mean())
    if relation == "add-remove":
        rows = drawn(lambda: db.mean("x", **pay).rows)
        line("its number of rows", drawn(old.count), rows, N)
    variance, now = numbers.var(), told(db.variance, "x")
    line("variance", drawn(old.variance), now, variance)
    if relation == "replace-one":
        line("variance, integer form", drawn(old.integer_variance), now, variance)
        line("ten group sums", drawn(old.group_sums), told(by.sum, "x"), sums)
    means = sums / np.bincount(groups, minlength=10)
    line("ten group means", drawn(old.group_means), told(by.mean, "x"), means)


def bounds(times: int) -> None:
    """Print how wide bounds at 95 % are beside the real errors, and how often they hold."""
    numbers, groups = table()
    sizes = np.bincount(groups, minlength=10)
    means = np.bincount(groups, numbers, 10) / sizes
    print("\n| question | relation | ε | bound / 95 % error | widest of 0.1 | held |")
    print("|---|---|---|---|---|---|")
    for relation in ("replace-one", "add-remove"):
        db = data(relation)
        for epsilon in (0.1, 1.0):
            whole = {"mean": (db.mean, numbers.mean()), "variance": (db.variance, numbers.var())}
            for kind, (ask, true) in whole.items():
                some = [ask("x", epsilon=epsilon) for _ in range(times)]
                off = np.abs(np.array([one.value for one in some]) - true)
                wide = np.array([one.bound() for one in some])
                ratio, held = wide.mean() / np.quantile(off, 0.95), (off <= wide).mean()
                print(f"| {kind} | {relation} | {epsilon:g} | {ratio:.2f} | | {held:.3f} |")
            by = db.group_by("region", GROUPS)
            several = [by.mean("x", epsilon=epsilon) for _ in range(times)]
            off = np.abs(np.array([list(one.value.values()) for one in several]) - means)
            wide = np.array([list(one.bounds().values()) for one in several])
            real = np.quantile(off, 0.95, axis=0)
            ratios, held = wide.mean(axis=0) / real, (off <= wide).mean(axis=0)
            twice = 2 if relation == "replace-one" else 1
            # the bound of the smallest group, which 0.1 told for all
            steps = 2 * twice * TOP / 2 / epsilon * 2 * math.log(1 / 0.025)
            old = (steps / sizes.min() / real).max()
            ratio = f"{ratios.min():.2f} to {ratios.max():.2f}"
            kept = f"{held.min():.3f} to {held.max():.3f}"
            print(f"| group means | {relation} | {epsilon:g} | {ratio} | {old:.0f} | {kept} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    several = 300 if parser.parse_args().quick else 4_000
    errors(several)
    bounds(several)
