"""Section 7.2 of the source, second part: Adult by age and race, figures 5, 7 and 8."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.data import adult_table
from sudare.data.adult import CATEGORIES
from sudare.errors import StorageError
from sudare.estimation.caution import FEW
from sudare.estimation.em import em
from sudare.exact import Entropy
from sudare.mechanisms import JointRR
from sudare.studies.joint import methods
from sudare.studies.joint.methods import METHODS, scatter
from sudare.studies.joint.setting import Grids
from sudare.studies.joint.theory import CLOSED, Aim, expected
from sudare.studies.palette import INK, PALE, Canvas
from sudare.studies.repetitions import Trials
from sudare.studies.study_text import Draw, Facts, Label

Errors = dict[str, Floats]

GAMMA, FEWER = 10, 1_000
SIMULATED = dict(zip(METHODS, (1.7e-3, 7.6e-4, 2.8e-5, 2.9e-6, 4.1e-6), strict=True))
EXPECTED = dict(zip(CLOSED, (1.7e-3, 7.6e-4, 2.7e-5, 4.2e-6), strict=True))
ONE_SAMPLE = dict(zip(METHODS, (0.063, 0.024, 0.0012, 0.0001, 0.00017), strict=True))
"""What the source prints of each method."""
AIMS: tuple[Aim, ...] = ("population", "respondents", "printed")


def compare(setting: Grids) -> bool:
    """Compare the table that ships with the data set's rows where these are here, or allowed."""
    rows = setting.rows(setting)
    if rows is not None and not np.array_equal(rows, adult_table()):
        raise StorageError("data set adult", "must have the counts that ship", "get it again")
    return rows is not None


def repeated(setting: Grids) -> tuple[Errors, Errors]:
    """Return the MSE of each repetition, of all people and of 1,000 drawn anew each time."""
    truth, often = adult_table(), setting.repetitions
    large, small = {}, {}
    for method in setting.progress(METHODS, len(METHODS), "Adult"):
        rng = setting.rng(f"adult/{method}")
        large[method] = methods.errors(method, truth, GAMMA, often, rng, setting.maps)
        rng = setting.rng(f"adult-1000/{method}")
        drawn = (draw_thousand(truth, rng) for _ in range(often))
        each = [methods.errors(method, one, GAMMA, 1, rng, setting.maps) for one in drawn]
        small[method] = np.concatenate(each)
    return large, small


def draw_thousand(truth: Integers, rng: Entropy) -> Integers:
    """Draw 1,000 of the people without putting anybody back."""
    drawn = rng.generator().multivariate_hypergeometric(truth.reshape(-1), FEWER)
    return np.asarray(drawn).reshape(truth.shape)


def coverage(truth: Integers, often: int, rng: Entropy) -> tuple[Booleans, float]:
    """Return whether each cell's 95 % interval held its share, and the part flagged as few."""
    m, shares = JointRR(truth.shape, gamma=GAMMA), truth / truth.sum()
    covered, few = [], 0.0
    for _ in range(often):
        counts = m.simulate(truth, rng=rng)
        low, high = m.estimate(counts, target="respondents").interval(0.95)
        covered.append((low <= shares) & (shares <= high))
        few += float((counts.support < FEW).mean()) / often
    return np.array(covered), few


def stops(truth: Integers, setting: Grids) -> dict[int, float]:
    """Return the mean MSE of the iterative reconstruction at each number of maps."""
    often = setting.repetitions
    m, shares = JointRR(truth.shape, gamma=GAMMA), truth / truth.sum()
    rng, total = setting.rng("adult/stops"), dict.fromkeys(setting.stops, 0.0)
    for _ in setting.progress(range(often), often, "Adult, when to stop"):
        support = m.simulate(truth, rng=rng).support
        x, done = np.full(truth.shape, 1 / truth.size), 0
        for maps in setting.stops:
            x, done = em(m.channel, support, x, maps=maps - done).shares, maps
            total[maps] += float(((x - shares) ** 2).mean()) / often
    return total


def compute(checked: bool, setting: Grids) -> Facts:
    """Repeat the experiments of figures 7 and 8."""
    truth = adult_table()
    large, small = repeated(setting)
    means = {method: float(large[method].mean()) for method in METHODS}
    n, squares = int(truth.sum()), float(((truth / truth.sum()) ** 2).sum())
    exact = {
        aim: {m: expected(m, truth.shape, GAMMA, n, aim, squares) for m in CLOSED} for aim in AIMS
    }
    covered, few = coverage(truth, setting.repetitions, setting.rng("adult/coverage"))
    cells = covered.mean(axis=0)
    looked = stops(truth, setting)
    return Facts.of(
        checked=checked,
        methods=list(METHODS),
        closed=list(CLOSED),
        people=[n, *truth.shape],
        printed=SIMULATED,
        means=means,
        pairs=[(means[m], SIMULATED[m], scatter(large[m])) for m in METHODS],
        printed_expected=EXPECTED,
        **{name: exact[name] for name in ("population", "respondents")},
        printed_formula=exact["printed"],
        gaps=[abs(EXPECTED[m] / exact["respondents"][m] - 1) for m in CLOSED],
        printed_sample=ONE_SAMPLE,
        sample={m: small[m].tolist() for m in METHODS},
        inside=[
            bool(small[m].min() / 1.05 <= ONE_SAMPLE[m] <= small[m].max() * 1.05) for m in METHODS
        ],
        distances={m: _distance(means[m], truth) for m in METHODS},
        few_distances={m: _distance(float(small[m].mean()), truth) for m in METHODS},
        resolved=_resolved(truth),
        **_best(small, means),
        few_people=expected("Joint RR", truth.shape, GAMMA, FEWER, squares=squares),
        few_own=expected("Joint RR", truth.shape, GAMMA, FEWER, "respondents"),
        roots=[math.sqrt(means[m]) for m in ("Single-NS", "Multi-NS")],
        mean_share=1 / truth.size,
        surveys=[[means[m], float(small[m].mean())] for m in ("Multi-NS", "Single-NS")],
        **_stopped(looked, large["Iterative"]),
        maps=setting.maps,
        cells={"mean": cells.mean(), "least": cells.min(), "most": cells.max()},
        few=few,
        few_reports=FEW,
        tables={"adult": _rows(large, means, exact), "adult-stops": list(looked.items())},
        figures={"fig5": _draw_people, **{f: _maps(f, setting) for f in ("fig7", "fig8")}},
    )


