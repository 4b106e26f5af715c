"""Section 2.3 of the source: OUE and its worked example."""

from __future__ import annotations

import math

from sudare.mechanisms import OUE
from sudare.studies.grr_oue import theory, worked
from sudare.studies.grr_oue.worked import EPSILON, TRUTH, K, N
from sudare.studies.study_text import Facts


def compute() -> Facts:
    """Recompute the example by the source's formulas."""
    m = OUE(K, EPSILON)
    p, q = worked.law(m)
    found = worked.estimates(m, worked.OUE_REPORTS)
    return Facts.of(
        q=q,
        N=N,
        large=max(100 * (theory.unary_excess(43, e) - 1) for e in (0.5, 1.0, 2.0, 3.0)),
        small=100 * (theory.unary_excess(3, 2.0) - 1),
        crossing=theory.exact_crossing(43),
        thumb=theory.rule_of_thumb(43),
        by_rule=[theory.excess(k, theory.rule_of_thumb(k) or 0.0) for k in (6, 10, 43, 100, 1000)],
        asked=EPSILON,
        realised=m.epsilon,
        loss=math.log(p * (1 - q) / ((1 - p) * q)),
        found=found,
        errors=[x - t for x, t in zip(found, TRUTH, strict=True)],
        total=sum(found),
        means=[t * p + (N - t) * q for t in TRUTH],
        chance=worked.as_many_ones(worked.OUE_REPORTS),
        spread=worked.deviations(m),
        ratio=theory.excess(K, EPSILON),
        tables={"example-oue": worked.example_rows(m, worked.OUE_REPORTS, worked.OUE_PRINTED)},
    )
