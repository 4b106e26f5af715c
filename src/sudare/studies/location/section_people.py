"""Where people are, from the reports of many: the source's third future work."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sudare.mechanisms import GridExponential
from sudare.studies.location.palette import show_map
from sudare.studies.location.toy import GRID, MAIN
from sudare.studies.parts import Column, Figure, Say, Section, Setting, Table
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

N = 100_000
LEVEL = 0.95
METHODS = ("raw", "unbiased", "projected", "mle", "em", "smoothed")
NAMES: dict[str, Words] = {
    "raw": Text("reports as they are", "報告そのまま"),
    "unbiased": Text("inversion", "逆行列"),
    "projected": Text("inversion, moved to shares ≥ 0", "逆行列＋非負への射影"),
    "mle": Text("maximum likelihood", "最尤推定"),
    "em": Text("EM, stopped early", "EM（早期終了）"),
    "smoothed": Text("smoothed EM", "平滑化 EM"),
}
DRAWN = ("raw", "unbiased", "em", "smoothed")


@dataclass(frozen=True, eq=False)
class Counted:
    """One population, estimated in all trials.

    Attributes:
        truth: (cells,) people.
        errors: L1 distance of shares, by method, in each trial.
        expected: what the law of the estimate says of the inversion's.
        covered: part of the cells that the inversion's intervals cover, in each trial.
        first: shares of the first trial, by method.
    """

    name: Text
    truth: Ints
    errors: Mapping[str, Floats]
    expected: float
    covered: Floats
    first: Mapping[str, Floats]

    def error(self, method: str) -> float:
        """Mean L1 distance."""
        return float(self.errors[method].mean())

    @property
    def coverage(self) -> tuple[float, float]:
        """Mean part of the cells that is covered, and its standard error."""
        return float(self.covered.mean()), float(
            self.covered.std(ddof=1) / math.sqrt(self.covered.size)
        )


def populations(setting: Setting) -> dict[str, tuple[Text, Floats]]:
    """Return shares of the source's map: even, a hill, two hills, and one without neighbourhood."""
    row, column = np.divmod(np.arange(GRID.cells), GRID.columns)
    y, x = row / 7 - 1, column / 7 - 1

    def hill(right: float, down: float, wide: float) -> Floats:
        out: Floats = np.exp(-((x - right) ** 2 + (y - down) ** 2) / (2 * wide**2))
        return out

    rough = setting.rng("rough").generator().gamma(0.5, size=GRID.cells)
    return {
        "even": (Text("even", "一様"), np.ones(GRID.cells)),
        "hill": (Text("a hill", "山1つ"), hill(0.2, -0.1, 0.45)),
        "hills": (
            Text("two hills and a plain", "山2つと平地"),
            hill(0.4, -0.3, 0.35) + 0.6 * hill(-0.5, 0.4, 0.25) + 0.15,
        ),
        "rough": (Text("rough: no two neighbours alike", "隣同士が無関係"), rough),
    }


def run(setting: Setting) -> dict[str, Counted]:
    """Simulate and estimate."""
    mechanism = GridExponential(GRID, MAIN)
    return {
        label: _counted(mechanism, label, name, shares, setting)
        for label, (name, shares) in populations(setting).items()
    }


def _counted(
    mechanism: GridExponential, label: str, name: Text, shares: Floats, setting: Setting
) -> Counted:
    truth = as_people(shares)
    real = truth / N
    rng = setting.rng(f"people/{label}")
    errors: dict[str, list[float]] = {method: [] for method in METHODS}
    first: dict[str, Floats] = {}
    covered = []
    trials = range(setting.repetitions)
    for _ in setting.progress(trials, len(trials), f"people, {label}"):
        counts = mechanism.simulate(truth, rng=rng)
        for method in METHODS:
            if method == "raw":
                found = counts.support / N
            else:
                estimate = mechanism.estimate(counts, method, "respondents")
                found = estimate.shares
                if method == "unbiased":
                    low, high = estimate.interval(LEVEL)
                    covered.append(float(((low <= real) & (real <= high)).mean()))
            errors[method].append(float(np.abs(found - real).sum()))
            first.setdefault(method, found)
    return Counted(
        name,
        truth,
        {method: np.array(each) for method, each in errors.items()},
        expected_error(mechanism.matrix(), truth),
        np.array(covered),
        first,
    )