def _distance(mse: float, truth: Integers) -> float:
    """Return the distance of an estimate of this MSE from the shares, in parts of their length."""
    return math.sqrt(mse * truth.size / float(((truth / truth.sum()) ** 2).sum()))


def _resolved(truth: Integers) -> float:
    """Return the part of the cells with people whose joint RR estimate is off by less than half.

    By one standard error, from the exact law of the respondents.
    """
    m, shares = JointRR(truth.shape, gamma=GAMMA), truth / truth.sum()
    squares = m.channel.solve_squared(m.channel.apply(shares)) - shares
    errors = np.sqrt(squares / truth.sum())
    return float((errors < shares / 2)[truth > 0].mean())


def _best(small: Errors, means: Mapping[str, float]) -> dict[str, Any]:
    """Return joint RR's MSE beside the least of the others: printed, and ours, of 1,000 people.

    And over Iterative's: printed and ours, of 1,000 and of all.
    """
    few = {method: float(errors.mean()) for method, errors in small.items()}
    joint, rest = "Joint RR", METHODS[:-1]
    pairs = [(one[joint], min(one[m] for m in rest)) for one in (ONE_SAMPLE, few)]
    over = [one[joint] / one["Iterative"] for one in (ONE_SAMPLE, SIMULATED, few, means)]
    return {"leading": pairs, "over": over, "over_all": over[-1]}


def _stopped(looked: Mapping[int, float], errors: Floats) -> dict[str, Any]:
    """Return which numbers of maps fit the printed error of the iterative reconstruction."""
    printed = SIMULATED["Iterative"]
    near = [maps for maps, value in looked.items() if abs(value / printed - 1) < 0.04]
    return {
        "stops": looked,
        "near": near,
        "fits": len(near),
        "best": min(looked, key=looked.__getitem__),
        "often": Trials(errors.size),
        "error": scatter(errors),
    }


def _rows(
    large: Errors, means: Mapping[str, float], exact: Mapping[Aim, Mapping[str, float]]
) -> list[tuple[str | float | None, ...]]:
    def spent(method: str) -> str:
        times = math.inf if method.endswith("NS") else 1 if method == "Single-RR" else 2
        return f"{times * math.log(GAMMA):.2f}".replace("inf", "∞")

    return [
        (
            method,
            spent(method),
            SIMULATED[method],
            means[method],
            float(large[method].std(ddof=1) / math.sqrt(large[method].size)),
            exact["respondents"].get(method),
            exact["population"].get(method),
        )
        for method in METHODS
    ]


def _maps(name: str, setting: Grids) -> Draw:
    """Return what draws the true shares and one reconstruction by each method."""
    rng = setting.rng(f"map/{name}")
    truth = draw_thousand(adult_table(), rng) if name == "fig7" else adult_table()
    found = {}
    for method in METHODS:
        support = methods.reports(method, truth, GAMMA, rng)
        found[method] = methods.reconstruct(method, support, GAMMA, setting.maps)
    return partial(_draw_maps, truth, found)


def _draw_people(canvas: Canvas, label: Label) -> None:
    truth = adult_table()
    left, right = canvas.subplots(1, 2, width_ratios=(2, 1))
    for axes, axis, name in ((left, 1, "age"), (right, 0, "race")):
        axes.bar(CATEGORIES[name], truth.sum(axis=axis), color=PALE, edgecolor=INK, linewidth=0.6)
        axes.tick_params(axis="x", rotation=60)
        axes.grid(visible=False, axis="x")
        axes.set_title(label(name))
    left.set_ylabel(label("people"))


def _draw_maps(truth: Integers, shares: Errors, canvas: Canvas, label: Label) -> None:
    real = truth / truth.sum()
    panels, maps = canvas.subplots(2, 3, sharex=True, sharey=True), {label("truth"): real} | shares
    scale = {"cmap": "viridis", "vmin": 0, "vmax": math.sqrt(real.max()), "aspect": "auto"}
    for axes, (name, values) in zip(panels.flat, maps.items(), strict=True):
        picture = axes.imshow(np.sqrt(np.clip(values, 0, None)).T, **scale)
        axes.set_title(name)
        axes.grid(visible=False)
        axes.set_xticks(range(0, 16, 3), CATEGORIES["age"][::3], rotation=45)
        axes.set_yticks(range(5), CATEGORIES["race"], fontsize=7)
    bar = canvas.colorbar(picture, ax=panels, shrink=0.8, label=label("share"))
    ticks = [t for t in (0, 0.01, 0.03, 0.06, 0.1, 0.15) if t <= real.max()]
    bar.set_ticks([math.sqrt(t) for t in ticks], labels=[f"{t:g}" for t in ticks])
