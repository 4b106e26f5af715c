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
from sudare.estimation.dependence import cramers_v
from sudare.estimation.keyvalue.law import StateLaw
from sudare.mechanisms.marginal.borders import known_part

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
MARKS = "<!-- table -->\n", "<!-- end -->\n"
TARGETS = ("population", "respondents")
LEVEL = 0.95
RUNS = 2000


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


def _entry(
    name: str, case: str, inside: Any, chances: Any, flagged: Any, runs: int = 0, kinds: Any = None
) -> Entry:
    """An entry from what holds, the chance of it, and whether a reader is warned.

    Numbers of one kind have the same law, by symmetry: what is counted of them is one rate.
    """
    inside = inside.reshape(len(chances), -1)
    flagged = np.broadcast_to(np.asarray(flagged).reshape(len(chances), -1), inside.shape)
    hit, silent = chances @ inside, 1 - chances @ (~inside & ~flagged)
    kinds = np.arange(hit.size) if kinds is None else np.asarray(kinds)
    sizes = np.bincount(kinds)
    least = [float((np.bincount(kinds, one) / sizes).min()) for one in (hit, silent)]
    return Entry(name, case, *least, float((chances @ flagged).mean()), runs)


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
                        rates = tuple(map(float, m.support_probabilities))
                        counts, chances, truth = support_law(rates, n, x, target)
                        law = replace(blank, support=counts, n=n, target=target)
                        low, high = law.interval(1 - LEVEL, "auto", False)
                        case = f"{kind.__name__} k={k} ε={epsilon:g} n={n} {name} {target}"
                        held = _holds(low, high, truth)
                        yield _entry("share", case, held, chances, law.few)


def sets() -> Iterator[Entry]:
    """One category of a set: its own bit, whatever else is held."""
    for k, most, epsilon in ((5, 2, 0.5), (5, 2, 4.0), (43, 8, 1.0), (43, 8, 12.0)):
        m = sd.SetUnary(k, epsilon, most)
        blank = m.estimate(m.simulate([1] + [0] * (k - 1), 1))._law
        rates = tuple(map(float, m.support_probabilities))
        for n in (10, 100, 1000, 10_000):
            for name, x in TRUTHS.items():
                for target in TARGETS:
                    counts, chances, truth = support_law(rates, n, x, target)
                    law = replace(blank, support=counts, n=n, target=target)
                    held = _holds(*law.interval(1 - LEVEL, "auto", False), truth)
                    case = f"SetUnary k={k} most={most} ε={epsilon:g} n={n} {name} {target}"
                    yield _entry("share of a set", case, held, chances, law.few)


def marginals() -> Iterator[Entry]:
    """One category of one attribute of two; of sampled ones the group's size is random too."""
    for strategy in ("split", "sample", "fake"):
        for epsilon in (0.5, 2.0, 8.0):
            m = sd.MarginalRR([3, 4], epsilon, strategy)
            counts = m.simulate([[40] * 3, [30] * 4], rng=sd.Entropy.seeded(b"a marginal"))
            blank = m.estimate(counts)[0]._law
            rates = tuple(map(float, m.support_probabilities(0)))
            for n in (30, 300):
                for name, x in TRUTHS.items():
                    for target in TARGETS:
                        laws = [(1.0, n, *support_law(rates, n, x, target))]
                        if strategy == "sample":
                            laws = list(_groups(rates, n, x, target))
                        hit = silent = flagged = 0.0
                        for chance, size, counts, chances, truth in laws:
                            law = replace(blank, support=counts, n=size, target=target)
                            if strategy == "sample":
                                known = known_part(size, n, target)
                                law = replace(law, target="population", known=known)
                            held = _holds(*law.interval(1 - LEVEL, "auto", False), truth)
                            hit += chance * float(chances @ held)
                            silent += chance * float(chances @ (held | law.few))
                            flagged += chance * float(chances @ law.few)
                        case = f"MarginalRR {strategy} ε={epsilon:g} n={n} {name} {target}"
                        yield Entry("share of an attribute", case, hit, silent, flagged)


def _groups(rates: tuple[float, float], n: int, x: float, target: str) -> Iterator[Any]:
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


def together() -> Iterator[Entry]:
    """All categories at once: columns of OUE are independent, given the people."""
    for k, epsilon in ((43, 4.0), (43, 1.0), (5, 2.0)):
        m = sd.OUE(k, epsilon)
        blank = m.estimate(m.simulate([1] + [0] * (k - 1)))._law
        for n in (100, 1000, 10_000):
            for name, first in (("one", 1.0), ("half", 0.5), ("even", 1 / k)):
                all_hold = 1.0
                for x, times in ((first, 1), ((1 - first) / (k - 1), k - 1)):
                    rates = tuple(map(float, m.support_probabilities))
                    counts, chances, truth = support_law(rates, n, x, "respondents")
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
            if epsilon in (1.0, 12.0):
                yield _columns(epsilon, x, read, truth, case)


