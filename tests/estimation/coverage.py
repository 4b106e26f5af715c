"""How often intervals hold the truth, over n, ε and truths; exact where a law is finite.

``python tests/estimation/coverage.py`` prints the least coverage of each estimator and writes the
table of ``docs/coverage.md``. An entry is one estimator, mechanism, n, ε and truth; its coverage is
the least over the numbers that are estimated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from coverage_distributions import distributions
from coverage_entries import LEVEL, RUNS, Entry, counted, entry, holds, read_or_refused, simulated
from coverage_laws import TARGETS, binomial, groups_of, likely, support_law, trinomial
from coverage_oracles import TRUTHS, differences, shares, together
from coverage_tables import combined, dependence, flat_tables, pairs, places, tables
from coverage_weights import weighted

import sudare as sd
from sudare.estimation.keyvalue.law import StateLaw
from sudare.mechanisms.marginal.validation import known_part

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
MARKS = "<!-- table -->\n", "<!-- end -->\n"


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
                    held = holds(*law.interval(1 - LEVEL, "auto", False), truth)
                    case = f"SetUnary k={k} most={most} ε={epsilon:g} n={n} {name} {target}"
                    yield entry("share of a set", case, held, chances, law.few)


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
                            laws = list(groups_of(rates, n, x, target))
                        hit = silent = flagged = 0.0
                        for chance, size, counts, chances, truth in laws:
                            law = replace(blank, support=counts, n=size, target=target)
                            if strategy == "sample":
                                known = known_part(size, n, target)
                                law = replace(law, target="population", known=known)
                            held = holds(*law.interval(1 - LEVEL, "auto", False), truth)
                            hit += chance * float(chances @ held)
                            silent += chance * float(chances @ (held | law.few))
                            flagged += chance * float(chances @ law.few)
                        case = f"MarginalRR {strategy} ε={epsilon:g} n={n} {name} {target}"
                        yield Entry("share of an attribute", case, hit, silent, flagged)


SCALES = (
    ((1, 2, 3), (0.9, 0.08, 0.02)),
    ((1, 2, 3), (0.3, 0.4, 0.3)),
    ((1, 2, None), (0.4, 0.4, 0.2)),
    ((1, 2, None), (0.04, 0.03, 0.93)),
)


def scales() -> Iterator[Entry]:
    """Means of 1 and 2, of 1, 2 and 3, and of 1 and 2 where the third declines."""
    for epsilon in (0.5, 1.0, 4.0, 12.0):
        for scores, own in SCALES:
            x = np.array(own)
            known = [(s, one) for s, one in zip(scores, own, strict=True) if s is not None]
            truth = sum(s * one for s, one in known) / sum(one for _, one in known)

            def read(est: Any, scores: Any = scores) -> Any:
                return est.mean(scores).interval(LEVEL)

            case = f"k=3 ε={epsilon:g} {scores} {own}"
            m = sd.GRR(3, epsilon)
            yield counted(m, 14, x, read, truth, "mean of a scale", f"GRR n=14 {case}")
            if epsilon == (1.0, 12.0, 12.0, 1.0)[SCALES.index((scores, own))]:
                yield _columns(epsilon, x, read, truth, case)


def _columns(epsilon: float, x: np.ndarray, read: Any, truth: float, case: str) -> Entry:
    """The mean of a scale of 1,000 people by OUE, whose three counts are drawn."""
    m, n, name = sd.OUE(3, epsilon), 1000, f"OUE n=1000 {case}"
    dice = sd.Entropy.seeded(name.encode()).generator()
    held = dice.multinomial(n, x, RUNS)
    p, q = map(float, m.support_probabilities)
    support = dice.binomial(held, p) + dice.binomial(n - held, q)
    found = [holds(*read_or_refused(read, m.estimate(sd.Counts(one, n))), truth) for one in support]
    return simulated("mean of a scale", name, np.array(found))


def numbers() -> Iterator[Entry]:
    """Duchi: two kinds of reports; the others are drawn."""
    for epsilon in (0.5, 4.0, 15.0):
        m = sd.Duchi(epsilon)
        for n in (14, 100, 1000, 100_000):
            for high in (0.0, 0.001, 0.02, 0.5, 0.95) if n <= 1000 else (0.001, 0.02):
                chance = float(m.channel.matrix[1] @ [1 - high, high])
                law = binomial(n, chance)
                some = np.flatnonzero(law > 1e-9)
                found = [m.estimate(sd.Counts((n - c, c), n)) for c in some]
                held = [holds(*one.mean.interval(LEVEL), 2 * high - 1) for one in found]
                flagged = np.array([bool(one.warnings) for one in found])
                case = f"Duchi ε={epsilon:g} n={n} {high} at the end"
                yield entry("number", case, np.array(held), law[some], flagged)
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
                        held.append(holds(*est.mean.interval(LEVEL), 2 * high - 1))
                    case = f"{m.name} ε={epsilon:g} n={n} {high} at the end"
                    yield simulated("number", case, np.array(held), n < 30)


NUMBERS = {
    "even": lambda n: (np.arange(n) + 0.5) / n * 2 - 1,
    "skewed": lambda n: -np.log1p(-(np.arange(n) + 0.5) / n) / 4 - 1,
    "at the end": lambda n: np.full(n, -1.0),
    "at both ends": lambda n: np.where(np.arange(n) < n // 2, -1.0, 1.0),
    "at two points": lambda n: np.where(np.arange(n) < n // 3, -0.61, 0.43),
    "between two nodes": lambda n: np.full(n, 1 / 64),
}
"""What the respondents hold, in [-1, 1]: the nodes of the law lie 1/32 apart."""


def respondents_numbers(
    epsilons: tuple[float, ...] = (4.0, 12.0),
    sizes: tuple[int, ...] = (30, 100),
) -> Iterator[Entry]:
    """The mean of these very numbers, of which a report in a thousand may lie anywhere."""
    for kind in (sd.Duchi, sd.Piecewise, sd.Hybrid):
        for epsilon in epsilons:
            m = kind(epsilon)
            for n in sizes:
                for name, values in NUMBERS.items():
                    held, case = values(n), f"{m.name} ε={epsilon:g} n={n} {name} respondents"
                    truth = float(m._values(held).mean()) / (1 << 31) * 2 - 1
                    found = [
                        est.mean.interval(LEVEL) for est in own_means(m, held, RUNS // 2, case)
                    ]
                    low, high = np.array(found).T
                    yield simulated("number of the respondents", case, holds(low, high, truth))


def own_means(m: Any, held: np.ndarray, runs: int, label: str) -> list[Any]:
    """What so many surveys of the same people estimate; equal counts are estimated once."""
    dice, steps = sd.Entropy.seeded(label.encode()).generator(), m.program.steps
    columns = m.channel.dense()
    nodes, people = np.unique(m._values(held), return_counts=True)
    counts = np.zeros((runs, len(columns)), np.int64)
    for node, some in zip(nodes.tolist(), people.tolist(), strict=True):
        low, part = node // steps, node % steps / steps
        law = (1 - part) * columns[:, low] + part * columns[:, min(low + 1, m.cells)]
        counts += dice.multinomial(some, law / law.sum(), runs)
    each, places = np.unique(counts, axis=0, return_inverse=True)
    found = [m.estimate(sd.Counts(one, len(held)), target="respondents") for one in each]
    return [found[place] for place in places.reshape(-1)]


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
            held = holds(low, high, x)
            law = chances[some] / chances[some].sum()
            yield entry("bootstrap", f"GRR k=2 ε=2 n={n} {method} {x:g}", held, law, flagged)


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
                        if n <= 200:
                            (cells, chances), runs = likely(*trinomial(n, y)), 0
                        else:
                            runs = 2 * RUNS
                            drawn = dice.multinomial(n, y / y.sum(), runs)
                            cells, chances = np.unique(drawn, axis=0, return_counts=True)
                            chances = chances / runs
                        law = StateLaw(cells.astype(float), channel, 1, np.zeros(len(cells)))
                        case = f"{m.name} ε={epsilon:g} N={n} f={f:g} m={mean:g}"
                        few = np.full(len(cells), n < 30)
                        held = holds(*law.interval_frequency(LEVEL), f)
                        yield entry("frequency of a key", case, held, chances, few, runs)
                        if f > 0:
                            low, high = law.interval_mean(LEVEL)
                            held = holds(low - 1e-6, high + 1e-6, mean)
                            yield entry("mean of a key", case, held, chances, few, runs)


def respondents_keys() -> Iterator[Entry]:
    """The frequency among these respondents, of whom a random half reports about the key."""
    for kind in (sd.PrivKV, sd.StateRR):
        for epsilon in (0.5, 4.0):
            channel = kind(2, epsilon).channel.dense()
            rates = float(channel[:2, 0].sum()), float(channel[:2, 2].sum())
            for n in (30, 300):
                for f in (0.0, 0.01, 0.1, 0.5, 1.0):
                    hit = 0.0
                    for chance, size, counts, chances, truth in groups_of(
                        rates, n, f, "respondents"
                    ):
                        three = np.stack([counts, 0 * counts, size - counts], axis=1)
                        known = np.full(len(counts), known_part(size, n, "respondents"))
                        law = StateLaw(three.astype(float), channel, 1, known)
                        held = holds(*law.interval_frequency(LEVEL), truth)
                        hit += chance * float(chances @ held)
                    case = f"{kind.__name__} ε={epsilon:g} n={n} f={f:g} respondents"
                    yield Entry("frequency of a key", case, hit, hit, 0.0)


ESTIMATORS = (
    shares, sets, marginals, together, differences, scales, numbers, respondents_numbers, combined,
    weighted, places, tables, flat_tables, pairs, dependence, distributions, bootstraps, keys,
    respondents_keys,
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
