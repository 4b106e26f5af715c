"""How often intervals hold the truth, over n, ε and truths; exact where a law is finite.

``python tests/estimation/coverage.py`` prints the least coverage of each estimator and writes the
table of ``docs/coverage.md``. An entry is one estimator, mechanism, n, ε and truth; its coverage is
the least over the numbers that are estimated.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import sudare as sd
from sudare.estimation.combining import combine
from sudare.estimation.keyvalue.law import StateLaw

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
MARKS = "<!-- table -->\n", "<!-- end -->\n"
TARGETS = ("population", "respondents")
LEVEL = 0.95
RUNS = 1000


@dataclass(frozen=True)
class Entry:
    """The coverage of one estimator in one case.

    ``silent`` is 1 less the chance of a miss without a caution on the result, ``flagged`` the
    chance of a caution, ``runs`` of a simulation, 0 where the law was enumerated.
    """

    estimator: str
    case: str
    coverage: float
    silent: float
    flagged: float
    runs: int = 0


# -- exact laws ----------------------------------------------------------------------------------


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


def support_law(m: Any, n: int, x: float, target: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Counts of one category that occur, their probabilities, and the true share."""
    p, q = (float(one) for one in m.support_probabilities)
    if target == "population":
        chances = binomial(n, q + (p - q) * x)
    else:
        held = round(n * x)
        x = held / n
        longest = max(held, n - held)
        one, other = binomial(held, p), binomial(n - held, q)
        size = 1 << (2 * longest).bit_length()
        short = min(held, n - held) < 64 or n < 3000
        chances = (
            np.convolve(one, other)
            if short
            else np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(other, size), size)[: n + 1]
        )
    some = np.flatnonzero(chances > 1e-9)
    return some, chances[some], x


def _entry(name: str, case: str, inside: Any, chances: Any, flagged: Any, runs: int = 0) -> Entry:
    """An entry from what holds, the chance of it, and whether a reader is warned."""
    inside = inside.reshape(len(chances), -1)
    flagged = np.broadcast_to(np.asarray(flagged).reshape(len(chances), -1), inside.shape)
    hit = chances @ inside
    silent = 1 - chances @ (~inside & ~flagged)
    return Entry(
        name, case, float(hit.min()), float(silent.min()), float((chances @ flagged).mean()), runs
    )


def _holds(low: Any, high: Any, truth: Any) -> Any:
    slack = 1e-9 * np.maximum(1, np.abs(truth))
    return (low <= truth + slack) & (truth - slack <= high)


# -- estimators ----------------------------------------------------------------------------------

ORACLES = ((sd.GRR, 2), (sd.GRR, 5), (sd.GRR, 43), (sd.OUE, 5), (sd.OUE, 43), (sd.SUE, 5))
TRUTHS = {"absent": 0.0, "rare": 0.002, "seldom": 0.03, "common": 0.3, "half": 0.5, "all": 1.0}


def shares() -> Iterator[Entry]:
    """One category: the law of its support count."""
    for kind, k in ORACLES:
        for epsilon in (0.2, 1.0, 4.0, 12.0):
            m = kind(k, epsilon)
            blank = m.estimate(m.simulate([1] + [0] * (k - 1)))._law
            for n in (10, 14, 100, 1000, 10_000, 100_000):
                for name, x in TRUTHS.items():
                    for target in TARGETS:
                        counts, chances, truth = support_law(m, n, x, target)
                        law = replace(blank, support=counts, n=n, target=target)
                        low, high = law.interval(1 - LEVEL, "auto", False)
                        case = f"{kind.__name__} k={k} ε={epsilon:g} n={n} {name} {target}"
                        held = _holds(low, high, truth)
                        yield _entry("share", case, held, chances, law.few)


