"""Measure what shrinking does: ``python docs/make_shrinking.py`` prints a table of the docs.

Tallies are drawn from their exact law, of 20 collections a line; seeded.
"""

from __future__ import annotations

from itertools import product

import numpy as np

import sudare as sd
from sudare.estimation.simplex import largest_remainders

COLLECTIONS = 20
EPSILON = 1.0
LARGEST = 20
HEAD = ("true shares", "k", "n", "raw", "shrunk", "expected", "coverage", "of the largest", "width")


def truth(shape: str, k: int) -> np.ndarray:
    """Return even shares, shares of 20 categories alone, or such as fall like 1, 1/2, 1/3, ..."""
    ranks = np.arange(1, k + 1)
    weights = {"even": np.ones(k), "of 20 alone": 1.0 * (ranks <= 20), "1 / rank": 1 / ranks}[shape]
    return weights / weights.sum()


def line(shape: str, k: int, n: int) -> tuple[str, ...]:
    """Return one line: root mean squared errors in points, and of intervals how often and wide."""
    m, rng = sd.plan(k, n, EPSILON).best, sd.Entropy.seeded(b"shrinking")
    people = largest_remainders(n * truth(shape, k), n)
    true, squares, held, widths = people / n, [], [], []
    for _ in range(COLLECTIONS):
        counts = m.simulate(people, rng=rng)
        raw = m.estimate(counts, target="respondents")
        est = m.estimate(counts, "shrunk", "respondents")
        low, high = est.interval(0.95)
        squares.append([np.square(one.shares - true).mean() for one in (raw, est)])
        held.append((low <= true) & (true <= high))
        widths.append((high - low).mean() / np.subtract(*raw.interval(0.95)[::-1]).mean())
    stated = m.expected_mse(n, true, "respondents", "shrunk")
    errors = [f"{100 * x**0.5:.3f}" for x in (*np.mean(squares, axis=0), stated)]
    most = np.argsort(-true, kind="stable")[:LARGEST]
    part = "" if shape == "even" else f"{100 * np.mean(np.array(held)[:, most]):.1f} %"
    ends = f"{100 * np.mean(held):.1f} %", part, f"{np.mean(widths):.2f}"
    return (shape, f"{k:,}", f"{n:,}", *errors, *ends)


def main() -> None:
    lines = [line(*one) for one in product(("even", "of 20 alone", "1 / rank"), (1000, 10_000),
                                           (500, 20_000))]  # fmt: skip
    print("\n".join(f"| {' | '.join(cells)} |" for cells in (HEAD, ["---"] * len(HEAD), *lines)))


if __name__ == "__main__":
    main()
