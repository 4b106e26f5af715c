"""Section 2.3 of the source: OUE and its worked example."""

from __future__ import annotations

import math

from sudare.mechanisms import OUE
from sudare.studies.book import Facts
from sudare.studies.grr_oue import worked
from sudare.studies.grr_oue.theory import (
    exact_crossing,
    grr_noise,
    oue_noise,
    rule_of_thumb,
    unary_excess,
)
from sudare.studies.grr_oue.worked import EPSILON, TRUTH, K, N


def compute() -> Facts:
    """Recompute the example by the source's formulas."""
    m = OUE(K, EPSILON)
    p, q = worked.law(m)
    found = worked.estimates(m, worked.OUE_REPORTS)
    return Facts(
        {
            "q": q,
            "N": N,
            "large": max(100 * (unary_excess(43, e) - 1) for e in (0.5, 1.0, 2.0, 3.0)),
            "small": 100 * (unary_excess(3, 2.0) - 1),
            "crossing": exact_crossing(43),
            "thumb": rule_of_thumb(43),
            "by_rule": [
                oue_noise(k, e) / grr_noise(k, e)
                for k in (6, 10, 43, 100, 1000)
                for e in [rule_of_thumb(k) or 0.0]
            ],
            "asked": EPSILON,
            "realised": m.epsilon,
            "loss": math.log(p * (1 - q) / ((1 - p) * q)),
            "found": found,
            "errors": [x - t for x, t in zip(found, TRUTH, strict=True)],
            "total": sum(found),
            "means": [t * p + (N - t) * q for t in TRUTH],
            "chance": worked.as_many_ones(worked.OUE_REPORTS),
            "spread": worked.deviations(m),
            "ratio": oue_noise(K, EPSILON) / grr_noise(K, EPSILON),
        },
        tables={"example-oue": worked.example_rows(m, worked.OUE_REPORTS, worked.OUE_PRINTED)},
    )
