"""The source's third question: is EM safe from poisoning?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from sudare import poisoning
from sudare.studies.key_value import attacks
from sudare.studies.key_value.attacks import BASE, VICTIMS, Gained
from sudare.studies.key_value.curves import STYLES
from sudare.studies.key_value.populations import D, Population
from sudare.studies.key_value.rules import CLEAR, TOLD
from sudare.studies.key_value.section_protocol import pull
from sudare.studies.key_value.setting import Grids
from sudare.studies.palette import Axes, Canvas, legend_below
from sudare.studies.study_text import Facts, Label, Word

NOTED = (0.3, 0.2)
"""Frequency and mean of all keys where gains are told to three digits."""
FEWER = 0.9
"""The part of PrivKV's gains that EM's may be, for EM to be called the safer."""
NOTHING = 1e-9
"""Gaps of rounding."""
CASES: dict[str, dict[str, Any]] = {
    "G_f, PrivKV, raw": {"method": "privkv"},
    "G_f, PrivKV": {"method": "privkv", "clipped": True},
    "G_f, PrivKV, drawn": {"method": "privkv", "index_control": True},
    "G_m, PrivKV": {"method": "privkv", "clipped": True},
    "G_m, PrivKV, drawn": {"method": "privkv", "clipped": True, "index_control": True},
    "G_m, EM": {"method": "mle"},
    "G_m, EM, drawn": {"method": "mle", "index_control": True},
}


def noted(setting: Grids) -> dict[str, tuple[float, ...]]:
    """Return M2GA's gains where all keys are alike: limit, simulated, standard error."""
    mechanism, fakes = attacks.half(D, BASE.epsilon), poisoning.M2GA([0])
    trials = min(attacks.TRIALS, setting.repetitions)
    found = {}
    for case, options in CASES.items():
        rng = setting.rng(f"noted/{case}")
        each = attacks.gain(mechanism, fakes, BASE.beta, *NOTED, trials, rng, **options)
        found[case] = tuple(one[case.startswith("G_m")] for one in each)
    return found


def alarms(setting: Grids) -> dict[int, tuple[float, float]]:
    """Return by fakes on a key the share of trials with an alarm there, and at another key."""
    mechanism, attack = attacks.half(D, BASE.epsilon), poisoning.M2GA([0])
    f, m = (np.full(D, value) for value in NOTED)
    out = {}
    for fakes in setting.progress(setting.fakes, len(setting.fakes), "alarms"):
        rng = setting.rng(f"alarm/{fakes}")
        found = []
        for _ in range(setting.repetitions):
            counts = mechanism.simulate(attacks.PEOPLE, f, m, rng=rng)
            if fakes:
                counts += attack.simulate(mechanism, fakes, rng=rng)
            raised = poisoning.alarms(mechanism, counts)
            found.append(np.isin(np.arange(D), raised["many"] if raised else []))
        rate = np.array(found).mean(axis=0)
        out[fakes] = (float(rate[0]), float(rate[1:].mean()))
    return out


def compute(population: Population, setting: Grids) -> Facts:
    """Attack; return the gains, and by how much simulated ones lie off the limits."""
    gained, at_noted = attacks.run(population, setting), noted(setting)
    return Facts.of(
        **TOLD,
        population=population,
        base=BASE,
        trials=attacks.TRIALS,
        phi=poisoning.targeted_share(BASE.beta, population.d, BASE.targets),
        noted=NOTED,
        told={case: numbers[0] for case, numbers in at_noted.items()},
        **_at_base(population, gained),
        **most(gained),
        **against_limit(gained, at_noted),
        tables={
            "noted": [(case, *numbers) for case, numbers in at_noted.items()],
            "gains": [_row(one) for one in gained],
            "alarm": [(fakes, *rates) for fakes, rates in alarms(setting).items()],
        },
        figures={
            f"gain-{name.lower()}": partial(_draw, setting.sweeps, gained, name)
            for name in attacks.ATTACKS
        },
    )