def _columns(epsilon: float, x: np.ndarray, read: Any, truth: float, case: str) -> Entry:
    """The mean of a scale of 1,000 people by OUE, whose three counts are drawn."""
    m, n, name = sd.OUE(3, epsilon), 1000, f"OUE n=1000 {case}"
    dice = sd.Entropy.seeded(name.encode()).generator()
    held = dice.multinomial(n, x, RUNS)
    p, q = map(float, m.support_probabilities)
    support = dice.binomial(held, p) + dice.binomial(n - held, q)
    found = [_holds(*_read(read, m.estimate(sd.Counts(one, n))), truth) for one in support]
    return _drawn("mean of a scale", name, np.array(found))


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
                    for _ in range(RUNS // 4):  # a draw after the other: they share one stream
                        truth = dice.multinomial(n, [1 - high, high])
                        est = m.estimate(m.simulate([-1, 1], truth, rng=drawn))
                        held.append(_holds(*est.mean.interval(LEVEL), 2 * high - 1))
                    case = f"{m.name} ε={epsilon:g} n={n} {high} at the end"
                    yield _drawn("number", case, np.array(held), n < 30)


def _drawn(name: str, case: str, held: Any, flagged: Any = False) -> Entry:
    runs = len(held)
    flags = np.broadcast_to(np.asarray(flagged).reshape(-1, *[1] * (held.ndim - 1)), held.shape)
    return _entry(name, case, held, np.full(runs, 1 / runs), flags, runs)


def _cells(
    name: str, surveys: Iterator[Any], x: np.ndarray, case: str, kinds: np.ndarray
) -> Iterator[Entry]:
    """Cells one by one, and all at once."""
    held, every, flagged = [], [], []
    for est in surveys:
        held.append(_holds(*est.interval(LEVEL), x).ravel())
        every.append(_holds(*est.interval(LEVEL, simultaneous=True), x).all())
        few = np.zeros(x.size, np.bool_)
        for one in est.warnings:
            few[list(one.cells)] = True
        flagged.append(few)
    chances = np.full(len(held), 1 / len(held))
    labels = np.unique(kinds.ravel(), return_inverse=True)[1].reshape(-1)
    flags = np.array(flagged)
    yield _entry(name, case, np.array(held), chances, flags, len(held), labels)
    yield _entry(f"{name}, all", case, np.array(every), chances, flags.any(axis=1), len(held))


def _surveys(m: Any, n: int, x: np.ndarray, target: str, label: str, runs: int) -> Iterator[Any]:
    for support in drawn_reports(m.channel, n, x, target, runs, label):
        yield m.estimate(sd.Counts(support.reshape(m.shape), n), target=target)


def places() -> Iterator[Entry]:
    """Cells of a map; mirrored ones have one law."""
    m, runs = sd.GridExponential(sd.Grid(8, 8, 100.0, 100.0), 0.03), 3 * RUNS // 2
    row, column = np.divmod(np.arange(64), 8)
    near, far = np.minimum(row, 7 - row), np.minimum(column, 7 - column)
    even = 8 * np.minimum(near, far) + np.maximum(near, far)
    one = 8 * np.minimum(row, column) + np.maximum(row, column)
    for n in (30, 1000, 20_000):
        for name, x, kinds in (
            ("even", np.full(64, 1 / 64), even),
            ("one cell", np.eye(64)[27], one),
        ):
            case = f"GridExponential 8 x 8 ε=0.03 n={n} {name}"
            yield from _cells("place", _surveys(m, n, x, "population", case, runs), x, case, kinds)


def tables() -> Iterator[Entry]:
    """Cells of a table; those that share nothing, a row, a column or all with the full one."""
    one, even = np.zeros((5, 4)), np.full((5, 4), 0.05)
    one[2, 1] = 1.0
    row, column = np.indices((5, 4))
    shared = 2 * (row == 2) + (column == 1)
    for gamma in (3, 100):
        m = sd.JointRR([5, 4], gamma=gamma)
        for n in (300, 10_000):
            for name, x, kinds in (("one cell", one, shared), ("even", even, 0 * shared)):
                for target in TARGETS:
                    case = f"JointRR 5 x 4 γ={gamma} n={n} {name} {target}"
                    surveys = _surveys(m, n, x, target, case, RUNS)
                    yield from _cells("table", surveys, x, case, kinds)


def combined() -> Iterator[Entry]:
    """Groups of people with different ε; the four rare categories have one law."""
    for levels in ((0.2, 6.0), (0.2, 0.5, 6.0), (1.0, 2.0)):
        for n in (30, 2000):
            for target in TARGETS:
                rare = 0.03 if target == "population" else round(0.03 * n) / n
                x = np.array([rare, rare, rare, rare, 1 - 4 * rare])
                case = f"GRR k=5 ε={levels} n={n} each {target}"
                groups = [_surveys(sd.GRR(5, e), n, x, target, f"{case} {e}", RUNS) for e in levels]
                both = (combine(list(some), independent=True) for some in zip(*groups, strict=True))
                yield from _cells("combined groups", both, x, case, np.array([0, 0, 0, 0, 1]))


def dependence() -> Iterator[Entry]:
    """Cramér's V of 8,000 people, from none to nearly all of it."""
    m, n = sd.JointRR([4, 3], gamma=[6, 9]), 8000
    r, c = np.array([0.35, 0.3, 0.2, 0.15]), np.array([0.45, 0.35, 0.2])
    tied = np.array([[0.35, 0, 0], [0.05, 0.25, 0], [0, 0.1, 0.1], [0.05, 0, 0.1]]) / 1.0
    tied /= tied.sum()
    for strength in (0.0, 0.1, 0.3, 0.8):
        x = np.round(n * ((1 - strength) * np.outer(r, c) + strength * tied)) / n
        x[0, 0] += 1 - x.sum()
        expected = np.outer(x.sum(axis=1), x.sum(axis=0))
        true = math.sqrt(((x - expected) ** 2 / expected).sum() / 2)
        for target in TARGETS:
            case = f"JointRR 4 x 3 γ=(6, 9) n={n} V={true:.2f} {target}"
            reports = drawn_reports(m.channel, n, x, target, RUNS, case)
            laws = (cramers_v(m.channel, one.reshape(4, 3), target) for one in reports)
            held = np.array([_holds(*law.interval(LEVEL), true) for law in laws])
            yield _drawn("Cramér's V", case, held)


def bootstraps() -> Iterator[Entry]:
    """Two categories: one bootstrap for each count that occurs, weighted by its chance."""
    m, n, rng = sd.GRR(2, 2.0), 300, sd.Entropy.seeded(b"coverage of the bootstrap")
    for method in ("unbiased", "projected"):
        seen: dict[int, tuple[Any, Any, bool]] = {}
        for x in (0.0, 0.5):
            counts, chances, _ = support_law(
                tuple(map(float, m.support_probabilities)), n, x, "population"
            )
            some = chances > 1e-5
            for c in counts[some].tolist():
                if c not in seen:
                    est = sd.bootstrap(m, sd.Counts((c, n - c), n), method, "population", 400, rng)
                    seen[c] = *(end[0] for end in est.interval(LEVEL)), bool(est.warnings)
            low, high, flagged = (
                np.array(one) for one in zip(*map(seen.get, counts[some].tolist()), strict=True)
            )
            held = _holds(low, high, x)
            law = chances[some] / chances[some].sum()
            yield _entry("bootstrap", f"GRR k=2 ε=2 n={n} {method} {x:g}", held, law, flagged)


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
                            runs = 2 * RUNS
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


def respondents_keys() -> Iterator[Entry]:
    """The frequency among these respondents, of whom a random half reports about the key."""
    for kind in (sd.PrivKV, sd.StateRR):
        for epsilon in (0.5, 4.0):
            channel = kind(2, epsilon).channel.dense()
            rates = float(channel[:2, 0].sum()), float(channel[:2, 2].sum())
            for n in (30, 300):
                for f in (0.0, 0.01, 0.1, 0.5, 1.0):
                    hit = 0.0
                    for chance, size, counts, chances, truth in _groups(rates, n, f, "respondents"):
                        three = np.stack([counts, 0 * counts, size - counts], axis=1)
                        known = np.full(len(counts), known_part(size, n, "respondents"))
                        law = StateLaw(three.astype(float), channel, 1, known)
                        held = _holds(*law.interval_frequency(LEVEL), truth)
                        hit += chance * float(chances @ held)
                    case = f"{kind.__name__} ε={epsilon:g} n={n} f={f:g} respondents"
                    yield Entry("frequency of a key", case, hit, hit, 0.0)


ESTIMATORS = (
    shares, sets, marginals, together, differences, scales, numbers, combined, places, tables,
    dependence, bootstraps, keys, respondents_keys,
)  # fmt: skip


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
