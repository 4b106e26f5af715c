"""What one would take today, beside what the source compares."""

from __future__ import annotations

from functools import partial

from sudare.studies.key_value.accuracy import Points
from sudare.studies.key_value.curves import AT, draw, rows, values
from sudare.studies.study_text import Facts

METHODS = ("PrivKV", "MLE", "MLE tight", "Bayes tight", "StateRR", "PCKV-UE", "PCKV-GRR")


def compute(points: Points) -> Facts:
    """Compare them on synthetic data."""
    unary = min(
        points.error(p, e, "PCKV-UE", "clipped") / points.error(p, e, "PrivKV", "clipped")
        for p in points.populations
        for e in AT
    )
    return Facts.of(
        bayes=values(points.over("Bayes tight", "PrivKV")[1.0]),
        unary=unary,
        lengths=[p.padding for p in points.populations],
        at=AT,
        tables={"better": rows(points, METHODS)},
        figures={
            "better-mean": partial(draw, points, METHODS, "mean"),
            "better-frequency": partial(draw, points, METHODS, "clipped"),
        },
    )