def as_people(shares: Floats) -> Ints:
    """Return N people with these shares: whole parts, then the largest remainders."""
    ideal = N * shares / shares.sum()
    out: Ints = ideal.astype(np.int64)
    order = np.argsort(out - ideal, kind="stable")
    out[order[: N - int(out.sum())]] += 1
    return out


def expected_error(law: Floats, truth: Ints) -> float:
    """Return the expected L1 distance of the inversion: of normal errors, from the exact law."""
    inverse = np.linalg.inv(law)
    noise = (inverse**2 @ law) @ truth - ((inverse @ law) ** 2) @ truth
    return float(np.sqrt(2 / np.pi * np.maximum(noise, 0)).sum() / N)


def section(found: dict[str, Counted]) -> Section:
    """Return the section."""
    return Section(
        Text("Counting people (§6, third future work)", "人数の推定（6節、今後の課題3）"),
        (
            Text(
                f"{N:,} people report once through GridE at ε = {MAIN:g}; where are they? "
                "Inversion is unbiased and has honest intervals, but its noise hides what lies "
                "between neighbours. EM that stops early gains most where neighbours are alike; "
                "EM with smoothing gains there too, and is far off where they are not. Reports "
                "of one person add up: asked twice, one has spent twice ε, unless the device "
                "keeps and repeats its first answer (memoisation).",
                f"{N:,} 人が GridE（ε = {MAIN:g}）で1回ずつ報告する。どこに何人いるか。"
                "逆行列は不偏で区間も正しいが、雑音が大きい。早期終了の EM "
                "は隣同士が似ている所で特に良い。平滑化 EM もそこでは良いが、"
                "似ていなければ大きく外れる。同じ人の報告は ε が加算される。"
                "2回答えれば2倍になるので、端末が最初の答えを保存して繰り返す（メモ化）のがよい。",
            ),
            _table(found),
            _figure(found["hills"]),
        ),
    )


def _table(found: dict[str, Counted]) -> Table:
    return Table(
        "people",
        Text(
            "L1 distance between estimated and true shares (0 to 2), means over the trials; "
            "expected: inversion by its exact law; coverage: cells whose true share lies in the "
            f"{LEVEL:.0%} interval of the inversion.",
            "推定した割合と真の割合の L1 距離（0〜2、試行の平均）。理論値：厳密な分布による逆行列の"
            f"値。被覆率：逆行列の {LEVEL:.0%} 区間に真の割合が入るセルの割合。",
        ),
        (
            Column(Text("people", "人の分布")),
            *(Column(NAMES[method], ".4f") for method in METHODS),
            Column(Text("inversion, expected", "逆行列の理論値"), ".4f"),
            Column(Text("coverage", "被覆率"), ".4f"),
            Column(Text("standard error", "標準誤差"), ".4f"),
        ),
        tuple(
            (one.name, *(one.error(method) for method in METHODS), one.expected, *one.coverage)
            for one in found.values()
        ),
    )


def _figure(shown: Counted) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        panels = canvas.subplots(1, 1 + len(DRAWN))
        maps: list[tuple[Words, Floats]] = [(Text("truth", "真の分布"), shown.truth / N)]
        maps += [(NAMES[method], shown.first[method]) for method in DRAWN]
        most = float(1.15 * shown.truth.max() / N)
        for axes, (name, values) in zip(panels, maps, strict=True):
            image = show_map(axes, GRID, values, (0, most))
            axes.set_title(say(name))
        canvas.colorbar(image, ax=panels, shrink=0.6)

    return Figure(
        "people",
        Text(
            "Two hills and a plain, first trial: the truth and four estimates of the shares "
            "(negative ones shown as 0).",
            "山2つと平地、最初の試行：真の割合と4つの推定（負の値は0として表示）。",
        ),
        Text(
            "The reports blur the hills, inversion is full of noise, both kinds of EM show them.",
            "報告そのままは山がぼやけ、逆行列は雑音が多く、2つの EM では山が見える。",
        ),
        draw,
        (10.4, 2.6),
    )
