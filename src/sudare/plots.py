"""Figures for files, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sudare.errors import MissingExtraError

if TYPE_CHECKING:
    from sudare.estimation import Estimate

INDIGO, RUST, INK = "#2f4b6e", "#b5482f", "#26241f"


def compare_shares(
    path: str | Path,
    labels: Sequence[str],
    estimate: Estimate,
    true_shares: Sequence[float] | None = None,
    *,
    title: str = "",
) -> Path:
    """Draw estimated shares with 95 % intervals, and the true ones where they are known.

    Args:
        path: the file to write; its ending names the format (``.png``, ``.svg``).
        labels: one a category.
        estimate: what to draw.
        true_shares: bars behind the estimates.
        title: a line above the figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
        from matplotlib.ticker import PercentFormatter
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "to draw figures") from None
    k = len(labels)
    place = np.arange(k)
    low, high = estimate.interval(0.95)
    with mpl.rc_context({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "sudare"}):
        figure = Figure(figsize=(min(14.0, max(6.0, 0.28 * k + 2)), 4.2), layout="constrained")
        axes = figure.add_subplot()
        if true_shares is not None:
            axes.bar(place, true_shares, 0.78, color="#d8d2c4", label="true share")
        color = RUST if true_shares is not None else INDIGO
        axes.errorbar(  # a share below 0 may lie outside its interval
            place,
            (low + high) / 2,
            yerr=(high - low) / 2,
            fmt="none",
            ecolor=color,
            elinewidth=1.2,
            capsize=2,
        )
        axes.plot(
            place,
            estimate.shares,
            "o",
            markersize=3.2,
            color=color,
            label="estimate, 95 % interval",
        )
        axes.axhline(0, color=INK, linewidth=0.8)
        plain = [label.replace("$", r"\$") for label in labels]  # no formulas in people's text
        axes.set_xticks(
            place, plain, rotation=60 if k > 8 else 0, ha="right" if k > 8 else "center"
        )
        axes.set_xlim(-0.7, k - 0.3)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
        axes.set_ylabel("share of the respondents")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        axes.set_title(title.replace("$", r"\$"), loc="left", color=INK)
        axes.legend(frameon=False, loc="upper right")
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(target, dpi=150)
    return target