def _at_base(population: Population, gained: Sequence[Gained]) -> dict[str, Any]:
    """Return the rarest key's f and m, and what M2GA makes of them."""
    rarest = int(np.argmin(population.frequency))
    f, m = (float(x[rarest]) for x in (population.frequency, population.mean))
    here = {o.victim: o.limit for o in gained if (o.attack, o.place) == ("M2GA", BASE)}
    start = {"PrivKV": pull(BASE.epsilon, f) * m, "MLE": m}
    ends = {v: (f + here[v][0], mean + here[v][1]) for v, mean in start.items()}
    return {"f": f, "m": m, "here": here, "ends": ends}


def most(gained: Sequence[Gained]) -> dict[str, Any]:
    """Return the most that each attack gains under EM, and EM's gains beyond part of PrivKV's."""
    by = {(one.attack, one.victim, one.place): one.limit for one in gained}
    places = {one.place for one in gained}
    pairs = [(by["M2GA", "MLE", p], by["M2GA", "PrivKV", p]) for p in places]
    return {
        "excess": [max(a - FEWER * b for a, b in zip(*pair, strict=True)) for pair in pairs],
        "most": {
            attack: [max(by[attack, "MLE", p][i] / p.targets for p in places) for i in (0, 1)]
            for attack in attacks.ATTACKS
        },
    }


def _row(one: Gained) -> tuple[Word | str | float, ...]:
    place = (one.place.beta, one.place.epsilon, one.place.targets)
    by_kind = zip(one.limit, one.simulated, one.errors, strict=True)
    return (one.attack, Word(one.victim), *place, *(number for kind in by_kind for number in kind))


def against_limit(
    gained: Sequence[Gained], at_noted: Mapping[str, tuple[float, ...]]
) -> dict[str, Any]:
    """Return how far the simulated gains are from the limits, at all points of both tables."""
    points = [
        (one.victim, abs(a - b), error)
        for one in gained
        for a, b, error in zip(one.simulated, one.limit, one.errors, strict=True)
    ]
    beyond = [victim for victim, gap, error in points if gap > CLEAR * error + NOTHING]
    return {
        "gains": len(points),
        "beyond": len(beyond),
        "unary": beyond.count("PCKV-UE"),
        "farthest": max((gap / error for _, gap, error in points if error), default=0.0),
        "noted_farthest": max((abs(a - b) / c for a, b, c in at_noted.values() if c), default=0.0),
    }


def _draw(
    sweeps: Mapping[str, tuple[Any, ...]],
    gained: Sequence[Gained],
    attack: str,
    canvas: Canvas,
    label: Label,
) -> None:
    by = {(one.victim, one.place): one for one in gained if one.attack == attack}
    grid = canvas.subplots(2, len(sweeps), sharex="col", squeeze=False)
    for kind, panels in enumerate(grid):
        for axes, (varied, values) in zip(panels, sweeps.items(), strict=True):
            for victim in VICTIMS:
                cells = [by[victim, attacks.at(varied, value)] for value in values]
                _curve(axes, victim, values, cells, kind, label(victim))
            if kind:
                axes.set_xlabel(label(varied))
        panels[0].set_ylabel(label(("gain-f", "gain-m")[kind]))
    legend_below(canvas, 4)


def _curve(
    axes: Axes, victim: str, x: tuple[Any, ...], cells: list[Gained], kind: int, label: str
) -> None:
    """Draw limits as a line, simulated gains as marks with two standard errors."""
    drawn = VICTIMS[victim].controlled
    colour, mark = STYLES[VICTIMS[victim].style]
    limit, simulated, errors = (
        [getattr(cell, name)[kind] for cell in cells] for name in ("limit", "simulated", "errors")
    )
    axes.plot(x, limit, color=colour, linewidth=1.1, linestyle="--" if drawn else "-")
    style: dict[str, Any] = {"markersize": 4.5, "linestyle": "", "linewidth": 0.8, "label": label}
    face = "white" if drawn else colour
    bars = [2 * error for error in errors]
    axes.errorbar(x, simulated, bars, color=colour, marker=mark, markerfacecolor=face, **style)
