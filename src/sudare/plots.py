"""Figures by matplotlib: for files, and on the axes that somebody gives.

What a figure shows is drawn on axes (``draw_...``); a file is a figure of such axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sudare import fonts
from sudare.alignment import align
from sudare.arrays import Floats
from sudare.errors import DomainError, MissingExtraError, WrongTypeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Shares(Protocol):
    """What is drawn of an estimate."""

    @property
    def shares(self) -> Floats:
        """Of each category."""
        ...

    @property
    def stderr(self) -> Floats:
        """Of each share; NaN where it is not known."""
        ...

    @property
    def target(self) -> str:
        """Whose shares."""
        ...

    def interval(self, confidence: float = ...) -> tuple[Floats, Floats]:
        """Return ``(low, high)``."""
        ...


INDIGO, RUST, INK = "#2f4b6e", "#b5482f", "#26241f"
LINES = ((INDIGO, "-"), (RUST, "-"), ("#8a7a2f", "--"), ("#5f8a6b", "-."), ("#7b5a86", ":"))

_MARKERS = "osD^vP*"  # of another number than the lines: no two mechanisms look alike


_DPI = 150
_MOST_PIXELS = 1 << 16
"""Along a side of a PNG: matplotlib draws fewer."""

_MOST_NAMES = 60
"""Names along an axis that can be read."""


def axes_for(ax: Any, places: int = 0) -> Any:
    """Return the axes given, or those of a new figure of pyplot, as a notebook shows it.

    Args:
        ax: axes, or None.
        places: how many stand along the horizontal axis: the width of a new figure follows it.

    Raises:
        MissingExtraError: matplotlib is not installed.
        WrongTypeError: those are no axes.
    """
    try:
        from matplotlib.axes import Axes
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "to draw figures") from None
    if ax is None:
        from matplotlib import pyplot

        size = (_width(places), 4.2)
        return pyplot.figure(figsize=size, layout="constrained").add_subplot()
    if not isinstance(ax, Axes):
        raise WrongTypeError("ax", "must be axes of matplotlib", "or None for new ones")
    return ax


@contextmanager
def figure_file(
    path: str | Path, size: tuple[float, float], kind: str = "", **settings: Any
) -> Iterator[Any]:
    """Open a figure, and write it to ``path`` at the end.

    Args:
        path: the file.
        size: inches of width and height.
        kind: the format, such as ``.svg``; default what the ending of ``path`` says.
        settings: ``dpi``, and ``style``: settings of matplotlib.

    Raises:
        DomainError: a PNG of more pixels than can be drawn.
        MissingExtraError: matplotlib is not installed.
    """
    kind = kind or Path(path).suffix
    if kind == ".png" and max(size) * settings.get("dpi", _DPI) >= _MOST_PIXELS:
        rule = "holds too many figures for a PNG"
        raise DomainError("chart", rule, "draw an SVG, or write a table")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "to draw figures") from None
    style: Any = {"font.size": 9, **fonts.STYLE, **settings.pop("style", {})}
    with mpl.rc_context(style), fonts.quiet():
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        letters = fonts.fit(figure)
        if letters and kind != ".svg":
            fonts.report(letters)  # and to who has only the picture, as from a collector's page:
            figure.suptitle(fonts.note(letters), x=0.01, ha="left", fontsize=6, color=INK)
        metadata = {".svg": {"Date": None, "Creator": "sudare"}, ".png": {"Software": "sudare"}}
        settings = {"dpi": _DPI, "metadata": metadata.get(kind, {}), **settings}
        figure.savefig(target, format=kind.lstrip(".") or None, **settings)


@contextmanager
def _drawn(path: str | Path, width: float, title: str) -> Iterator[Axes]:
    """Open a figure of one part, and write it to ``path`` at the end."""
    with figure_file(path, (width, 4.2)) as figure:
        axes = figure.add_subplot()
        _begin(axes, title)
        yield axes


def _begin(axes: Axes, title: str) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_title(plain(title), loc="left", color=INK)


@contextmanager
def _bars(path: str | Path, labels: Sequence[str], title: str) -> Iterator[Axes]:
    """Open a figure with a place for each label; its width follows their number."""
    _check_figures(labels)
    with _drawn(path, _width(len(labels)), title) as axes:
        yield axes
        _places(axes, labels)


def _check_figures(figures: Sequence[object]) -> None:
    """Refuse to draw nothing."""
    if not len(figures):
        rule, remedy = "must show a figure at least, and there is none yet", "wait for reports"
        raise DomainError("chart", rule, f"{remedy}, or write a table")


def _width(places: int) -> float:
    """Return the inches of a figure of so many places."""
    return min(14.0, max(6.0, 0.28 * places + 2))


def _places(axes: Axes, labels: Sequence[str]) -> None:
    """Name the places along the horizontal axis: all, or each second, third, ... of many."""
    k = len(labels)
    axes.axhline(0, color=INK, linewidth=0.8)
    named = range(0, k, -(-k // _MOST_NAMES))
    words = [plain(labels[i]) for i in named]
    turned: Any = (
        {"rotation": 60, "ha": "right"} if k > 8 or k * max(map(fonts.width, words)) > 90 else {}
    )
    axes.set_xticks(named, words, **turned)
    axes.set_xlim(-0.7, k - 0.3)


def plain(text: str) -> str:
    """Return people's text so that matplotlib sees no formula in it."""
    return text.replace("$", r"\$")


