"""Coverage of tables: maps, attributes that were randomised apart or together, groups."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
from coverage_entries import LEVEL, RUNS, Entry, entry, flagged_cells, holds, of_cells, simulated
from coverage_laws import TARGETS, drawn_reports, surveys

import sudare as sd
from sudare.estimation.combining import combine
from sudare.estimation.dependence import cramers_v
from sudare.estimation.table import as_table


def places() -> Iterator[Entry]:
    """Cells of a map; mirrored ones have one law."""
    grid, runs = sd.Grid(8, 8, 100.0, 100.0), 3 * RUNS // 2
    row, column = np.divmod(np.arange(64), 8)
    near, far = np.minimum(row, 7 - row), np.minimum(column, 7 - column)
    even = 8 * np.minimum(near, far) + np.maximum(near, far)
    one = 8 * np.minimum(row, column) + np.maximum(row, column)
    truths = {"even": (np.full(64, 1 / 64), even), "one cell": (np.eye(64)[27], one)}
    every = tuple(truths)
    for epsilon, n, names in (
        (0.03, 30, every), (0.03, 1000, every), (0.03, 20_000, every),
        (0.01, 1000, every[:1]), (0.1, 1000, every[1:]),
    ):  # fmt: skip
        m = sd.GridExponential(grid, epsilon)
        for name in names:
            x, kinds = truths[name]
            case = f"GridExponential 8 x 8 ε={epsilon:g} n={n} {name}"
            yield from of_cells("place", surveys(m, n, x, "population", case, runs), x, case, kinds)


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
                    some = surveys(m, n, x, target, case, RUNS)
                    yield from of_cells("table", some, x, case, kinds)


def flat_tables() -> Iterator[Entry]:
    """Margins of attributes that were reported as one category; its cells are shares.

    Of two by two cells and eight people all counts are enumerated, beyond that they are drawn.
    """
    for epsilon in (0.2, 4.0):
        yield from _small_margins(sd.SubsetSelection(4, epsilon), f"2 x 2 ε={epsilon:g}", 8)
    one, even = np.zeros((4, 3)), np.full((4, 3), 1 / 12)
    one[1, 2] = 1.0
    shared, alike = [0, 1, 0, 0, 2, 2, 3], [0, 0, 0, 0, 1, 1, 1]
    for epsilon, n, x, kinds, target in (
        (1.0, 300, one, shared, "population"),
        (1.0, 10_000, one, shared, "respondents"),
        (4.0, 10_000, even, alike, "population"),
    ):
        name = "even" if x is even else "one cell"
        case = f"SubsetSelection 4 x 3 ε={epsilon:g} n={n} {name} {target}"
        drawn = _tables(sd.SubsetSelection(12, epsilon), (4, 3), n, x, target, case, 2 * RUNS)
        truth = np.concatenate([x.sum(axis=1), x.sum(axis=0)])
        both = ((one.marginal(0), one.marginal(1)) for one in drawn)
        yield _of_all("margin of a flat table", case, both, truth, kinds)


def _of_all(
    name: str, case: str, some: Iterator[tuple[Any, ...]], truth: np.ndarray, kinds: Any
) -> Entry:
    """An entry of all cells of several tables, in many surveys."""
    ends, few = _read_all(some)
    held = holds(*ends, truth)
    runs = len(held)
    return entry(name, case, held, np.full(runs, 1 / runs), few, runs, kinds)


def _tables(
    m: Any, sizes: tuple[int, ...], n: int, x: np.ndarray, target: Any, label: str, runs: int
) -> Iterator[Any]:
    """The table whose cells were reported, in so many surveys of n people."""
    rng = sd.Entropy.seeded(label.encode())
    dice = rng.generator()
    people = np.round(n * x.ravel()).astype(int)
    for _ in range(runs):
        held = dice.multinomial(n, x.ravel()) if target == "population" else people
        yield as_table(m.estimate(m.simulate(held, rng=rng), target=target), sizes)


def _read_all(some: Iterator[tuple[Any, ...]]) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Both limits of all cells of several tables, (surveys, cells), and which bear a caution."""
    low, high, flags = [], [], []
    for each in some:
        ends = [one.interval(LEVEL) for one in each]
        low.append(np.concatenate([first.ravel() for first, _ in ends]))
        high.append(np.concatenate([last.ravel() for _, last in ends]))
        flags.append(np.concatenate([flagged_cells(one) for one in each]))
    return (np.array(low), np.array(high)), np.array(flags)


def _small_margins(m: Any, label: str, n: int) -> Iterator[Entry]:
    """The margins of two by two cells, from the law of all four supports."""
    for target in TARGETS:
        for name, people in (("one cell", (n, 0, 0, 0)), ("most", (n - 2, 1, 1, 0))):
            law = _supports(m, people, target)
            counts = np.array(list(law))
            found = [
                as_table(m.estimate(sd.Counts(one, n), target=target), (2, 2)) for one in counts
            ]
            ends, few = _read_all((one.marginal(0), one.marginal(1)) for one in found)
            x = np.array(people).reshape(2, 2) / n
            truth = np.concatenate([x.sum(axis=1), x.sum(axis=0)])
            case = f"SubsetSelection {label} n={n} {name} {target}"
            chances = np.array(list(law.values()))
            yield entry("margin of a flat table", case, holds(*ends, truth), chances, few)


