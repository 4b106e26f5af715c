"""Figures and tables of errors against ε, for synthetic and for real data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sudare.studies.key_value.accuracy import EPSILONS, Points
from sudare.studies.key_value.palette import line, name
from sudare.studies.key_value.populations import Population
from sudare.studies.key_value.rules import Estimate
from sudare.studies.parts import Cell, Column, Figure, Say, Table
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

What = Literal["mean", "clipped"]

AT = (1.0, 4.0)
"""ε of the tables in the report."""
TITLES: dict[What, Text] = {
    "mean": Text("MSE of the means", "平均値の MSE"),
    "clipped": Text("MSE of the frequencies", "度数の MSE"),
}
_BROUGHT = Text(", frequencies brought into [0, 1]", "、度数は [0, 1] に丸めた")


@dataclass(frozen=True, slots=True)
class Curves:
    """Points to be shown of some populations and methods.

    Attributes:
        label: stem of the names of the files.
        data: of which data, for captions.
    """

    label: str
    data: Text
    populations: tuple[Population, ...]
    points: Points
    methods: tuple[str, ...]

    def figure(self, what: What, told: Text) -> Figure:
        """Return the errors against ε; ``told`` is what the picture tells."""
        brought = Text("", "") if what == "mean" else _BROUGHT
        title = TITLES[what]
        return Figure(
            f"{self.label}-{'mean' if what == 'mean' else 'frequency'}",
            Text(
                f"{title.en} against ε, {self.data.en}{brought.en}.",
                f"{title.ja} と ε（{self.data.ja}{brought.ja}）。",
            ),
            told,
            lambda canvas, say: self._draw(canvas, say, what),
            (9.6, 4.2),
        )

    def _draw(self, canvas: Canvas, say: Say, what: What) -> None:
        panels = canvas.subplots(1, len(self.populations), sharey=True, squeeze=False)[0]
        for axes, population in zip(panels, self.populations, strict=True):
            for method in self.methods:
                errors = [self.error(population, e, method, what) for e in EPSILONS]
                line(axes, say, method, EPSILONS, errors)
            axes.set_yscale("log")
            axes.set_title(say(population.name))
            axes.set_xlabel("ε")
        panels[0].set_ylabel(say(TITLES[what]))
        columns = 5 if len(self.methods) < 6 else 4
        canvas.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns)

    def error(self, population: Population, epsilon: float, method: str, what: What) -> float:
        """Return one MSE."""
        return float(getattr(self.points.of(population, epsilon, method), what).mean())

    def table(self) -> Table:
        """Return the errors at the ε of the tables."""
        rows: list[tuple[Cell, ...]] = [
            (
                population.name,
                name(method),
                *(self.error(population, e, method, "mean") for e in AT),
                *(self.error(population, e, method, "clipped") for e in AT),
            )
            for population in self.populations
            for method in self.methods
        ]
        return Table(
            self.label,
            Text(f"MSE, {self.data.en}{_BROUGHT.en}.", f"MSE（{self.data.ja}{_BROUGHT.ja}）。"),
            (
                Column(Text("population", "対象")),
                Column(Text("method", "手法")),
                *(Column(Text(f"mean, ε = {e:g}", f"平均値 ε = {e:g}"), ".2e") for e in AT),
                *(Column(Text(f"frequency, ε = {e:g}", f"度数 ε = {e:g}"), ".2e") for e in AT),
            ),
            tuple(rows),
        )


def every_point(label: str, points: Points, caption: Text) -> Table:
    """Return a table of all points, for its file alone."""
    rows: list[tuple[Cell, ...]] = [
        (
            p.population,
            p.n,
            p.epsilon,
            name(p.method),
            p.mean.size,
            float(p.mean.mean()),
            float(p.mean[:10].mean()),
            float(p.rare.mean()),
            float(p.frequency.mean()),
            float(p.clipped.mean()),
        )
        for p in points.all
    ]
    return Table(
        label,
        caption,
        (
            Column(Text("population", "対象")),
            Column("n", ",d"),
            Column("ε", "g"),
            Column(Text("method", "手法")),
            Column(Text("trials", "試行"), "d"),
            Column(TITLES["mean"], ".3e"),
            Column(Text("of the first 10 trials", "最初の10試行"), ".3e"),
            Column(Text("of the rarest fifth of the keys", "度数の低い方の5分の1の key"), ".3e"),
            Column(TITLES["clipped"], ".3e"),
            Column(Text("brought into [0, 1]", "[0, 1] に丸めた度数"), ".3e"),
        ),
        tuple(rows),
        in_report=False,
    )


def between(values: Sequence[float]) -> str:
    """Return the least and the largest ratio."""
    return f"{min(values):.2f}–{max(values):.2f}"


def both_sides(ratios: Mapping[float, Sequence[Estimate]]) -> Text:
    """Say at which ε ratios of errors are clearly below 1, all of them, or above 1, any of them."""
    better = [e for e, each in ratios.items() if all(ratio.below(1) for ratio in each)]
    worse = [e for e, each in ratios.items() if any(ratio.above(1) for ratio in each)]
    return Text(
        f"clearly smaller in all at ε = {scale(better)}, clearly larger in some at ε = "
        f"{scale(worse)}",
        f"すべてで明らかに小さい ε：{scale(better)}、どれかで明らかに大きい ε：{scale(worse)}",
    )


def scale(epsilons: Sequence[float]) -> str:
    """Return the ε, or a dash for none."""
    return ", ".join(f"{e:g}" for e in epsilons) or "–"


def listed(values: Sequence[float]) -> str:
    """Return ratios to two digits."""
    return ", ".join(f"{value:.2f}" for value in values)