def compare_shares(
    path: str | Path,
    labels: Sequence[str],
    estimate: Shares,
    true_shares: Sequence[float] | Floats | None = None,
    *,
    confidence: float = 0.95,
    title: str = "",
) -> Path:
    """Draw estimated shares with their intervals, and the true ones where they are known.

    Args:
        path: the file to write; its ending names the format (``.png``, ``.svg``).
        labels: one a category.
        estimate: what to draw.
        true_shares: bars behind the estimates.
        confidence: of the intervals.
        title: a line above the figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    known = align(true_shares, (labels,), "true_shares")
    with _bars(path, labels, title) as axes:
        _shares(axes, estimate, known, confidence)
    return Path(path)


def draw_shares(
    axes: Any,
    labels: Sequence[str],
    estimate: Shares,
    true_shares: Sequence[float] | Floats | None = None,
    *,
    confidence: float = 0.95,
) -> None:
    """Draw what :func:`compare_shares` draws on axes."""
    _shares(axes, estimate, align(true_shares, (labels,), "true_shares"), confidence)
    _places(axes, labels)


def _shares(
    axes: Axes, estimate: Shares, true_shares: Sequence[float] | Floats | None, confidence: float
) -> None:
    shares = estimate.shares.ravel()
    place = np.arange(shares.size)
    if true_shares is not None:
        known = np.asarray(true_shares, dtype=float).ravel()
        axes.bar(place, known, 0.78, color="#d8d2c4", label="true share")
    color = RUST if true_shares is not None else INDIGO
    label = "estimate"
    if not np.isnan(estimate.stderr).all():  # methods without a formula have no interval
        low, high = (end.ravel() for end in estimate.interval(confidence))
        middle, half = (low + high) / 2, (high - low) / 2
        # a share below 0 may lie outside its interval
        axes.errorbar(place, middle, half, fmt="none", ecolor=color, elinewidth=1.2, capsize=2)
        label = f"estimate, {100 * confidence:g} % interval"
    axes.plot(place, shares, "o", markersize=3.2, color=color, label=label)
    _in_percent(axes)
    axes.set_ylabel(f"share of the {estimate.target}")
    axes.legend(frameon=False, loc="upper right")


def draw_widths(axes: Any, half_widths: Mapping[str, float], pale: Sequence[str] = ()) -> None:
    """Draw the half width of a 95 % interval of each mechanism as a bar, the first on top.

    Args:
        axes: to draw on.
        half_widths: mechanism's name to a half width, as a share.
        pale: names that are there to be compared with.
    """
    names = list(half_widths)
    colours = ["#d8d2c4" if name in pale else INDIGO for name in names]
    axes.barh(np.arange(len(names)), list(half_widths.values()), 0.7, color=colours)
    axes.set_yticks(np.arange(len(names)), [plain(name) for name in names])
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    beside = "\npale: there to compare with, another never errs more" if pale else ""
    axes.set_xlabel(f"half width of a typical 95 % interval{beside}")


def compare_counts(
    path: str | Path,
    labels: Sequence[str],
    values: Sequence[float],
    raw: Sequence[float],
    bound: float | Sequence[float],
    *,
    confidence: float = 0.95,
    title: str = "",
) -> Path:
    """Draw a number for each group as a bar, and where it may be from what was drawn.

    Args:
        path: the file to write; its ending names the format (``.png``, ``.svg``).
        labels: one a group.
        values: bars.
        raw: the numbers with their noise, before post-processing: points.
        bound: of the noise, around each point; one for all, or one each.
        confidence: of the bound.
        title: a line above the figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    place = np.arange(len(labels))
    with _bars(path, labels, title) as axes:
        axes.bar(place, values, 0.78, color="#d8d2c4", label="published")
        style: Any = {"markersize": 3.2, "color": INDIGO, "elinewidth": 1.2, "capsize": 2}
        label = f"with noise, and its {100 * confidence:g} % bound"
        axes.errorbar(place, raw, bound, fmt="o", label=label, **style)
        figure: Any = axes.figure
        figure.legend(frameon=False, loc="outside lower center", ncols=2)
    return Path(path)


