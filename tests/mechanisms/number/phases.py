"""Whether two phases pay: some people's answers choose the edges of bins for the others.

``python tests/mechanisms/number/phases.py`` prints the table of
``docs/decisions/two-phases.md``. The
first half of the people answers with equal bins; neighbouring bins of its nearest distribution are
put together until they hold a third of its standard error; the second half answers between these
edges. The shares below them are the mean of both halves', by their variances.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from shapes import GRID, SHAPES

import sudare as sd
from sudare.estimation.distribution import monotone
from sudare.mechanisms.number.choose import fine_bins, rank_distributions

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
FIRST, PART = 0.5, 0.35


def sparse() -> Floats:
    """Nine in ten people in four places, each a 400th of the range."""
    out = np.full(GRID, 0.08 / GRID)
    for place, share in ((0.03, 0.35), (0.31, 0.25), (0.32, 0.2), (0.9, 0.12)):
        start = int(place * GRID)
        out[start : start + GRID // 400] += share / (GRID // 400)
    return out / out.sum()


ALL = {**{name: SHAPES[name] for name in ("smooth", "spiked", "two humps", "skewed")}}
ALL["sparse"] = sparse()


def even(bins: int) -> Places:
    """Edges of equal bins, as places of the grid."""
    return np.arange(bins + 1) * (GRID // bins)


def tree(epsilon: float, n: int, bins: int) -> Any:
    """The tree of the least expected error."""
    ranked = rank_distributions(0.0, 1.0, epsilon, n, bins)
    return next(m for _, m in ranked if isinstance(m, sd.HierarchicalHistogram))


def below(m: Any, shape: Floats, edges: Places, n: int, rng: sd.Entropy) -> Floats:
    """The estimated shares below the edges, of n people drawn from the shape."""
    held = np.diff(np.concatenate([[0.0], np.cumsum(shape)])[edges])
    truth = rng.generator().multinomial(n, held / held.sum())
    shares = m.estimate(m.simulate(truth, rng=rng)).shares
    return np.concatenate([[0.0], np.cumsum(shares)[:-1], [1.0]])


def rising(cumulated: Floats) -> Floats:
    return np.concatenate([[0.0], monotone(cumulated[1:-1]), [1.0]])


def kept(cumulated: Floats, least: float) -> Places:
    """The places of the edges between which bins hold so much; a bin that does so stands alone."""
    out, held = [0], 0.0
    for i, share in enumerate(np.diff(cumulated).tolist()):
        if share >= least and held > 0:
            out.append(i)
            held = 0.0
        held += share
        if held >= least:
            out.append(i + 1)
            held = 0.0
    if out[-1] != cumulated.size - 1:
        out.append(cumulated.size - 1)
    return np.array(out)


def in_two_phases(
    shape: Floats, epsilon: float, n: int, bins: int, rng: sd.Entropy
) -> tuple[Places, Floats]:
    """The edges of the second phase, and the shares below them by both."""
    some, fine = int(FIRST * n), even(bins)
    first = tree(epsilon, some, bins)
    one = below(first, shape, fine, some, rng)
    near = rising(one)
    at = kept(near, PART * float(np.sqrt(first.expected_cdf_mse(some))))
    if at.size < 3:
        at = np.array([0, bins // 2, bins])
    second = tree(epsilon, n - some, at.size - 1)
    other = below(second, shape, fine[at], n - some, rng)
    v, w = first.expected_cdf_mse(some), second.expected_cdf_mse(n - some)
    return fine[at], (w * one[at] + v * other) / (v + w)


def errors(edges: Places, cumulated: Floats, shape: Floats, ranges: Places) -> list[float]:
    """Squared error of ranges, unbiased and as shown; Wasserstein's distance of what is shown."""
    truth, x = np.concatenate([[0.0], np.cumsum(shape)]), np.arange(GRID + 1)
    raw, seen = (np.interp(x, edges, one) - truth for one in (cumulated, rising(cumulated)))
    squares = [float((np.diff(one[ranges], axis=1) ** 2).mean()) for one in (raw, seen)]
    return [*squares, float(np.abs(seen).mean())]


def table(n: int = 10_000, runs: int = 40) -> None:
    """Print the errors of two phases by those of one, with equal bins."""
    ranges = np.sort(np.random.default_rng(1).integers(0, GRID + 1, (2000, 2)), axis=1)
    print("| ε | shape | tree, as proposed | tree, 32 bins | two phases |\n|---|---|---|---|---|")
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        bins = fine_bins(epsilon, n, 256)
        for name, shape in ALL.items():
            rng, found = sd.Entropy.seeded(f"phases {epsilon} {name}".encode()), []
            for _ in range(runs):
                each = [
                    (even(size), below(tree(epsilon, n, size), shape, even(size), n, rng))
                    for size in (bins, 32)
                ]
                each.append(in_two_phases(shape, epsilon, n, bins, rng))
                found.append([errors(*one, shape, ranges) for one in each])
            own, *others = np.mean(found, axis=0)
            cells = [f"{own[0]:.1e}, {own[1]:.1e}, {100 * own[2]:.2f} % ({bins})"]
            cells += [" ".join(f"{one:.2f}" for one in other / own) for other in others]
            print(f"| {epsilon:g} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    table()
