"""The laws of counts: all outcomes with their probabilities, or many drawn."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import sudare as sd

TARGETS = ("population", "respondents")


@functools.cache
def _log_factorials(n: int) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def binomial(n: int, chance: float) -> np.ndarray:
    if chance in (0.0, 1.0) or n == 0:
        return (np.arange(n + 1) == round(n * chance)).astype(float)
    logs, j = _log_factorials(n), np.arange(n + 1)
    powers = j * math.log(chance) + (n - j) * math.log1p(-chance)
    return np.exp(logs[n] - logs[j] - logs[n - j] + powers)


def trinomial(n: int, law: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All (outcomes, 3) counts of n reports, and their probabilities."""
    first, second = (one.ravel() for one in np.mgrid[: n + 1, : n + 1])
    cells = np.stack([first, second, n - first - second], axis=1)[first + second <= n]
    logs = _log_factorials(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.where(cells > 0, cells * np.log(law), 0.0).sum(axis=1)
    return cells, np.exp(logs[n] - logs[cells].sum(axis=1) + powers)


def likely(cells: np.ndarray, chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest outcomes; the others, of a chance of 1e-4 together, count as misses."""
    order = np.argsort(chances)
    some = np.sort(order[np.cumsum(chances[order]) > 1e-4])
    return cells[some], chances[some]


def support_law(
    rates: tuple[float, float], n: int, x: float, target: str
) -> tuple[np.ndarray, np.ndarray, float]:
    """Counts of one category that occur, their probabilities, and the true share."""
    p, q = rates
    if target == "population":
        chances = binomial(n, q + (p - q) * x)
    else:
        held = round(n * x)
        x = held / n
        chances = of_holders(held, n, p, q)
    some = np.flatnonzero(chances > 1e-9)
    return some, chances[some], x


def of_holders(held: int, n: int, p: float, q: float) -> np.ndarray:
    """The law of the reports of n people that support what so many of them hold."""
    one, other = binomial(held, p), binomial(n - held, q)
    if min(held, n - held) < 64 or n < 3000:
        return np.convolve(one, other)
    size = 1 << (2 * max(held, n - held)).bit_length()
    return np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(other, size), size)[: n + 1]


def drawn_reports(
    channel: Any, n: int, x: np.ndarray, target: str, runs: int, label: str
) -> np.ndarray:
    """(runs, reports) counts of what n people send with these shares, in ``runs`` surveys."""
    dice, columns = sd.Entropy.seeded(label.encode()).generator(), channel.dense()
    columns = columns / columns.sum(axis=0)
    if target == "population":
        return dice.multinomial(n, columns @ x.ravel(), runs)
    held = enumerate(np.round(n * x.ravel()).astype(int).tolist())
    return sum(dice.multinomial(some, columns[:, i], runs) for i, some in held if some)


def groups_of(rates: tuple[float, float], n: int, x: float, target: str) -> Iterator[Any]:
    """All groups of which half of n people are drawn: their chance, size and law of the count."""
    sizes = binomial(n, 0.5)
    sizes[0] = 0.0  # refused: nobody reports
    for size in np.flatnonzero(sizes > 1e-7).tolist():
        law = support_law(rates, size, x, target)
        if target == "respondents":
            law = group_law(rates, n, size, x)
        yield sizes[size] / sizes.sum(), size, *law


def group_law(
    rates: tuple[float, float], n: int, size: int, x: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """What so many of n people report, who are drawn at random: counts, chances, true share."""
    held, logs = round(n * x), _log_factorials(n)
    own = np.arange(max(0, size + held - n), min(size, held) + 1)
    ways = [logs[a] - logs[b] - logs[a - b] for a, b in ((held, own), (n - held, size - own))]
    drawn = np.exp(ways[0] + ways[1] - logs[n] + logs[size] + logs[n - size])
    both = zip(own.tolist(), drawn, strict=True)
    chances = sum(one * of_holders(some, size, *rates) for some, one in both)
    return np.arange(size + 1), chances, held / n


def surveys(m: Any, n: int, x: np.ndarray, target: str, label: str, runs: int) -> Iterator[Any]:
    for support in drawn_reports(m.channel, n, x, target, runs, label):
        yield m.estimate(sd.Counts(support.reshape(m.shape), n), target=target)
