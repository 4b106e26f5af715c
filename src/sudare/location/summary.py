"""What a map protects, in a few figures: for the terminal, a report file, and the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.location.globe import degrees
from sudare.location.land import surroundings
from sudare.location.report import WARN_ABOVE, BoundaryReport, Mode, boundary_report, first_cells
from sudare.mechanisms.place import Grid, GridExponential
from sudare.words import Text

_TIED = 1e-9
_AROUND = {
    "inland": Text("inland", "内陸"),
    "edge": Text("at the edge of the map", "地図の端"),
    "coast": Text("at the coast", "海岸"),
    "island": Text("on an island", "島"),
    "sea": Text("at sea", "海"),
}


@dataclass(slots=True)
class People:
    """Where people are on a map.

    Attributes:
        mask: (cells,) True where people can be; None: everywhere.
        prior: (cells,) numbers of people; None: alike in all cells of the mask.
        data: what a manifest says of the data.
        credits: whom to credit.
        notes: what a reader should know.
    """

    mask: npt.NDArray[np.bool_] | None = None
    prior: Floats | None = None
    data: list[dict[str, Any]] = field(default_factory=list)
    credits: list[str] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class MapSummary:
    """What a map with these weights protects.

    Attributes:
        report: of every cell.
        land: (cells,) where people can be.
        around: each cell's surroundings.
        grid: the cells.
    """

    grid: Grid
    report: BoundaryReport
    land: Booleans
    around: tuple[str, ...]

    @classmethod
    def of(
        cls, grid: Grid, epsilon: float, weights: Floats, people: People, mode: Mode = "observed"
    ) -> MapSummary:
        """Return the summary of a map; cells outside the mask do not count.

        Examples:
            >>> grid = Grid(rows=1, columns=3, cell_height=100, cell_width=100)
            >>> found = MapSummary.of(grid, 0.01, np.ones(3), People())
            >>> found.most_exposed, round(found.figures()["kept_max"], 3)
            ((0, 2), 0.506)
        """
        land = np.ones(grid.cells, dtype=np.bool_) if people.mask is None else people.mask
        prior = land.astype(np.float64) if people.prior is None else people.prior
        mechanism = GridExponential(grid, epsilon, weights)
        report = boundary_report(mechanism, prior=prior, mode=mode)
        return cls(grid, report, land, surroundings(grid, land))

    def on_land(self, values: Floats) -> Floats:
        """Return numbers with NaN outside the mask."""
        return np.where(self.land, values, np.nan)

    @property
    def posterior(self) -> Floats:
        """(cells,) of the reported cell, NaN outside the mask."""
        return self.on_land(self.report.posterior)

    @property
    def extremes(self) -> tuple[int, int]:
        """The cells with the largest and the least posterior, the first of those within 1e-9."""
        found = self.posterior
        least = np.flatnonzero(found <= np.nanmin(found) + _TIED)
        return self.most_exposed[0], int(least[0])

    @property
    def most_exposed(self) -> tuple[int, ...]:
        """Cells with the largest posterior, ties within 1e-9."""
        found = self.posterior
        return tuple(np.flatnonzero(found >= np.nanmax(found) - _TIED).tolist())

    def plot(self, ax: Any = None) -> Any:
        """Draw the posterior of each cell by :func:`sudare.location.plot_map`; return the axes."""
        from sudare.location.maps import plot_map

        unit = "posterior of the reported cell"
        return plot_map(self.grid, self.posterior, ax, mask=self.land, unit=unit)

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The cells on land with what they protect, as GeoPandas and folium take them.

        Raises:
            DomainError: a grid without an origin.
        """
        from sudare.location.maps import to_geojson

        columns = {"posterior": self.posterior, "kept": self.on_land(self.report.kept)}
        return to_geojson(self.grid, columns, mask=self.land)

    def figures(self) -> dict[str, Any]:
        """Return posterior, retention, f1, distance and ε, as JSON data."""
        posterior, kept = self.posterior, self.on_land(self.report.kept)
        most, least = self.extremes
        return {
            "posterior_max": float(posterior[most]),
            "posterior_max_at": self.place(most),
            "most_exposed": list(self.most_exposed),
            "posterior_min": float(posterior[least]),
            "posterior_min_at": self.place(least),
            "f1": float(posterior[most] - posterior[least]),
            "f1_observed": self.report.f1_observed,
            "f1_limit": self.report.f1_limit,
            "highest_posterior": float(np.nanmax(self.on_land(self.report.highest))),
            "kept_max": float(np.nanmax(kept)),
            "kept_min": float(np.nanmin(kept)),
            "sql": self.report.sql,
            "nominal_epsilon": self.report.nominal_epsilon,
            "epsilon": self.report.epsilon,
        }

    def place(self, cell: int) -> dict[str, Any]:
        """Return where a cell is, as JSON data."""
        row, column = divmod(cell, self.grid.columns)
        out: dict[str, Any] = {"cell": cell, "row": row, "column": column}
        if self.grid.origin is not None:
            lat, lon = degrees(self.grid).centres()
            out |= {"latitude": round(float(lat[cell]), 6), "longitude": round(float(lon[cell]), 6)}
        return {**out, "surroundings": self.around[cell]}

    def warnings(self) -> list[Text]:
        """Return what a reader should know."""
        out = []
        highest = self.on_land(self.report.highest)
        exposed = np.flatnonzero(highest > WARN_ABOVE)
        if exposed.size:
            shown = first_cells(exposed)
            out.append(
                Text(
                    f"After a report of {exposed.size:,} of {int(self.land.sum()):,} cells one "
                    f"place is more than {WARN_ABOVE:.0%} likely: {shown}.",
                    f"{int(self.land.sum()):,}セルのうち{exposed.size:,}セルでは、報告後に1つの場所の"
                    f"確率が{WARN_ABOVE:.0%}を超えます: {shown}",
                )
            )
        most, least = self.extremes
        high, low = float(self.posterior[most]), float(self.posterior[least])
        if self.around[most] != "inland" and high > 2 * low:
            row, column = divmod(most, self.grid.columns)
            around = _AROUND[self.around[most]]
            out.append(
                Text(
                    f"People {around.en} are protected less: after a report of cell {most} (row "
                    f"{row}, column {column}) it is the true one with probability {high:.3f}, "
                    f"elsewhere with as little as {low:.3f}.",
                    f"{around.ja}の人は保護が弱くなります。セル{most}（行{row}、列{column}）が報告されたとき"
                    f"それが真のセルである確率は{high:.3f}、最も低いセルでは{low:.3f}です。",
                )
            )
        out += self._of_weights()
        return out

    def _of_weights(self) -> list[Text]:
        kept = self.report.kept
        never = int((self.land & (kept == 0)).sum())
        sure = int((self.land & (kept > WARN_ABOVE)).sum())
        out = []
        if never:
            out.append(
                Text(
                    f"{_cells(never)} of weight 0: nobody is ever reported there.",
                    f"{never:,}セルは重みが0のため、報告されることがありません。",
                )
            )
        if sure:
            out.append(
                Text(
                    f"{_cells(sure)} whose people are reported right there with more than "
                    f"{WARN_ABOVE:.0%} probability.",
                    f"{sure:,}セルでは、{WARN_ABOVE:.0%}を超える確率で真のセルが報告されます。",
                )
            )
        return out


def _cells(many: int) -> str:
    return f"{many:,} cell{'' if many == 1 else 's'}"
