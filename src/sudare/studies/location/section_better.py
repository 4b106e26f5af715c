"""What does better than Algorithm 1 at the same ε, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from sudare.location import equalise_weights
from sudare.mechanisms import GridExponential
from sudare.studies.location.candidates import Candidate, Map, draw_losses, first
from sudare.studies.location.setting import Grids
from sudare.studies.location.toy import GRID, MAIN, SHARED, Point
from sudare.studies.study_text import Facts, Row, Word

EXACT = 1e-9
"""f1 below which posteriors are equal."""


def compute(points: Mapping[float, Point], setting: Grids) -> Facts:
    """Return mechanisms at each ε, and the equaliser at all."""
    compared = _compare(points, setting)
    every = setting.progress(setting.equalised, len(setting.equalised), "equaliser")
    equal = {e: equalise_weights(GRID, e) for e in every}
    f1 = {e: one.f1_limit for e, one in equal.items()}

    panels = [(Word("at", {"at": e}), shown) for e, shown in compared.items()]

    def told(e: float) -> Row:
        one = equal[e]
        over = one.sql / points[e].before.sql
        gaps = one.f1_observed, one.f1_limit
        return e, one.posterior_max, *gaps, one.sql, over, int((one.weights == 0).sum())

    return Facts.of(
        **SHARED,
        **_main(compared[MAIN]),
        inner=GridExponential(GRID, MAIN, calibrated=True).inner_epsilon,
        exact=EXACT,
        equal_f1=list(f1.values()),
        equal_at=[e for e, gap in f1.items() if gap <= EXACT],
        main_f1=f1[MAIN],
        first_epsilon=setting.equalised[0],
        panels=len(compared),
        tables={
            "pareto": [one.row for shown in compared.values() for one in shown],
            "equaliser": [told(e) for e in equal],
        },
        figures={"pareto": partial(draw_losses, panels)},
    )


def _compare(points: Mapping[float, Point], setting: Grids) -> dict[float, tuple[Candidate, ...]]:
    jobs = list(product(setting.compared, setting.bounds))
    optimised: dict[float, list[Candidate]] = {e: [] for e in setting.compared}
    for e, bound in setting.progress(jobs, len(jobs), "optimised weights"):
        optimised[e].append(Map(GRID, e).optimised(bound))
    compared = {}
    for e in setting.progress(setting.compared, len(setting.compared), "other mechanisms"):
        here, greedy = Map(GRID, e), points[e]
        cap = greedy.after.posterior_max
        capped = [setting.cap(GRID, e, cap)] if setting.cap is not None and e == MAIN else []
        compared[e] = (
            here.plain(),
            here.weighted("greedy", Word("step", {"step": 0.1}), greedy.found.weights),
            here.greedy(0.05),
            here.equalised(),
            *optimised[e],
            *(here.candidate("cap", f"≤ {cap:.4f}", one) for one in capped),
            *here.others(),
        )
    return compared


def _main(shown: Sequence[Candidate]) -> dict[str, Any]:
    """Return what is told of the main ε."""
    kinds = ("plain", "greedy", "equal", "calibrated", "tight")
    plain = first(shown, "plain")
    optimal = [one for one in shown if one.kind == "optimal"]
    free = [one for one in optimal if one.sql <= plain.sql]
    return {
        **{kind: first(shown, kind) for kind in kinds},
        "cap": next((one for one in shown if one.kind == "cap"), None),
        "optimal": optimal,
        "free": min(free, key=lambda one: one.f1, default=plain),
        "free_f1": [one.f1 / plain.f1 for one in free],
    }
