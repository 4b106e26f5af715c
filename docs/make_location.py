"""Print the table of docs/location.md: ``python docs/make_location.py`` (two minutes)."""

from __future__ import annotations

import numpy as np

import sudare as sd

EPSILON = 0.02
GRID = sd.Grid(rows=15, columns=15, cell_height=115.6, cell_width=141.5)
CAP = 0.3348


def line(name: str, mechanism: sd.GridExponential | sd.TightGrid | sd.PlaceChannel) -> str:
    """Return a row; f1 of the cells that are reported, and with the limit of the others."""
    report = sd.location.boundary_report(mechanism)
    limit = "—" if report.f1_limit is None else f"{report.f1_limit:.4f}"
    kept = report.kept
    return (
        f"| {name} | {report.f1_observed:.4f} | {limit} | {np.nanmax(report.highest):.4f} | "
        f"{kept.min():.2f} to {kept.max():.2f} | {report.sql:.1f} m | {report.epsilon:.5f} |"
    )


def main() -> None:
    """Print the rows."""
    loc = sd.location
    plain = sd.GridExponential(GRID, EPSILON)
    print(line("none: GridE", plain))
    found = {
        '`reduce_weights`, `mode="observed"`': loc.reduce_weights(GRID, EPSILON).weights,
        '`reduce_weights`, `mode="limit"`': loc.reduce_weights(GRID, EPSILON, mode="limit").weights,
        "`equalise_weights`": loc.equalise_weights(GRID, EPSILON).weights,
    }
    for f1 in (0.18, 0.12, 0.06, 0.02):
        found[f"`optimise_weights`, `f1={f1}`"] = loc.optimise_weights(GRID, EPSILON, f1=f1).weights
    for name, weights in found.items():
        print(line(name, sd.GridExponential(GRID, EPSILON, weights)))
    capped = loc.cap_posterior(GRID, EPSILON, CAP).mechanism
    print(line(f"`cap_posterior`, `cap={CAP}`", capped))
    print(line("none: TightGrid", sd.TightGrid(GRID, EPSILON)))


if __name__ == "__main__":
    main()