def together() -> Iterator[Entry]:
    """All categories at once: columns of OUE are independent, given the people."""
    for k, epsilon in ((43, 4.0), (43, 1.0), (5, 2.0)):
        m = sd.OUE(k, epsilon)
        blank = m.estimate(m.simulate([1] + [0] * (k - 1)))._law
        for n in (100, 1000, 10_000):
            for name, first in (("one", 1.0), ("half", 0.5), ("even", 1 / k)):
                all_hold = 1.0
                for x, times in ((first, 1), ((1 - first) / (k - 1), k - 1)):
                    counts, chances, truth = support_law(m, n, x, "respondents")
                    law = replace(blank, support=counts, n=n, target="respondents")
                    low, high = law.interval((1 - LEVEL) / k, "auto", False)
                    all_hold *= float(chances @ _holds(low, high, truth)) ** times
                case = f"OUE k={k} ε={epsilon:g} n={n} {name} respondents"
                yield Entry("all shares at once", case, all_hold, all_hold, 0.0)


def _counted(
    m: Any, n: int, x: np.ndarray, read: Callable[[Any], tuple[float, float]], truth: float,
    name: str, case: str,
) -> Entry:  # fmt: skip
    """An entry of something that follows from the counts of two or three categories."""
    if len(x) == 2:
        first = binomial(n, float(m.channel.apply(x)[0]))
        some = np.flatnonzero(first > 1e-9)
        cells, chances = np.stack([some, n - some], axis=1), first[some]
    else:
        cells, chances = trinomial(n, m.channel.apply(x))
        cells, chances = cells[chances > 1e-9], chances[chances > 1e-9]
    held, flagged = [], []
    for one in cells:
        est = m.estimate(sd.Counts(one, n))
        held.append(_holds(*_read(read, est), truth))
        flagged.append(bool(est.warnings))
    return _entry(name, case, np.array(held), chances, np.array(flagged))


def _read(read: Callable[[Any], Any], est: Any) -> Any:
    try:
        return read(est)
    except sd.EstimationError:  # refused: nothing false is said
        return -math.inf, math.inf


PAIRS = {
    2: ((0.5, 0.5), (0.02, 0.98), (0, 1)),
    3: ((0.3, 0.3, 0.4), (0, 0.1, 0.9)),
}


def differences() -> Iterator[Entry]:
    """Two of two or three categories."""

    def read(est: Any) -> Any:
        return est.difference(0, 1).interval(LEVEL)

    for k, truths in PAIRS.items():
        for epsilon in (0.5, 1.0, 4.0, 12.0):
            m = sd.GRR(k, epsilon)
            for n in (14, 1000) if k == 2 else (14,):
                for x in truths:
                    case = f"GRR k={k} ε={epsilon:g} n={n} {x}"
                    truth = x[0] - x[1]
                    yield _counted(m, n, np.array(x, float), read, truth, "difference", case)


SCALES = (
    ((1, 2, 3), (0.9, 0.08, 0.02)),
    ((1, 2, 3), (0.3, 0.4, 0.3)),
    ((1, 2, None), (0.4, 0.4, 0.2)),
    ((1, 2, None), (0.04, 0.03, 0.93)),
)