def _supports(m: Any, people: tuple[int, ...], target: str) -> dict[tuple[int, ...], float]:
    """The law of all supports of so many people, who are drawn or are these."""
    k, d, p = m.k, m.program.size, float(m.law.p)
    sets = [tuple(int(i in some) for i in range(k)) for some in combinations(range(k), d)]
    with_own = math.comb(k - 1, d - 1), math.comb(k - 1, d)
    own = [
        [(p / with_own[0] if one[v] else (1 - p) / with_own[1]) for one in sets] for v in range(k)
    ]
    if target == "population":
        share = np.array(people) / sum(people)
        each = [share @ np.array(own)] * sum(people)
    else:
        each = [np.array(own[v]) for v, many in enumerate(people) for _ in range(many)]
    law = {(0,) * k: 1.0}
    for chances in each:
        after: dict[tuple[int, ...], float] = {}
        for (sums, before), (one, chance) in product(law.items(), zip(sets, chances, strict=True)):
            place = tuple(a + b for a, b in zip(sums, one, strict=True))
            after[place] = after.get(place, 0.0) + before * chance
        law = after
    return {place: chance for place, chance in law.items() if chance > 1e-9}


SIZES = (3, 2, 2)


def pairs() -> Iterator[Entry]:
    """All tables of two of three attributes, of each of which two were drawn."""
    one, even = np.zeros(SIZES), np.full(SIZES, 1 / 12)
    one[1, 1, 0] = 1.0
    alike = np.repeat([0, 0, 1], [6, 6, 4])
    for epsilon, runs, x, kinds, target in (
        (1.0, 3 * RUNS // 2, one, _shared((1, 1, 0)), "population"),
        (4.0, RUNS // 2, even, alike, "respondents"),
    ):
        m, n = sd.SampledPairs(SIZES, epsilon), 600
        name = "even" if x is even else "one cell"
        case = f"SampledPairs 3 x 2 x 2 ε={epsilon:g} n={n} {name} {target}"
        truth = np.concatenate([_margin(x, pair).ravel() for pair in m.pairs])
        drawn = _paired(m, n, x, target, case, runs)
        yield _of_all("table of sampled pairs", case, drawn, truth, kinds)


def _shared(cell: tuple[int, ...]) -> np.ndarray:
    """Kinds of the cells of all pairs: of a pair, by what they share with one that is full."""
    kinds = []
    for (i, j), place in zip(combinations(range(3), 2), (0, 0, 1), strict=True):
        row, column = np.indices((SIZES[i], SIZES[j]))
        kinds.append(((row == cell[i]) * 2 + (column == cell[j]) + 4 * place).ravel())
    return np.concatenate(kinds)


def _margin(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    return x.sum(axis=tuple(axis for axis in range(x.ndim) if axis not in axes))


def _paired(
    m: Any, n: int, x: np.ndarray, target: Any, label: str, runs: int
) -> Iterator[tuple[Any, ...]]:
    """The tables of all pairs, in so many surveys of n people."""
    rng = sd.Entropy.seeded(label.encode())
    dice = rng.generator()
    even = np.full(len(m.pairs), 1 / len(m.pairs))
    people = np.round(n * x).astype(int)
    for _ in range(runs):
        held = dice.multinomial(n, x.ravel()).reshape(x.shape) if target == "population" else people
        groups = np.moveaxis(dice.multinomial(held, even), -1, 0)
        each = []
        for pair, part, group in zip(m.pairs, m.parts, groups, strict=True):
            counts = part.simulate(_margin(group, pair).ravel(), rng=rng)
            each.append(np.append(counts.n, counts.support))
        yield m.estimate(sd.Counts(np.concatenate(each), n), target=target)


def combined() -> Iterator[Entry]:
    """Groups of people with different ε; the four rare categories have one law."""
    for levels in ((0.2, 6.0), (0.2, 0.5, 6.0), (1.0, 2.0)):
        for n in (30, 2000):
            for target in TARGETS:
                rare = 0.03 if target == "population" else round(0.03 * n) / n
                x = np.array([rare, rare, rare, rare, 1 - 4 * rare])
                case = f"GRR k=5 ε={levels} n={n} each {target}"
                groups = [surveys(sd.GRR(5, e), n, x, target, f"{case} {e}", RUNS) for e in levels]
                both = (combine(list(some), independent=True) for some in zip(*groups, strict=True))
                yield from of_cells("combined groups", both, x, case, np.array([0, 0, 0, 0, 1]))


def dependence() -> Iterator[Entry]:
    """Cramér's V of 8,000 people, from none to nearly all of it."""
    j, n = sd.JointRR([4, 3], gamma=[6, 9]), 8000
    m = sd.SubsetSelection(12, 3.0)
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
            reports = drawn_reports(j.channel, n, x, target, RUNS, case)
            laws = (cramers_v(j.channel, one.reshape(4, 3), target) for one in reports)
            held = np.array([holds(*law.interval(LEVEL), true) for law in laws])
            yield simulated("Cramér's V", case, held)
            if strength not in (0.0, 0.3):
                continue
            case = f"SubsetSelection 4 x 3 ε=3 n={n} V={true:.2f} {target}"
            flat = (table.dependence() for table in _tables(m, (4, 3), n, x, target, case, RUNS))
            held = np.array([holds(*law.interval(LEVEL), true) for law in flat])
            yield simulated("Cramér's V", case, held)
