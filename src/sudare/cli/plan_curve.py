"""The width of an interval over ε: on the terminal, as a table and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sudare.cli import console
from sudare.estimation.estimate import Target
from sudare.files.tables import write_csv
from sudare.manifest import write_manifest
from sudare.planning import Curve, curve
from sudare.planning.crossings import grid
from sudare.planning.curves import HIGH, LOW, POINTS

_SHOWN = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)


def short_curve(k: int, n: int, asked: Sequence[float], target: Target) -> Curve:
    """Return the widths at round ε and at those asked for."""
    return curve(k, n, epsilons=sorted({*_SHOWN, *asked}), target=target)


def curve_json(widths: Curve) -> dict[str, Any]:
    """Return a curve as JSON data."""
    return {"crossing": widths.crossing, "half_widths_95": list(widths.rows())}


def print_curve(widths: Curve) -> None:
    """Print a row an ε, with the best mechanism, and where GRR overtakes OUE."""
    names = tuple(widths.half_widths)
    console.print_table(
        f"95 % interval of a share, k = {widths.k}, n = {widths.n:,}, {widths.target}",
        ("ε", *names, "best"),
        [
            (f"{row['epsilon']:g}", *(f"± {console.percent(row[name])}" for name in names),
             min(names, key=lambda name: row[name]))
            for row in widths.rows()
        ],
    )  # fmt: skip
    if widths.crossing is None:
        console.out().print("GRR is better than OUE at every ε.")
    else:
        console.out().print(f"GRR is better than OUE from ε = {widths.crossing:.3f} on.")


def write_curve(folder: Path, k: int, n: int, asked: Sequence[float], target: Target) -> list[str]:
    """Write ``curve.csv``, ``curve.png``, ``curve.svg`` and ``manifest.json``."""
    from sudare.plots import interval_widths

    widths = curve(k, n, epsilons=sorted({*grid(LOW, HIGH, POINTS), *asked}), target=target)
    folder.mkdir(parents=True, exist_ok=True)
    table = write_csv(folder / "curve.csv", list(widths.rows()))
    marks = {epsilon: f"asked: ε = {epsilon:g}" for epsilon in asked}
    if widths.crossing is not None and widths.crossing <= widths.epsilons[-1]:
        marks[widths.crossing] = f"GRR overtakes OUE: ε = {widths.crossing:.3f}"
    pictures = [
        interval_widths(
            folder / f"curve.{ending}",
            widths.epsilons.tolist(),
            {name: line.tolist() for name, line in widths.half_widths.items()},
            marks,
            title=f"k = {k}, n = {n:,}, {target}",
        )
        for ending in ("png", "svg")
    ]
    parameters = {
        "k": k,
        "n": n,
        "target": target,
        "epsilon": [*asked],
        "crossing": widths.crossing,
    }
    manifest = write_manifest(folder / "manifest.json", "plan", parameters, "none")
    return [str(path) for path in (table, *pictures, manifest)]
