"""Section 7.1 of the source: figures 2 and 3, from the closed forms alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sudare.studies.joint import rules
from sudare.studies.joint.palette import COLOURS, MARKS
from sudare.studies.joint.theory import CLOSED, expected
from sudare.studies.judging import grade, judged
from sudare.studies.parts import Column, Figure, Say, Section, Table, Verdict
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

GAMMA, N, D, F = 10, 1_000, 4, 10
GAMMAS = tuple(range(10, 101, 10))
PEOPLE = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
SIZES = (5, 10, 15, 20, 25, 30)
POWERS = {
    "3^12": {1: 3**12, 2: 729, 3: 81, 4: 27, 6: 9, 12: 3},
    "10^12": {1: 10**12, 2: 10**6, 3: 10**4, 4: 10**3, 6: 100, 12: 10},
}
"""Attributes to categories of each, for a product that stays the same."""

Error = Callable[[str, int], float]


def _of_gamma(method: str, gamma: int) -> float:
    return expected(method, (F,) * D, gamma, N)


def _of_people(method: str, n: int) -> float:
    return expected(method, (F,) * D, GAMMA, n)


def _by_people(method: str) -> dict[int, float]:
    return {n: _of_people(method, n) for n in PEOPLE}


def _of_size(method: str, size: int) -> float:
    return expected(method, (size,) * D, GAMMA, N)


def _of_attributes(product: str) -> Error:
    sizes = POWERS[product]
    return lambda method, attributes: expected(method, (sizes[attributes],) * attributes, GAMMA, N)


def section() -> Section:
    """Return section 7.1."""
    by_size = [_of_size("Joint RR", size) for size in (SIZES[0], SIZES[-1])]
    multi = [_of_size("Multi-NS", size) for size in (SIZES[0], SIZES[-1])]
    single = [_of_size("Single-RR", size) for size in (SIZES[0], SIZES[-1])]
    growth = [ends[1] / ends[0] for ends in (by_size, multi, single)]
    ratios = [_of_gamma("Single-RR", g) / _of_gamma("Joint RR", g) for g in GAMMAS]
    many = _of_attributes("3^12")
    cubes = [many("Joint RR", d) for d in POWERS["3^12"]]
    alone = _of_attributes("10^12")("Joint RR", 12)
    return Section(
        Text("Section 7.1: figures 2 and 3, closed forms", "7.1節：図2・図3（数学的解析）"),
        (
            Text(
                f"N = {N:,}, D = {D}, F = {F}, γ = {GAMMA} unless varied; the source does not say "
                "which γ stands in figures 2 (b), (c) and 3. The lines are the exact error for "
                "the population at uniform shares. γ is that of each attribute: Single-RR spends "
                "ln γ on the whole submission, joint RR D·ln γ.",
                f"変化させない限り N = {N:,}、D = {D}、F = {F}、γ = {GAMMA}（図2(b)(c)と図3の γ は"
                "原典に記載がない）。線は一様分布の母集団に対する正確な誤差。γ は属性ごとの値で"
                "あり、回答全体の ε は Single-RR で ln γ、Joint RR で D·ln γ である。",
            ),
            Figure(
                "fig2",
                Text(
                    "Figure 2 of the source: expected MSE against (a) γ, (b) respondents, "
                    "(c) categories of each attribute.",
                    "原典の図2：期待 MSE と (a) γ、(b) 人数、(c) 各属性のカテゴリ数。",
                ),
                Text(
                    "Joint RR has the lowest line in all three; all fall as 1/N.",
                    "3枚とも Joint RR の線が最も低い。(b) ではすべて 1/N で下がる。",
                ),
                _draw_two,
                (9.6, 3.9),
            ),
            Figure(
                "fig3",
                Text(
                    "Figure 3 of the source: expected MSE against the number of attributes, the "
                    "number of cells staying (a) 3^12, (b) 10^12.",
                    "原典の図3：全カテゴリ数を (a) 3^12、(b) 10^12 に固定した期待 MSE と属性数。",
                ),
                Text(
                    "Both single lines are flat, both others fall with the attributes.",
                    "Single の2本は水平、他の2本は属性数とともに下がる。",
                ),
                _draw_three,
                (8.4, 3.8),
            ),
            judged(
                Text("§7.1, figure 2 (a)", "7.1節 図2(a)"),
                Text(
                    "The proposal has the smallest MSE at every γ.",
                    "どの γ でも提案手法の MSE が最も小さい。",
                ),
                Text("picture only", "図のみ"),
                Text(
                    f"Single-RR over joint RR: {min(ratios):,.0f} to {max(ratios):,.0f}",
                    f"Single-RR ÷ Joint RR：{min(ratios):,.0f} 〜 {max(ratios):,.0f}",
                ),
                rules.smaller([1 / ratio for ratio in ratios]),
                Verdict.HOLDS,
                Text(
                    "smallest at every γ; roughly: at three of four",
                    "すべての γ で最小、「ほぼ」は4分の3",
                ),
                Text(
                    "At equal γ. At equal ε of the submission it is the other way round: see the "
                    "cost of γ.",
                    "γ が等しい場合。回答全体の ε を揃えると逆になる（「γ の代価」の節）。",
                ),
            ),
            judged(
                Text("§7.1, figure 2 (b)", "7.1節 図2(b)"),
                Text("MSE is inversely proportional to N.", "MSE は人数に反比例する。"),
                "",
                "E ∝ 1/N",
                grade(
                    all(rules.inverse_to_n({n: _of_people(m, n) for n in PEOPLE}) for m in CLOSED)
                ),
                Verdict.HOLDS,
                Text("N times the error stays the same", "誤差の N 倍が一定"),
                Text("So says every formula.", "どの式からも明らかである。"),
            ),
            judged(
                Text("§7.1, figure 2 (c)", "7.1節 図2(c)"),
                Text(
                    "MSE grows with the categories, that of the proposal least.",
                    "カテゴリ数とともに MSE は増え、提案手法の増加率が最も小さい。",
                ),
                Text("picture only", "図のみ"),
                f"F 5 → 30: Joint RR × {growth[0]:.3g}, Multi-NS × {growth[1]:.3g}, "
                f"Single-RR × {growth[2]:.3g}",
                rules.grows_least([_of_size("Joint RR", size) for size in SIZES], growth),
                Verdict.ROUGHLY,
                Text(
                    "grows at every step, and least; roughly: least",
                    "常に増え、増加率が最小、「ほぼ」は最小のみ",
                ),
                Text(
                    "The proposal's line is lowest and grows least, but from F = 5 to 10 it falls. "
                    "The mean share of a cell falls as 1/Δ at the same time.",
                    "提案手法の線は最も低く増加率も最小だが、F = 5 から 10 では下がる。なお1セル"
                    "あたりの平均割合は同時に 1/Δ で減る。",
                ),
            ),
            judged(
                Text("§7.1, figure 3", "7.1節 図3"),
                Text(
                    "For a fixed number of cells the proposal gains as attributes are added.",
                    "全カテゴリ数が一定なら、属性数が多いほど提案手法の効果が高い。",
                ),
                Text("picture only", "図のみ"),
                f"3^12: {', '.join(f'{value:.2g}' for value in cubes)} "
                f"(D = 1, 2, 3, 4, 6, 12); 10^12, D = 12: {alone:.2g}",
                rules.falls(cubes),
                Verdict.HOLDS,
                Text("falls with every step of D", "D が増えるたびに下がる"),
                Text(
                    "At a fixed γ of each attribute; the submission then spends "
                    "D·ln γ, twelve times as much at D = 12.",
                    "属性ごとの γ を固定した場合。回答全体の ε は D·ln γ で、"
                    "D = 12 では12倍になる。",
                ),
            ),
            _table("fig2a", "γ", GAMMAS, _of_gamma, Text("Figure 2 (a).", "図2(a)。")),
            _table("fig2b", "N", PEOPLE, _of_people, Text("Figure 2 (b).", "図2(b)。")),
            _table("fig2c", "F", SIZES, _of_size, Text("Figure 2 (c).", "図2(c)。")),
            *(
                _table(
                    f"fig3-{name.replace('^', '-')}",
                    "D",
                    tuple(POWERS[name]),
                    _of_attributes(name),
                    Text(f"Figure 3, {name} cells.", f"図3、{name} セル。"),
                )
                for name in POWERS
            ),
        ),
    )


def _table(name: str, varied: str, values: Sequence[int], error: Error, caption: Text) -> Table:
    return Table(
        name,
        caption,
        (Column(varied, "g"), *(Column(method, ".3g") for method in CLOSED)),
        tuple((value, *(error(method, value) for method in CLOSED)) for value in values),
        in_report=False,
    )


def plot(axes: Axes, values: Sequence[int], error: Error) -> None:
    """Draw a line of each closed form, the error on a logarithmic axis."""
    for method in CLOSED:
        axes.plot(
            values,
            [error(method, value) for value in values],
            color=COLOURS[method],
            marker=MARKS[method],
            markersize=4,
            label=method,
        )
    axes.set_yscale("log")


def _draw_two(canvas: Canvas, say: Say) -> None:
    panels = canvas.subplots(1, 3)
    drawn: tuple[tuple[Sequence[int], Error, Words], ...] = (
        (GAMMAS, _of_gamma, "(a) γ"),
        (PEOPLE, _of_people, Text("(b) respondents N", "(b) 人数 N")),
        (SIZES, _of_size, Text("(c) categories F", "(c) カテゴリ数 F")),
    )
    for axes, (values, error, words) in zip(panels, drawn, strict=True):
        plot(axes, values, error)
        axes.set_xlabel(say(words))
    panels[1].set_xscale("log")
    panels[0].set_ylabel(say(Text("expected MSE", "期待 MSE")))
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)


def _draw_three(canvas: Canvas, say: Say) -> None:
    for axes, name, letter in zip(canvas.subplots(1, 2), POWERS, "ab", strict=True):
        plot(axes, tuple(POWERS[name]), _of_attributes(name))
        cells = {"3^12": "3¹²", "10^12": "10¹²"}[name]
        axes.set_title(f"({letter}) Δ = {cells}")
        axes.set_xlabel(say(Text("number of attributes D", "属性数 D")))
        axes.set_ylabel(say(Text("expected MSE", "期待 MSE")))
        axes.legend(fontsize=8)
