"""Coverage of frequency oracles: shares, all at once, differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from coverage_entries import LEVEL, Entry, counted, entry, holds
from coverage_laws import TARGETS, support_law

import sudare as sd
from sudare.estimation.shares import ShareLaw
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.registry import registered

EPSILONS = (0.2, 1.0, 4.0, 12.0)
SIZES = (10, 14, 100, 1000, 10_000, 100_000)
TRUTHS = {"absent": 0.0, "rare": 0.002, "seldom": 0.03, "common": 0.3, "half": 0.5, "all": 1.0}


def oracles(*sizes: int) -> Iterator[tuple[str, FrequencyOracle]]:
    """Every frequency oracle that ships, as the registry has it, of so many categories."""
    for kind in registered(FrequencyOracle):
        if kind.__module__.startswith("sudare."):
            for k in sizes:
                named = [one.name for one in kind.parameters]
                for epsilon in EPSILONS if "epsilon" in named else (None,):
                    own = {} if epsilon is None else {"epsilon": epsilon}
                    at = "" if epsilon is None else f" ε={epsilon:g}"
                    yield f"{kind.name} k={k}{at}", kind(k=k, **own)


def shares(sizes: tuple[int, ...] = SIZES) -> Iterator[Entry]:
    """One category, of every oracle: its support count is a sum of two binomials, whatever else
    a report supports. Mechanisms of the same two probabilities have the same laws.
    """
    known: dict[Any, list[Entry]] = {}
    for label, m in oracles(2, 5, 43):
        if not m.law.counted:
            yield from sums(label, m, tuple(n for n in sizes if n <= 1000))
            continue
        for n in sizes:
            for target in TARGETS:
                at = (m.law.p, m.law.q, n, target)
                if at not in known:
                    known[at] = list(_share(m, n, target))
                yield from (replace(one, case=f"{label} n={n} {one.case}") for one in known[at])


def sums(label: str, m: FrequencyOracle, sizes: tuple[int, ...]) -> Iterator[Entry]:
    """One category of an oracle whose reports say numbers, by the law of their sum."""
    other, own = (np.array(row, float) / sum(row) for row in m.program.part.weights())
    if m.k > 2 or own.size > 100:  # the laws are those of any number of categories
        return
    for n in sizes:
        for target in TARGETS:
            for name, x in TRUTHS.items():
                held = round(n * x)
                powers = [(own, held), (other, n - held)]
                if target == "population":
                    powers = [(x * own + (1 - x) * other, n)]
                truth = x if target == "population" else held / n
                chances = of_sums(powers)
                some = np.flatnonzero(chances > 1e-9)
                law = ShareLaw(m.law, some, n, target)
                inside = holds(*law.interval(1 - LEVEL, "auto", False), truth)
                case = f"{label} n={n} {name} {target}"
                yield entry("share", case, inside, chances[some], law.few)


def of_sums(powers: list[tuple[np.ndarray, int]]) -> np.ndarray:
    """The law of a sum of numbers, so many from each law."""
    most = sum((law.size - 1) * many for law, many in powers)
    size = 1 << most.bit_length()
    product = np.ones(size // 2 + 1, complex)
    for law, many in powers:
        product *= np.fft.rfft(law, size) ** many
    return np.fft.irfft(product, size)[: most + 1]


def _share(m: FrequencyOracle, n: int, target: Any) -> Iterator[Entry]:
    """Of each truth; its case is the end of its name."""
    rates = float(m.law.p), float(m.law.q)
    laws = {name: support_law(rates, n, x, target) for name, x in TRUTHS.items()}
    counts = np.unique(np.concatenate([some for some, _, _ in laws.values()]))
    law = ShareLaw(m.law, counts, n, target)
    low, high = law.interval(1 - LEVEL, "auto", False)
    for name, (some, chances, truth) in laws.items():
        at = np.searchsorted(counts, some)
        held = holds(low[at], high[at], truth)
        yield entry("share", f"{name} {target}", held, chances, law.few[at])


def together() -> Iterator[Entry]:
    """All categories at once: columns of OUE are independent, given the people."""
    for k, epsilon in ((43, 4.0), (43, 1.0), (5, 2.0)):
        m = sd.OUE(k, epsilon)
        rates = float(m.law.p), float(m.law.q)
        for n in (100, 1000, 10_000):
            for name, first in (("one", 1.0), ("half", 0.5), ("even", 1 / k)):
                all_hold = 1.0
                for x, times in ((first, 1), ((1 - first) / (k - 1), k - 1)):
                    counts, chances, truth = support_law(rates, n, x, "respondents")
                    law = ShareLaw(m.law, counts, n, "respondents")
                    low, high = law.interval((1 - LEVEL) / k, "auto", False)
                    all_hold *= float(chances @ holds(low, high, truth)) ** times
                case = f"OUE k={k} ε={epsilon:g} n={n} {name} respondents"
                yield Entry("all shares at once", case, all_hold, all_hold, 0.0)


PAIRS = {
    2: ((0.5, 0.5), (0.02, 0.98), (0, 1)),
    3: ((0.3, 0.3, 0.4), (0, 0.1, 0.9)),
}


def differences() -> Iterator[Entry]:
    """Two of two categories, by every oracle; many reports, and two of three, by GRR."""
    for label, m in oracles(2):
        if m.law.counted:
            yield from _differences(label, m, 14)
    for k, n in ((2, 1000), (3, 14)):
        for epsilon in EPSILONS:
            m = sd.GRR(k, epsilon)
            for x in PAIRS[k]:
                case = f"GRR k={k} ε={epsilon:g} n={n} {x}"
                yield counted(m, n, np.array(x, float), difference, x[0] - x[1], "difference", case)


def difference(est: Any) -> Any:
    return est.difference(0, 1).interval(LEVEL)


def _differences(label: str, m: FrequencyOracle, n: int) -> Iterator[Entry]:
    """Of two categories, from the law of both supports: one, the other, both or none."""
    laws = {x: both_supports(m, n, np.array(x, float)) for x in PAIRS[2]}
    some = np.argwhere(np.max(list(laws.values()), axis=0) > 1e-9)
    found = [m.estimate(sd.Counts(one, n)) for one in some]
    ends = np.array([difference(est) for est in found]).T
    flagged = np.array([bool(est.warnings) for est in found])
    for x, law in laws.items():
        held = holds(*ends, x[0] - x[1])
        case = f"{label} n={n} {x}"
        yield entry("difference", case, held, law[tuple(some.T)], flagged)


def both_supports(m: FrequencyOracle, n: int, x: np.ndarray) -> np.ndarray:
    """The chance of each pair of support counts of two categories, (n + 1, n + 1)."""
    p, q = float(m.law.p), float(m.law.q)
    first, other = p * x[0] + q * x[1], p * x[1] + q * x[0]
    both = sum(one * float(m.law.pair_probability(0, 1, v)) for v, one in enumerate(x))
    law = np.zeros((n + 1, n + 1))
    law[0, 0] = 1.0
    for _ in range(n):
        now = (1 - first - other + both) * law
        now[1:] += (first - both) * law[:-1]
        now[:, 1:] += (other - both) * law[:, :-1]
        now[1:, 1:] += both * law[:-1, :-1]
        law = now
    return law
