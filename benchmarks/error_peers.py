"""Errors of releases beside other libraries', on the table of ``errors.py`` at ε = 0.1.

    pip install "sudare[release,oracle]" python-dp pipeline-dp
    python benchmarks/error_peers.py            # some minutes

Each library answers as its own documentation asks it; those that are not installed are left out.
Google's library is PyDP's; it and PipelineDP protect by add-remove, OpenDP's means and variances
need a public number of rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from errors import TOP, N, data, table

from sudare.release import Dataset

EPSILON = 0.1
Ask = Callable[[], float]


def ours(relation: str) -> dict[str, Ask]:
    db = data(relation)
    asked: dict[str, Ask] = {
        "count": lambda: db.count("region", "region 1", epsilon=EPSILON).value,
        "sum": lambda: db.sum("x", epsilon=EPSILON).value,
        "mean": lambda: db.mean("x", epsilon=EPSILON).value,
        "variance": lambda: db.variance("x", epsilon=EPSILON).value,
        "median": lambda: db.median("x", epsilon=EPSILON).value,
    }
    return asked


def opendp(relation: str) -> dict[str, Ask]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    numbers, groups = table()
    whole, first = numbers.tolist(), np.flatnonzero(groups == 0).tolist()
    floats, public = [float(one) for one in whole], relation == "replace-one"
    apart, size = (2, N) if public else (1, None)
    near = dp.symmetric_distance()
    rows = dp.vector_domain(dp.atom_domain(bounds=(0, TOP), T=int), size=size)

    def tuned(transformation: Any, scaled: Any, rows: Any) -> Ask:
        scale = dp.binary_search_param(
            lambda s: transformation >> scaled(s), d_in=apart, d_out=EPSILON, T=float
        )
        made = transformation >> scaled(scale)
        return lambda: float(made(rows))

    counted = dp.t.make_count(dp.vector_domain(dp.atom_domain(T=int)), near)
    out = {"sum": tuned(dp.t.make_sum(rows, near), dp.m.then_laplace, whole)}
    if not public:
        out["count"] = tuned(counted, dp.m.then_laplace, first)
    if public:
        real = dp.atom_domain(bounds=(0.0, float(TOP)), nan=False)
        sized = dp.vector_domain(real, size=N)
        out["mean"] = tuned(dp.t.make_mean(sized, near), dp.m.then_laplace, floats)
        moved = dp.t.make_variance(sized, near, ddof=0)
        out["variance"] = tuned(moved, dp.m.then_laplace, floats)
    out["median"] = opendp_median(whole, relation, EPSILON)
    return out


def opendp_median(numbers: list[int], relation: str, epsilon: float) -> Ask:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    apart, size = (2, len(numbers)) if relation == "replace-one" else (1, None)
    space = dp.vector_domain(dp.atom_domain(T=int), size=size)
    near, pure, candidates = dp.symmetric_distance(), dp.max_divergence(), list(range(TOP + 1))

    def quantile(scale: float) -> Any:
        return dp.m.make_private_quantile(space, near, pure, candidates, 0.5, scale)

    made = quantile(dp.binary_search_param(quantile, d_in=apart, d_out=epsilon, T=float))
    return lambda: float(made(numbers))


def equal_numbers(times: int) -> None:
    """Print how often the median of 600 zeros and 400 hundreds, which is 0, is told to be so."""
    numbers, relation = [0] * 600 + [100] * 400, "replace-one"
    db = Dataset({"x": numbers}, bounds={"x": (0, TOP)})
    asked: dict[str, Ask] = {"Sudare": lambda: db.median("x", epsilon=1).value}
    with suppress(ImportError):
        asked["OpenDP"] = opendp_median(numbers, relation, 1.0)
    for name, ask in asked.items():
        found = [ask() for _ in range(times)]
        own = sum(one in (0, TOP) for one in found)
        print(f"{name}: 0 in {found.count(0)} of {times}, a number that nobody has {times - own}")


def google(relation: str) -> dict[str, Ask]:
    if relation == "replace-one":
        return {}
    from pydp.algorithms import laplacian

    numbers, groups = table()
    whole, first = numbers.tolist(), np.flatnonzero(groups == 0).tolist()
    kinds = {
        "sum": laplacian.BoundedSum, "mean": laplacian.BoundedMean,
        "variance": laplacian.BoundedVariance, "median": laplacian.Median,
    }  # fmt: skip

    def asked(of: Any) -> Ask:
        return lambda: float(
            of(epsilon=EPSILON, lower_bound=0, upper_bound=TOP, dtype="int").quick_result(whole)
        )

    out = {name: asked(of) for name, of in kinds.items()}
    counting = laplacian.Count
    out["count"] = lambda: float(counting(epsilon=EPSILON, dtype="int").quick_result(first))
    return out


def pipeline_dp(relation: str) -> dict[str, Ask]:
    if relation == "replace-one":
        return {}
    import pipeline_dp as pdp

    numbers, groups = table()
    everybody = list(enumerate(numbers.tolist()))
    first = [(i, 0) for i in np.flatnonzero(groups == 0).tolist()]
    pick = pdp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: 0,
        value_extractor=lambda row: row[1],
    )

    def asked(metric: Any, rows: Any) -> Ask:
        def ask() -> float:
            budget = pdp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=1e-12)
            engine = pdp.DPEngine(budget, pdp.LocalBackend())
            how = pdp.AggregateParams(
                metrics=[metric], noise_kind=pdp.NoiseKind.LAPLACE, min_value=0, max_value=TOP,
                max_partitions_contributed=1, max_contributions_per_partition=1,
            )  # fmt: skip
            told = engine.aggregate(rows, how, pick, public_partitions=[0])
            budget.compute_budgets()
            ((_, values),) = list(told)
            return float(values[0])

        return ask

    kinds = {"sum": "SUM", "mean": "MEAN", "variance": "VARIANCE"}
    out = {name: asked(getattr(pdp.Metrics, kind), everybody) for name, kind in kinds.items()}
    out["median"] = asked(pdp.Metrics.PERCENTILE(50), everybody)
    out["count"] = asked(pdp.Metrics.COUNT, first)
    return out


def main(times: int, slow: int) -> None:
    numbers, groups = table()
    truth = {
        "count": float((groups == 0).sum()), "sum": float(numbers.sum()),
        "mean": float(numbers.mean()), "variance": float(numbers.var()),
        "median": float(np.median(numbers)),
    }  # fmt: skip
    libraries = {"Sudare": ours, "OpenDP": opendp, "Google": google, "PipelineDP": pipeline_dp}
    print(f"| question | relation | {' | '.join(libraries)} |\n|---|---|{'---|' * len(libraries)}")
    for relation in ("replace-one", "add-remove"):
        asked: dict[str, dict[str, Ask]] = {}
        for name, of in libraries.items():
            try:
                asked[name] = of(relation)
            except ImportError:
                asked[name] = {}
        for question, true in truth.items():
            cells = []
            for name in libraries:
                ask = asked[name].get(question)
                if ask is None:
                    cells.append("—")
                    continue
                many = slow if name == "PipelineDP" else times
                found = np.array([ask() for _ in range(many)])
                cells.append(f"{np.sqrt(((found - true) ** 2).mean()):.4g}")
            print(f"| {question} | {relation} | {' | '.join(cells)} |", flush=True)
    equal_numbers(200)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    main(*((40, 5) if parser.parse_args().quick else (2_000, 200)))
