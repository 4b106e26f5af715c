"""A table and a figure of mechanisms side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sudare.studies.location.candidates import KINDS, Candidate
from sudare.studies.parts import Column, Figure, Say, Table
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

LOSS = Text("SQL in metres", "SQL（m）")
FAR = 2
"""SQL in parts of that without weights, beyond which a mechanism is in the table alone."""
MOST = Text("largest posterior", "事後確率の最大")


def table(name: str, caption: Text, shown: Sequence[Candidate]) -> Table:
    """Return what each spends, tells and costs."""
    return Table(
        name,
        caption,
        (
            Column(Text("mechanism", "方式")),
            Column(Text("detail", "条件")),
            Column(Text("ε nominal", "ε 指定"), "g"),
            Column(Text("ε spent", "ε 使用"), ".6f"),
            Column(Text("posterior max", "事後確率 最大"), ".4f"),
            Column("f1", ".4f"),
            Column(Text("P(O=r|A=r) max", "P(O=r|A=r) 最大"), ".4f"),
            Column(Text("min", "最小"), ".4f"),
            Column(LOSS, ".2f"),
        ),
        tuple(
            (
                KINDS[one.kind].name,
                one.detail,
                one.report.nominal_epsilon,
                float(one.report.epsilon),
                one.most,
                one.f1,
                *one.kept,
                one.report.sql,
            )
            for one in shown
        ),
    )


def figure(
    name: str,
    caption: Text,
    alt: Text,
    panels: Mapping[str, tuple[Words, Sequence[Candidate]]],
) -> Figure:
    """Return f1 and the largest posterior against SQL, a column of panels each.

    Mechanisms of more than :data:`FAR` times plain SQL are left out.
    """

    def draw(canvas: Canvas, say: Say) -> None:
        grid = canvas.subplots(2, len(panels), sharex="col", squeeze=False)
        for column, (title, shown) in enumerate(panels.values()):
            upper, lower = grid[0, column], grid[1, column]
            upper.set_title(say(title))
            plain = next(one.report.sql for one in shown if one.kind == "plain")
            for one in shown:
                if one.report.sql > FAR * plain:
                    continue
                _mark(upper, say, one, one.f1)
                _mark(lower, say, one, one.most)
            upper.set_ylim(-0.02, None)
            lower.set_ylim(0, 1.02)
            lower.set_xlabel(say(LOSS))
        grid[0, 0].set_ylabel("f1")
        grid[1, 0].set_ylabel(say(MOST))
        named: dict[str, Artist] = {}
        for axes in grid.flat:
            handles, labels = axes.get_legend_handles_labels()
            named.update(zip(labels, handles, strict=True))
        canvas.legend(list(named.values()), list(named), loc="outside lower center", ncols=4)

    return Figure(name, caption, alt, draw, (3.1 + 3.05 * len(panels), 6.2))


def _mark(axes: Axes, say: Say, one: Candidate, value: float) -> None:
    kind = KINDS[one.kind]
    axes.plot(
        [one.report.sql],
        [value],
        linestyle="",
        marker=kind.mark,
        markersize=11 if one.kind == "plain" else 6.5,
        color=kind.colour,
        label=say(kind.name),
    )
