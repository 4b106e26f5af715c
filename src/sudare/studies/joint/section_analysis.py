"""Section 7.1 of the source: figures 2 and 3, from the closed forms alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from sudare.studies.joint.methods import STYLES
from sudare.studies.joint.theory import CLOSED, expected
from sudare.studies.palette import Axes, Canvas
from sudare.studies.study_text import Facts, Label

GAMMA, N, D, F = 10, 1_000, 4, 10
GAMMAS = tuple(range(10, 101, 10))
PEOPLE = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
SIZES = (5, 10, 15, 20, 25, 30)
SURVEYS = ("Single-NS", "Multi-NS")
GROWING = ("Joint RR", "Multi-NS", "Single-RR")
POWERS = {
    "3^12": {1: 3**12, 2: 729, 3: 81, 4: 27, 6: 9, 12: 3},
    "10^12": {1: 10**12, 2: 10**6, 3: 10**4, 4: 10**3, 6: 100, 12: 10},
}
"""Attributes to categories of each, for a product that stays the same."""

Error = Callable[[str, int], float]
VARIED: dict[str, tuple[Sequence[int], Error]] = {
    "gamma": (GAMMAS, lambda method, gamma: expected(method, (F,) * D, gamma, N)),
    "people": (PEOPLE, lambda method, n: expected(method, (F,) * D, GAMMA, n)),
    "size": (SIZES, lambda method, size: expected(method, (size,) * D, GAMMA, N)),
}
"""What figure 2 varies: its values, and the error of a method at one of them."""


def of_attributes(product: str) -> Error:
    """Return the error of a method by the number of attributes, the cells staying as many."""
    sizes = POWERS[product]
    return lambda method, attributes: expected(method, (sizes[attributes],) * attributes, GAMMA, N)


def compute() -> Facts:
    """Return the closed forms along γ, people, categories and attributes."""
    of_gamma, of_people, of_size = (error for _, error in VARIED.values())
    ratios = [of_gamma("Single-RR", g) / of_gamma("Joint RR", g) for g in GAMMAS]
    two = {f"fig2{abc}": _rows(*each) for abc, each in zip("abc", VARIED.values(), strict=True)}
    three = {
        f"fig3-{name.replace('^', '-')}": _rows(tuple(sizes), of_attributes(name))
        for name, sizes in POWERS.items()
    }
    return Facts.of(
        N=N,
        D=D,
        F=F,
        GAMMA=GAMMA,
        closed=list(CLOSED),
        powers=list(POWERS),
        ratios=ratios,
        inverse=[1 / one for one in ratios],
        products=[
            n * of_people(m, n) / (PEOPLE[0] * of_people(m, PEOPLE[0])) - 1
            for m in CLOSED
            for n in PEOPLE
        ],
        growth=[of_size(m, SIZES[-1]) / of_size(m, SIZES[0]) for m in GROWING],
        joint=[of_size("Joint RR", size) for size in SIZES],
        falling=[
            of_gamma(m, b) / of_gamma(m, a)
            for m in ("Single-RR", "Joint RR")
            for a, b in pairwise(GAMMAS)
        ],
        surveys=[of_gamma(m, g) / of_gamma(m, GAMMAS[0]) - 1 for m in SURVEYS for g in GAMMAS],
        singles=[
            of_attributes(name)(m, d) / of_attributes(name)(m, 1) - 1
            for name, sizes in POWERS.items()
            for m in ("Single-NS", "Single-RR")
            for d in sizes
        ],
        thousands=[of_attributes("10^12")("Joint RR", d) for d in POWERS["10^12"]],
        cubes=[of_attributes("3^12")("Joint RR", d) for d in POWERS["3^12"]],
        alone=of_attributes("10^12")("Joint RR", 12),
        tables=two | three,
        figures={"fig2": _draw_two, "fig3": _draw_three},
    )


def _rows(values: Sequence[int], error: Error) -> list[tuple[float, ...]]:
    return [(value, *(error(method, value) for method in CLOSED)) for value in values]


def plot(axes: Axes, values: Sequence[int], error: Error) -> None:
    """Draw a line of each closed form, the error on a logarithmic axis."""
    for method in CLOSED:
        colour, mark = STYLES[method]
        y = [error(method, value) for value in values]
        axes.plot(values, y, color=colour, marker=mark, markersize=4, label=method)
    axes.set_yscale("log")


def _draw_two(canvas: Canvas, label: Label) -> None:
    panels = canvas.subplots(1, 3)
    for axes, (name, (values, error)) in zip(panels, VARIED.items(), strict=True):
        plot(axes, values, error)
        axes.set_xlabel(label(name))
    panels[1].set_xscale("log")
    panels[0].set_ylabel(label("mse"))
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)


def _draw_three(canvas: Canvas, label: Label) -> None:
    for axes, name, letter in zip(canvas.subplots(1, 2), POWERS, "ab", strict=True):
        plot(axes, tuple(POWERS[name]), of_attributes(name))
        cells = {"3^12": "3¹²", "10^12": "10¹²"}[name]
        title = f"({letter}) Δ = {cells}"
        axes.set(title=title, xlabel=label("attributes"), ylabel=label("mse"))
        axes.legend(loc="best", fontsize=8)