def results(
    path: str | Path,
    records: Sequence[Mapping[str, Any]],
    titles: Mapping[str, str],
    kind: str = "",
) -> Path:
    """Draw each figure of a collection's results with its interval, a part for each question.

    Args:
        path: the file to write; its ending names the format (``.png``, ``.svg``).
        records: rows of ``question``, ``label``, ``value``, ``low``, ``high``, ``unit`` and ``n``;
            what has no value has no place, what has no interval no line.
        titles: of the questions, in their order. Shares and other values of one stand apart.
        kind: the format, such as ``.svg``, where the ending of ``path`` says another one, or none.

    Raises:
        DomainError: no figure has a value yet, or a PNG would be too high.
        MissingExtraError: matplotlib is not installed.
    """
    known = [row for row in records if row["value"] is not None]
    parts = [
        (title, unit, rows)
        for name, title in titles.items()
        for unit in ("share", "value")
        if (rows := [row for row in known if (row["question"], row["unit"]) == (name, unit)])
    ]
    _check_figures(parts)
    lines = [len(rows) for *_, rows in parts]
    height = sum(0.24 * number + 0.9 for number in lines)
    with figure_file(path, (7.5, max(2.0, height)), kind) as figure:
        drawn = figure.subplots(len(parts), 1, squeeze=False, height_ratios=[n + 3 for n in lines])
        for axes, (title, unit, rows) in zip(drawn[:, 0], parts, strict=True):
            _begin(axes, f"{title}  (n = {rows[0]['n']:,})")
            place = np.arange(len(rows))
            low, high, value = (
                np.array([np.nan if row[key] is None else row[key] for row in rows], dtype=float)
                for key in ("low", "high", "value")
            )
            axes.hlines(place, low, high, color=INDIGO, linewidth=1.4)
            axes.plot(value, place, "o", markersize=3.6, color=INDIGO)
            axes.set_yticks(place, [plain(row["label"]) for row in rows])
            axes.set_ylim(len(rows) - 0.4, -0.6)
            axes.grid(axis="x", color="#e4dfd3", linewidth=0.6)
            axes.set_axisbelow(True)
            if unit == "share":
                axes.axvline(0, color=INK, linewidth=0.8)
                axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    return Path(path)


def interval_widths(
    path: str | Path,
    epsilons: Sequence[float],
    half_widths: Mapping[str, Sequence[float]],
    marks: Mapping[float, str] | None = None,
    *,
    confidence: float = 0.95,
    title: str = "",
) -> Path:
    """Draw the half width of an interval over ε, a line a mechanism.

    Args:
        path: the file to write; its ending names the format (``.png``, ``.svg``).
        epsilons: (m,) places.
        half_widths: mechanism's name to (m,) half widths, as shares.
        marks: ε to the words beside a vertical line there.
        confidence: of the intervals.
        title: a line above the figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with _drawn(path, 7.0, title) as axes:
        axes.set_yscale("log")
        for (name, widths), (colour, style) in zip(half_widths.items(), cycle(LINES), strict=False):
            axes.plot(epsilons, widths, style, color=colour, linewidth=1.6, label=plain(name))
        for i, (epsilon, words) in enumerate(sorted((marks or {}).items())):
            right = epsilon < 0.6 * max(epsilons)  # on the side where there is room
            axes.axvline(epsilon, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
            axes.annotate(
                plain(words),
                (epsilon, 0.98 - 0.07 * i),
                xycoords=("data", "axes fraction"),
                xytext=(4 if right else -4, 0),
                textcoords="offset points",
                ha="left" if right else "right",
                va="top",
                color=INK,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )
        _in_percent(axes)
        axes.set_xlabel("ε of an answer")
        axes.set_ylabel(f"half width of a {100 * confidence:g} % interval")
        axes.grid(axis="y", color="#e8e4da", linewidth=0.8)
        axes.legend(frameon=False, loc="lower left")
    return Path(path)


def compare_errors(
    path: str | Path,
    epsilons: Sequence[float],
    expected: Mapping[str, Sequence[float]],
    measured: Mapping[str, Sequence[float]],
    *,
    title: str = "",
) -> Path:
    """Draw mean squared errors over ε: a line a mechanism as expected, points as measured.

    Args:
        path: the file to write; its ending names the format (``.png``, ``.svg``).
        epsilons: (m,) places.
        expected, measured: mechanism's name to (m,) errors, NaN where there is none.
        title: a line above the figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with _drawn(path, 8.8, title) as axes:
        draw_errors(axes, epsilons, expected, measured)
    return Path(path)


def draw_errors(
    axes: Any,
    epsilons: Sequence[float],
    expected: Mapping[str, Sequence[float]],
    measured: Mapping[str, Sequence[float]],
) -> None:
    """Draw what :func:`compare_errors` draws on axes."""
    axes.set_yscale("log")
    for i, (name, errors) in enumerate(expected.items()):
        (colour, style), shape = LINES[i % len(LINES)], _MARKERS[i % len(_MARKERS)]
        axes.plot(epsilons, errors, style, color=colour, linewidth=1.2)
        points: Any = {"color": colour, "marker": shape, "markerfacecolor": "none"}
        axes.plot(epsilons, measured[name], linestyle="", label=plain(name), **points)
    axes.set_xlabel("ε of an answer")
    axes.set_ylabel("mean squared error of a share")
    axes.grid(axis="y", color="#e8e4da", linewidth=0.8)
    legend = axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
    legend.set_title("points: measured\nlines: expected")
    legend.set_alignment("left")


def _in_percent(axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter

    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
