"""Section 2.2 of the source: GRR and its worked example."""

from __future__ import annotations

import math
from itertools import product

from sudare.mechanisms import GRR
from sudare.studies.grr_oue import worked
from sudare.studies.grr_oue.worked import EPSILON, TRUTH, K, N
from sudare.studies.study_text import Facts


def compute() -> Facts:
    """Recompute the example by the source's formulas."""
    m = GRR(K, EPSILON)
    p, q = worked.law(m)
    found = worked.estimates(m, worked.GRR_REPORTS)
    line_9 = [
        (c * (K - 1) - N * (1 - p)) / (K * p - 1) - (c - N * q) / (p - q) for c in range(N + 1)
    ]
    return Facts.of(
        p=p,
        q=q,
        N=N,
        asked=EPSILON,
        realised=m.epsilon,
        total=p + (K - 1) * q,
        loss=math.log(p / q),
        sums=N * (p + q),
        line_9=line_9,
        lacking=likeliest(p, q) - likelihood(found, p, q),
        least=(0 - N * q) / (p - q),
        found=found,
        slipped=[(c * (K - 1) - N * (1 - 0.737)) / (K * 0.737 - 1) for c in worked.GRR_REPORTS],
        errors=[x - t for x, t in zip(found, TRUTH, strict=True)],
        spread=worked.deviations(m),
        tables={"example-grr": worked.example_rows(m, worked.GRR_REPORTS, worked.GRR_PRINTED)},
    )


def likelihood(counts: list[float], p: float, q: float) -> float:
    """Return the log-likelihood of such true counts, given the example's reports."""
    chances = [(q * (N - f) + p * f) / N for f in counts]
    return sum(c * math.log(x) for c, x in zip(worked.GRR_REPORTS, chances, strict=True))


def likeliest(p: float, q: float) -> float:
    """Return the largest log-likelihood over counts with the sum n, in steps of a tenth."""
    steps = [i / 10 for i in range(10 * N + 1)]
    return max(likelihood([a, b, N - a - b], p, q) for a, b in product(steps, steps) if a + b <= N)
