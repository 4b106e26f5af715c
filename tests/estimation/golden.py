"""What estimates said when they were written down; ``python tests/estimation/golden.py`` does it.

Each case is a mechanism's JSON data with counts; the numbers of every method and target follow.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sudare as sd
from sudare.estimation.combining import combine
from sudare.mechanisms import JointNegativeSurvey, MarginalRR, Mechanism, SetUnary, from_json

FILE = Path(__file__).with_name("golden.json")
TARGETS = ("population", "respondents")
SHOWN = 4  # cells of an array that are written down


def shown(numbers: Any) -> list[Any]:
    """Return the first cells of an array, NaN as None."""
    flat = np.asarray(numbers, dtype=np.float64).reshape(-1)[:SHOWN]
    return [None if math.isnan(x) else float(x) for x in flat]


def quantity(found: Any) -> list[Any]:
    return shown([found.value, found.stderr])


def refused(what: Any) -> Any:
    """Return what is found, or how it is refused."""
    try:
        return what()
    except sd.SudareError as error:
        return f"{type(error).__name__}: {error}"


def intervals(interval: Any) -> dict[str, Any]:
    found = {}
    for kind, level, every in (
        ("auto", 0.95, False),
        ("auto", 0.95, True),
        ("auto", 0.999, False),
        ("normal", 0.95, True),
        ("score", 0.95, False),
    ):

        def ends(kind: str = kind, level: float = level, every: bool = every) -> Any:
            return [shown(x) for x in interval(level, simultaneous=every, kind=kind)]

        found[f"{kind} {level}{' together' if every else ''}"] = refused(ends)
    return found


def of_shares(e: sd.Estimate) -> dict[str, Any]:
    size, shape = e.shares.size, e.shares.shape
    scores = np.arange(size, dtype=np.float64).reshape(shape)
    gaps = scores.copy()
    gaps.reshape(-1)[-1] = np.nan
    few = np.where(scores % 3 == 0, 1.0, -0.25)
    return {
        "shares": shown(e.shares),
        "stderr": shown(e.stderr),
        "warnings": [[str(w), w.code, len(w.cells)] for w in e.warnings],
        "said": [e.n, e.epsilon, e.covers, e.method, e.target],
        "linear": [quantity(e.linear(w)) for w in (scores, few)],
        "mean": [refused(lambda s=s: quantity(e.mean(s))) for s in (scores, gaps)],
        "difference": [quantity(e.difference(0, 1)), quantity(e.difference(size - 1, 0))],
        "interval": intervals(e.interval) if e._law else refused(e.interval),
    }


def of_keys(e: Any) -> dict[str, Any]:
    parts = ("frequency", "mean", "stderr_frequency", "stderr_mean", "reports")
    return {
        **{part: shown(getattr(e, part)) for part in parts},
        "warnings": [[str(w), w.code, len(w.cells)] for w in e.warnings],
        "said": [e.n, e.epsilon, e.covers, e.method, e.target],
    }


def of_number(e: Any) -> dict[str, Any]:
    return {
        "mean": quantity(e.mean),
        "interval": list(e.mean.interval(0.95)),
        "warnings": [[str(w), w.code, len(w.cells)] for w in e.warnings],
        "said": [e.n, e.epsilon, e.covers, e.method, e.target],
    }


def told(found: Any) -> Any:
    if isinstance(found, tuple):
        return [told(one) for one in found]
    if isinstance(found, sd.Estimate):
        return of_shares(found)
    return of_keys(found) if hasattr(found, "frequency") else of_number(found)


def numbers(m: Any, counts: sd.Counts) -> dict[str, Any]:
    """Return all that is said about these counts, by method and target."""
    out: dict[str, Any] = {}
    methods = ("unbiased", "projected", "clipped", "mle", "em", "smoothed", "privkv", "bayes")
    for target in TARGETS:
        for method in methods:
            name = f"{method}, {target}"
            out[name] = refused(lambda m=m, a=method, t=target: told(m.estimate(counts, a, t)))
        if hasattr(m, "expected_mse"):
            out[f"expected, {target}"] = shown(m.expected_mse(1000, target=target))
    return out


def together(m: Any, counts: sd.Counts, target: str) -> Any:
    groups = [m.estimate(c, target=target) for c in (counts, counts + counts)]
    both = told(combine(groups, independent=True))
    gap = groups[0] - groups[1]
    both["gap"] = [shown(gap.stderr), *(shown(x) for x in gap.interval(simultaneous=True))]
    return both


def cases() -> Iterator[tuple[Any, sd.Counts]]:
    """Yield mechanisms with counts, to be written down."""
    rng = sd.Entropy.seeded(b"golden")
    oracles = [kind(k, e) for kind in (sd.GRR, sd.OUE, sd.SUE, sd.DyadicUnary)
               for k, e in ((2, 0.5), (3, 2.0), (43, 1.0))]  # fmt: skip
    oracles += [sd.NegativeSurvey(3), sd.NegativeSurvey(7), sd.GRR(1000, 0.01), sd.OUE(1000, 0.01)]
    for m in oracles:
        for n in (14, 900, 1_000_000):
            weights = 1.0 / (1 + np.arange(m.k))
            truth = np.floor(n * weights / weights.sum()).astype(np.int64)
            truth[0] += n - truth.sum()
            yield m, m.simulate(truth, rng=rng)
    for n in (20, 30_000):
        for most in (1, 3):
            m = SetUnary(5, 1.5, most)
            yield m, m.simulate(np.array([n // 3, n // 5, n // 9, 0, n // 7]), n, rng=rng)
        for strategy in ("split", "sample", "fake"):
            m = MarginalRR([3, 2], 2.0, strategy)
            yield m, m.simulate([[n // 2, n // 2, 0], [n // 5, n - n // 5]], rng=rng)
        table = np.array([[n // 2, n // 10], [n // 5, 0], [0, n // 5]])
        for m in (sd.JointRR([3, 2], gamma=9), JointNegativeSurvey([3, 2])):
            yield m, m.simulate(table, rng=rng)
        for m in (sd.PrivKV(4, 2.0), sd.StateRR(4, 2.0), sd.PCKVGRR(4, 2.0, padding=2),
                  sd.PCKVUE(4, 2.0, padding=2), sd.PrivKVM(4, 2.0, rounds=2)):  # fmt: skip
            yield m, m.simulate(n, [0.9, 0.5, 0.1, 0.0], [0.5, -0.5, 0.0, np.nan], rng=rng)
        for m in (sd.Duchi(1.0), sd.Piecewise(2.0, -2, 10), sd.Hybrid(1.5)):
            yield m, m.simulate(np.linspace(-0.5, 1, 7), np.full(7, n // 7), rng=rng)
        m = sd.SquareWave(3.0, bins=6)
        yield m, m.simulate([n // 6] * 6, rng=rng)
        grid = sd.Grid(3, 2, cell_height=100.0, cell_width=120.0)
        for m in (sd.GridExponential(grid, 0.03), sd.TightGrid(grid, 0.03)):
            yield m, m.simulate([n // 2, n // 4, 0, 0, n // 8, n // 8], rng=rng)


def entry(m: Any, counts: sd.Counts) -> dict[str, Any]:
    held = [counts.support.tolist(), counts.n]
    both = {}
    if isinstance(m, sd.GRR | sd.OUE):
        both = {target: together(m, counts, target) for target in TARGETS}
    return {
        "mechanism": m.to_json(),
        "counts": held,
        "numbers": numbers(m, counts),
        "combined": both,
    }


def read(given: dict[str, Any]) -> tuple[Any, sd.Counts]:
    """Return the mechanism and the counts of an entry."""
    data = given["mechanism"]
    baselines = {one.name: one for one in (sd.NegativeSurvey, JointNegativeSurvey)}
    kind = baselines.get(data["name"])
    m = from_json(data, Mechanism) if kind is None else kind.from_json(data)
    support, n = given["counts"]
    return m, sd.Counts(support, n, m.to_json())


if __name__ == "__main__":
    lines = [json.dumps(entry(m, counts), ensure_ascii=False) for m, counts in cases()]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
