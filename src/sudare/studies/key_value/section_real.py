"""Real data: films of MovieLens and clothes of Rent the Runway."""

from __future__ import annotations

from functools import partial
from typing import Any

from sudare.data import Holdings
from sudare.data.clothing import EXTRACT as CLOTHES, ORIGINAL as CLOTHES_THERE
from sudare.data.movielens import EXTRACT as FILMS, ORIGINAL as FILMS_THERE
from sudare.studies.key_value.accuracy import Points, everywhere
from sudare.studies.key_value.curves import AT, between, draw, rows, scale, values
from sudare.studies.key_value.populations import D, N, Population, clothes, films
from sudare.studies.key_value.rules import FEWEST, TOLD
from sudare.studies.key_value.setting import Grids
from sudare.studies.study_text import Facts

SHOWN = ("PrivKV", "PrivKVM c=2", "EM 1e-4", "EM", "Bayes tight", "PCKV-UE", "PCKV-GRR")


def run(setting: Grids) -> tuple[Points, Holdings | None, tuple[dict[str, Any], ...]]:
    """Read what is here, or may be fetched, and simulate.

    Returns the points of MovieLens as it is and with 1e5 people, and of clothing, at all ε; the
    people of MovieLens; and what the manifest says.
    """
    populations: list[Population] = []
    provenance: list[dict[str, Any]] = []
    people, counts = setting.films(setting), setting.clothes(setting)
    if people is not None:
        populations += [films(people, people.n), films(people, N)]
        provenance.append({**FILMS.provenance(), "origin": FILMS_THERE.provenance()})
    if counts is not None:
        populations.append(clothes(counts))
        provenance.append({**CLOTHES.provenance(), "origin": CLOTHES_THERE.provenance()})
    jobs = [(population, population.n) for population in populations]
    points = everywhere(jobs, setting.epsilons, setting, "real data")
    return points, people, tuple(provenance)


def compute(points: Points) -> Facts:
    """Return EM's errors on real data; where there are none, that they are not here."""
    shown = points.populations
    here = {population.key for population in shown}
    missing = {"movielens": "MovieLens", "clothing": "Rent the Runway"}
    ratios = {p: [points.compared(p, e, "EM", "PrivKV") for e in points.epsilons] for p in shown}
    return Facts.of(
        **TOLD,
        d=D,
        at=AT,
        missing=[title for key, title in missing.items() if key not in here],
        shown=shown,
        epsilons=scale(points.epsilons),
        largest=max(points.epsilons, default=None),
        ratios=[one for each in ratios.values() for one in each],
        by_label=[(p.label, values(each)) for p, each in ratios.items()],
        ends=[(p, each[-1].value) for p, each in ratios.items()],
        guesses=[(p.label, float((p.mean**2).mean())) for p in shown],
        losses=[_loss(points, population) for population in shown],
        enough=all(point.mean.size >= FEWEST for point in points.all),
        tables={"real": rows(points, SHOWN)},
        figures={
            "real-mean": partial(draw, points, SHOWN, "mean"),
            "real-frequency": partial(draw, points, SHOWN, "clipped"),
        },
    )


def _loss(points: Points, population: Population) -> dict[str, Any]:
    """Return at which ε EM's means are clearly worse than PrivKV's, and by how much."""
    ratios = {e: points.compared(population, e, "EM", "PrivKV") for e in points.epsilons}
    lost = {e: ratio for e, ratio in ratios.items() if ratio.above(1)}
    return {
        "of": population,
        "at": list(lost),
        "every": len(lost) == len(ratios),
        "span": between(lost.values()) if lost else "",
    }
