"""Made-up rows beside those of reference implementations, on Adult at the same price.

    pip install sudare "opendp[mbi]"      # in an environment of its own: JAX, half a gigabyte
    SUDARE_DATA=... python benchmarks/synthetic.py

Fourteen columns of ``adult.csv.gz``, numbers in public bins; protected is who is there. The figure
is the mean total variation between tables and the data's over all 91 pairs of columns. *MST* is the
algorithm of McKenna, Miklau and Sheldon 2021 (thirds of the price for columns, choice and pairs;
cells below 3σ together), written out here around the estimator and sampler of the authors' library,
mbi; *OpenDP* is ``opendp.extras.mbi``, with a fifth of the price for single columns: with keys
given it measures none, and knows independence from nowhere. Both are judged twice: by the rows, and
by their model's own tables, which no rows can better much. MST's rows are drawn independently:
mbi 1.1.0's default, which OpenDP takes, makes columns that hang on the same one rise together.
Those that are not installed are left out.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import sudare as sd

EDGES = {
    "age": range(15, 96, 5),
    "education-num": range(1, 18),
    "capital-gain": (0, 1, 5000, 10_000, 20_000, 100_000),
    "capital-loss": (0, 1, 1000, 2000, 5000),
    "hours-per-week": range(0, 101, 10),
}
LEFT_OUT = ("fnlwgt", "split")
Codes = dict[str, np.ndarray]
Tables = Callable[[str, str], np.ndarray]
Maker = Callable[[Codes, dict[str, int], float, int], dict[str, Tables]]


def adult() -> tuple[Codes, dict[str, int]]:
    """Return the cells of each row, and how many cells each column has."""
    path = Path(os.environ["SUDARE_DATA"]) / "adult.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    codes, sizes = {}, {}
    for name in rows[0]:
        values = [row[name].strip().rstrip(".") for row in rows]
        if name in LEFT_OUT:
            continue
        if name in EDGES:
            edges = np.array(EDGES[name])
            found = np.searchsorted(edges, np.array(values, float), side="right") - 1
            codes[name], sizes[name] = found.clip(0, edges.size - 2), edges.size - 1
        else:
            names, codes[name] = np.unique(values, return_inverse=True)
            sizes[name] = names.size
    return codes, sizes


def rows(codes: Codes, sizes: dict[str, int]) -> Tables:
    """Return the tables of rows; a cell more of each column is for rows of none."""

    def table(a: str, b: str) -> np.ndarray:
        wide = sizes[b] + 1
        found = np.bincount(codes[a] * wide + codes[b], minlength=(sizes[a] + 1) * wide)
        return found.reshape(sizes[a] + 1, wide)

    return table


def distances(true: Tables, made: Tables, sizes: dict[str, int]) -> list[float]:
    """Return the total variation of each pair of columns."""
    out = []
    for pair in itertools.combinations(sizes, 2):
        one, other = true(*pair), made(*pair)
        out.append(float(np.abs(one / one.sum() - other / other.sum()).sum() / 2))
    return out


def ours(unit: str) -> Maker:
    def make(codes: Codes, sizes: dict[str, int], amount: float, seed: int) -> dict[str, Tables]:
        names = {name: [f"{i:02}" for i in range(size)] for name, size in sizes.items()}
        frame = {name: [names[name][i] for i in one.tolist()] for name, one in codes.items()}
        db = sd.release.Dataset(frame, neighbours="add-remove")
        made = db.synthetic(names, **{unit: amount}).value.columns
        drawn = {
            name: np.array([sizes[name] if one is None else int(one) for one in made[name]])
            for name in sizes
        }
        return {"Sudare": rows(drawn, sizes)}

    return make


def mst(codes: Codes, sizes: dict[str, int], rho: float, seed: int) -> dict[str, Tables]:
    """Return rows by MST on mbi; floats for noise, as the reference has them."""
    from mbi import Domain, LinearMeasurement, estimation
    from scipy.special import softmax

    rng, sigma = np.random.default_rng(seed), math.sqrt(3 / (2 * rho))
    attributes = list(sizes)

    def measured(
        data: dict[str, np.ndarray], shape: dict[str, int], tables: list[tuple[str, ...]]
    ) -> list[LinearMeasurement]:
        wide = sigma * math.sqrt(len(tables))
        out = []
        for table in tables:
            counts = tabled(data, shape, table).ravel()
            noisy = counts + rng.normal(0, wide, counts.size)
            out.append(LinearMeasurement(noisy, table, wide))
        return out

    singles = measured(codes, sizes, [(name,) for name in attributes])
    short, shape, kept, first = {}, {}, {}, []
    for name, one in zip(attributes, singles, strict=True):
        counts = np.asarray(one.noisy_measurement)
        kept[name] = np.flatnonzero(counts >= 3 * one.stddev)
        place = np.full(sizes[name], kept[name].size)
        place[kept[name]] = np.arange(kept[name].size)
        rare = sizes[name] - kept[name].size
        short[name], shape[name] = place[codes[name]], kept[name].size + (rare > 0)
        merged = np.bincount(place, counts, minlength=shape[name])
        first.append(LinearMeasurement(merged, (name,), one.stddev))
    domain = Domain.fromdict(shape)
    n = float(np.mean([np.asarray(one.noisy_measurement).sum() for one in first]))
    model = estimation.mirror_descent(domain, first, known_total=n, iters=500)
    errors = {}
    for a, b in itertools.combinations(attributes, 2):
        guess = np.outer(
            *(np.asarray(model.project((name,)).datavector()) for name in (a, b))
        ) / max(n, 1)
        errors[a, b] = float(np.abs(tabled(short, shape, (a, b)) - guess).sum())
    epsilon = math.sqrt(8 * rho / 3 / (len(attributes) - 1))
    tree, edges = {name: name for name in attributes}, []
    for _ in range(len(attributes) - 1):
        left = [(a, b) for a, b in errors if tree[a] != tree[b]]
        law = softmax(np.array([errors[one] for one in left]) * epsilon / 2)
        a, b = left[rng.choice(len(left), p=law)]
        edges.append((a, b))
        tree = {name: tree[a] if root == tree[b] else root for name, root in tree.items()}
    second = measured(short, shape, edges)
    model = estimation.mirror_descent(domain, first + second, known_total=n, iters=2000)
    drawn = model.synthetic_data(rows=round(n), method="sample").to_dict()
    spread, out = {}, {}
    for name in attributes:
        own, rare = kept[name], np.setdiff1d(np.arange(sizes[name]), kept[name])
        full = np.append(own, -1)[np.asarray(drawn[name], dtype=np.int64)]
        back = np.zeros((shape[name], sizes[name] + 1))
        back[np.arange(own.size), own] = 1
        if rare.size:
            full[full < 0] = rng.choice(rare, int((full < 0).sum()))
            back[-1, rare] = 1 / rare.size
        out[name], spread[name] = full, back

    def of_model(a: str, b: str) -> np.ndarray:
        table = np.asarray(model.project((a, b)).datavector(flatten=False))
        return spread[a].T @ table @ spread[b]

    return {"MST, rows": rows(out, sizes), "MST, model": of_model}


def tabled(data: Codes, shape: dict[str, int], table: tuple[str, ...]) -> np.ndarray:
    """Return the counts of a table of one or two columns."""
    size = [shape[name] for name in table]
    at = np.ravel_multi_index([data[name] for name in table], size)
    return np.bincount(at, minlength=math.prod(size)).reshape(size)


def opendp(unit: str) -> Maker:
    def make(codes: Codes, sizes: dict[str, int], amount: float, seed: int) -> dict[str, Tables]:
        import opendp.extras.mbi._mst as inside
        import opendp.prelude as dp
        import polars as pl

        # thirteen choices overrun their own part of the price by rounding: a little less each
        inside.prior = lambda x: x * (1 - 1e-12)
        dp.enable_features("contrib")
        price = {unit: amount}
        context = dp.Context.compositor(
            data=pl.DataFrame(codes).lazy(),
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(**{unit: amount * (1 + 1e-6)}),
        )
        keys = {name: list(range(size)) for name, size in sizes.items()}
        how = dp.mbi.MST(oneway_split=0.2, measure_split=0.8)
        asked = context.query(**price).select(*sizes).contingency_table(keys=keys, algorithm=how)
        done = asked.release()
        made = done.synthesize().select(*sizes).fill_nan(None)
        drawn = {
            name: made[name].fill_null(size).to_numpy().astype(np.int64)
            for name, size in sizes.items()
        }

        def of_model(a: str, b: str) -> np.ndarray:
            table = np.asarray(done.project((a, b)))
            return np.pad(
                table, [(0, sizes[a] + 1 - len(table)), (0, sizes[b] + 1 - len(table[0]))]
            )

        return {"OpenDP, rows": rows(drawn, sizes), "OpenDP, model": of_model}

    return make


def main(epsilons: list[float], rounds: int, delta: float, only: str) -> None:
    codes, sizes = adult()
    true = rows(codes, sizes)
    print("| price | who | mean of all pairs, each round | largest | Sudare / this | seconds |")
    print("|---|---|---|---|---|---|")
    for epsilon in epsilons:
        rho = float(sd.ledger.rho_of(epsilon, delta))
        for words, unit, amount, others in (
            (f"ε = {epsilon:g}", "epsilon", epsilon, {"OpenDP": opendp("epsilon")}),
            (f"ε = {epsilon:g}, δ = {delta:g}", "rho", rho, {"MST": mst, "OpenDP": opendp("rho")}),
        ):
            mine = 0.0
            for name, make in {"Sudare": ours(unit), **others}.items():
                if name != "Sudare" and only and name not in only.split(","):
                    continue
                found: dict[str, list[list[float]]] = {}
                start = time.process_time()
                try:
                    for seed in range(rounds):
                        for of, tables in make(codes, sizes, amount, seed).items():
                            found.setdefault(of, []).append(distances(true, tables, sizes))
                except ImportError:
                    continue
                took = (time.process_time() - start) / rounds
                for of, each in found.items():
                    mean, largest = float(np.mean(each)), float(np.max(each))
                    mine = mine or mean
                    said = ", ".join(f"{np.mean(one):.4f}" for one in each)
                    fields = words, of, said, f"{largest:.3f}", f"{mine / mean:.2f}", f"{took:.1f}"
                    print(f"| {' | '.join(fields)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 1.0, 10.0])
    parser.add_argument("--delta", type=float, default=1e-9)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="MST, OpenDP or both, by a comma")
    asked = parser.parse_args()
    main(asked.epsilon, asked.rounds, asked.delta, asked.only)