def scales() -> Iterator[Entry]:
    """Means of 1 and 2, of 1, 2 and 3, and of 1 and 2 where the third declines."""
    for epsilon in (0.5, 1.0, 4.0, 12.0):
        for scores, shares in SCALES:
            x = np.array(shares)
            known = [(s, one) for s, one in zip(scores, shares, strict=True) if s is not None]
            truth = sum(s * one for s, one in known) / sum(one for _, one in known)

            def read(est: Any, scores: Any = scores) -> Any:
                return est.mean(scores).interval(LEVEL)

            case = f"k=3 ε={epsilon:g} {scores} {shares}"
            m = sd.GRR(3, epsilon)
            yield _counted(m, 14, x, read, truth, "mean of a scale", f"GRR n=14 {case}")
            for m in (sd.GRR(3, epsilon), sd.OUE(3, epsilon)):
                name = f"{m.name} n=1000 {case}"
                drawn = _surveys(m, 1000, x, "population", RUNS // 4, name)
                held = [_holds(*_read(read, est), truth) for est in drawn]
                yield _drawn("mean of a scale", name, np.array(held))


def numbers() -> Iterator[Entry]:
    """Duchi: two kinds of reports; the others are drawn."""
    for epsilon in (0.5, 4.0, 15.0):
        m = sd.Duchi(epsilon)
        for n in (14, 100, 1000):
            for high in (0.0, 0.001, 0.02, 0.5, 0.95):
                chance = float(m.channel.matrix[1] @ [1 - high, high])
                law = binomial(n, chance)
                some = np.flatnonzero(law > 1e-9)
                found = [m.estimate(sd.Counts((n - c, c), n)) for c in some]
                held = [_holds(*one.mean.interval(LEVEL), 2 * high - 1) for one in found]
                flagged = np.array([bool(one.warnings) for one in found])
                case = f"Duchi ε={epsilon:g} n={n} {high} at the end"
                yield _entry("number", case, np.array(held), law[some], flagged)
    drawn = sd.Entropy.seeded(b"coverage of numbers")
    dice = drawn.generator()
    for kind in (sd.Piecewise, sd.Hybrid):
        for epsilon in (1.0, 15.0):
            m = kind(epsilon)
            for n in (30, 1000):
                for high in (0.001, 0.02, 0.5):
                    held = []
                    for _ in range(RUNS // 2):  # a draw after the other: they share one stream
                        truth = dice.multinomial(n, [1 - high, high])
                        est = m.estimate(m.simulate([-1, 1], truth, rng=drawn))
                        held.append(_holds(*est.mean.interval(LEVEL), 2 * high - 1))
                    case = f"{m.name} ε={epsilon:g} n={n} {high} at the end"
                    yield _drawn("number", case, np.array(held), n < 30)


def _drawn(name: str, case: str, held: Any, flagged: Any = False) -> Entry:
    runs = len(held)
    flags = np.broadcast_to(np.asarray(flagged).reshape(-1, *[1] * (held.ndim - 1)), held.shape)
    return _entry(name, case, held, np.full(runs, 1 / runs), flags, runs)


def _surveys(m: Any, n: int, x: np.ndarray, target: str, runs: int, label: str) -> Iterator[Any]:
    rng = sd.Entropy.seeded(label.encode())
    dice = rng.generator()
    fixed = np.round(x * n).astype(np.int64)
    for _ in range(runs):
        truth = dice.multinomial(n, x.ravel()).reshape(x.shape) if target == "population" else fixed
        yield m.estimate(m.simulate(truth, rng=rng), target=target)


def _cells(name: str, m: Any, n: int, x: np.ndarray, target: str, case: str, runs: int) -> Entry:
    held, flagged = [], []
    for est in _surveys(m, n, x, target, runs, case):
        held.append(_holds(*est.interval(LEVEL), x))
        few = np.zeros(x.size, np.bool_)
        for one in est.warnings:
            few[list(one.cells)] = True
        flagged.append(few.reshape(x.shape))
    return _entry(name, case, np.array(held), np.full(runs, 1 / runs), np.array(flagged), runs)


def places() -> Iterator[Entry]:
    m = sd.GridExponential(sd.Grid(8, 8, 100.0, 100.0), 0.03)
    one = np.eye(64)[27]
    for n in (30, 1000, 20_000):
        for name, x in (("even", np.full(64, 1 / 64)), ("one cell", one)):
            case = f"GridExponential 8 x 8 ε=0.03 n={n} {name}"
            yield _cells("place", m, n, x, "population", case, RUNS // 2)


def tables() -> Iterator[Entry]:
    one, even = np.zeros((5, 4)), np.full((5, 4), 0.05)
    one[2, 1] = 1.0
    for gamma in (3, 100):
        m = sd.JointRR([5, 4], gamma=gamma)
        for n in (300, 10_000):
            for name, x in (("one cell", one), ("even", even)):
                for target in TARGETS:
                    case = f"JointRR 5 x 4 γ={gamma} n={n} {name} {target}"
                    yield _cells("table", m, n, x, target, case, RUNS // 2)


def combined() -> Iterator[Entry]:
    x = np.array([0.03, 0.03, 0.03, 0.03, 0.88])
    for levels in ((0.2, 6.0), (0.2, 0.5, 6.0), (1.0, 2.0)):
        for n in (30, 2000):
            case = f"GRR k=5 ε={levels} n={n} each"
            groups = [
                _surveys(sd.GRR(5, e), n, x, "population", RUNS, f"{case} {e}") for e in levels
            ]
            both = [combine(list(some), independent=True) for some in zip(*groups, strict=True)]
            held = np.array([_holds(*est.interval(LEVEL), x) for est in both])
            few = [{cell for one in est.warnings for cell in one.cells} for est in both]
            flagged = np.array([[i in some for i in range(5)] for some in few])
            chances = np.full(RUNS, 1 / RUNS)
            yield _entry("combined groups", case, held, chances, flagged, RUNS)


def keys() -> Iterator[Entry]:
    """Three counts of a key: all of them, or many drawn."""
    dice = sd.Entropy.seeded(b"coverage of keys").generator()
    for kind in (sd.PrivKV, sd.StateRR):
        for epsilon in (0.5, 1.0, 4.0, 11.0):
            m = kind(2, epsilon)
            channel = m.channel.dense()
            for n in (10, 30, 200, 5000):
                for f in (0.0, 0.01, 0.1, 0.5, 1.0):
                    for mean in (-1.0, 0.0, 0.9):
                        y = channel @ [f * (1 + mean) / 2, f * (1 - mean) / 2, 1 - f]
                        cells, chances, runs = *trinomial(min(n, 30), y), 0
                        if n > 30:
                            runs = 4 * RUNS
                            drawn = dice.multinomial(n, y / y.sum(), runs)
                            cells, chances = np.unique(drawn, axis=0, return_counts=True)
                            chances = chances / runs
                        some = chances > 1e-9
                        cells, chances = cells[some], chances[some]
                        law = StateLaw(cells.astype(float), channel, 1, np.zeros(len(cells)))
                        case = f"{m.name} ε={epsilon:g} N={n} f={f:g} m={mean:g}"
                        few = np.full(len(cells), n < 30)
                        held = _holds(*law.interval_frequency(LEVEL), f)
                        yield _entry("frequency of a key", case, held, chances, few, runs)
                        if f > 0:
                            low, high = law.interval_mean(LEVEL)
                            held = _holds(low - 1e-6, high + 1e-6, mean)
                            yield _entry("mean of a key", case, held, chances, few, runs)


ESTIMATORS = (shares, together, differences, scales, numbers, combined, places, tables, keys)


# -- the table -----------------------------------------------------------------------------------


def rows(entries: list[Entry]) -> list[str]:
    """A line of the table for each estimator."""
    lines = []
    for name in dict.fromkeys(one.estimator for one in entries):
        own = [one for one in entries if one.estimator == name]
        least = min(own, key=lambda one: one.coverage)
        silent = min(one.silent for one in own)
        plain = [one.coverage for one in own if one.flagged < 0.5]
        runs = {one.runs for one in own if one.runs}
        errors = ", ".join(f"{50 * math.sqrt(0.19 / n):.1f}" for n in sorted(runs))
        exact = sum(not one.runs for one in own)
        how = f"{exact} exact, the others ± {errors}" if runs else "exact"
        mean = f"{100 * np.mean(plain):.1f}" if plain else "all flagged"
        lines.append(
            f"| {name} | {len(own)} | {100 * least.coverage:.1f} | {least.case} | "
            f"{100 * silent:.1f} | {mean} | {how} |"
        )
    return lines


def write(entries: list[Entry]) -> None:
    """Put the table into the page."""
    head = (
        "| estimator | entries | least coverage | where | least, unless flagged "
        "| mean, not flagged | law |\n|---|---|---|---|---|---|---|\n"
    )
    before, rest = PAGE.read_text("utf-8").split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    table = head + "\n".join(rows(entries)) + "\n"
    PAGE.write_text(before + MARKS[0] + table + MARKS[1] + after, "utf-8")


def main() -> None:
    entries: list[Entry] = []
    for estimator in ESTIMATORS:
        found = list(estimator())
        print(*rows(found), sep="\n")
        entries += found
    write(entries)


if __name__ == "__main__":
    main()
