"""Unary encodings: packed dyadic bits, and OUE's own q."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from randomness import words
from timing import Row, interleave

import sudare as sd

N = 1 << 16
K = 128
WIDE = 1024
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0)


def usual(
    values: npt.NDArray[np.int64], epsilon: float, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """OUE as it is usually written: one float a cell, one-hot rows of whole numbers."""
    q = 1 / (math.exp(epsilon) + 1)
    reports = (rng.random((values.size, K)) < q).astype(np.int64)
    reports[np.arange(values.size), values] = rng.random(values.size) < 0.5
    return reports


def variance_ratio(epsilon: float) -> float:
    """Return DyadicUnary's variance at a share of 0 over OUE's optimum, from exact integers."""
    dyadic = sd.DyadicUnary(K, epsilon)
    p, q = dyadic.support_probabilities
    gamma = math.exp(epsilon)
    return float(q * (1 - q) / (p - q) ** 2) / (4 * gamma / (gamma - 1) ** 2)


def subset_rows(values: npt.NDArray[np.uint8], epsilon: float, rounds: int) -> list[Row]:
    """Return subset selection beside the unary encoding whose reports look alike."""
    dyadic, chosen = sd.DyadicUnary(K, epsilon), sd.SubsetSelection(K, epsilon)
    jobs = [lambda: dyadic.perturb(values), lambda: chosen.perturb(values)]
    reports = [one.perturb(values) for one in (dyadic, chosen)]
    tallies = [lambda: dyadic.aggregate(reports[0]), lambda: chosen.aggregate(reports[1])]
    name = f"SubsetSelection k={K}, ε={epsilon:g}"
    return [
        Row(f"{name}: perturb", "DyadicUnary", 2, n=N, times=interleave(jobs, rounds)),
        Row(f"{name}: aggregate", "DyadicUnary", 1, n=N, times=interleave(tallies, rounds)),
    ]


def rows(rounds: int) -> list[Row]:
    rng = np.random.default_rng()
    wide = rng.integers(0, K, N)
    values = wide.astype(np.uint8)
    found = []
    for k, epsilon in [(K, epsilon) for epsilon in EPSILONS] + [(WIDE, 1.0)]:
        oracle = sd.DyadicUnary(k, epsilon)
        bits = oracle.support_probabilities[1].denominator.bit_length() - 1
        part = values[: N * K // k]  # as many cells for each k
        jobs = [
            words(N * K * bits // 64),
            lambda oracle=oracle, part=part: oracle.perturb(part),
        ]
        kernel = f"DyadicUnary.perturb k={k}, ε={epsilon:g}"
        limit = f"secure fill, b={bits} bits a cell"
        found.append(Row(kernel, limit, 2, n=N * K, times=interleave(jobs, rounds)))
    for epsilon in EPSILONS:
        oracle = sd.DyadicUnary(K, epsilon)
        times = interleave(
            [
                lambda epsilon=epsilon: usual(wide, epsilon, rng),
                lambda oracle=oracle: oracle.perturb(values),
            ],
            max(2, rounds // 8),
        )
        kernel = f"DyadicUnary.perturb k=128, ε={epsilon:g}"
        found.append(Row(kernel, "float code per cell", 15, True, N * K, times))
    for epsilon in EPSILONS:
        kernel = f"DyadicUnary variance, ε={epsilon:g}"
        found.append(Row(kernel, "OUE optimum", 1.01, exact=variance_ratio(epsilon)))
    found += [row for epsilon in EPSILONS[:3] for row in subset_rows(values, epsilon, rounds)]
    oue = sd.OUE(K, 1.0)
    times = interleave([lambda: oue.perturb(values)], max(2, rounds // 4))
    found.append(Row("OUE.perturb k=128, ε=1, per cell", n=N * K, times=times))
    return found
