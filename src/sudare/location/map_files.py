"""The files of a map: report, weights, pictures, cells, a page, a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import MissingExtraError
from sudare.files.places import Progress, Where, no_progress
from sudare.files.tables import write_csv
from sudare.location.globe import degrees
from sudare.location.maps import Layer, draw_map, map_page, to_geojson
from sudare.location.summary import MapSummary, People
from sudare.manifest import write_manifest
from sudare.shapes.outline import Outline
from sudare.words import Language, Text, Words

PICTURES = ("png", "svg")


@dataclass(frozen=True, slots=True, eq=False)
class MapReport:
    """All that is found about a map.

    Attributes:
        people: where they are.
        weights: (cells,) of the cells.
        summaries: name of the weights to what they do: even ones first, the chosen ones last.
        how: how the chosen weights came about, as JSON data.
        mode: as of :func:`boundary_report`.
        given: what else its manifest says.
        base: outlines that the page draws upon the cells.
        names: of cells in named areas.
    """

    people: People
    weights: Floats
    summaries: Mapping[str, MapSummary]
    how: Mapping[str, Any] = field(default_factory=dict)
    mode: str = "observed"
    given: Mapping[str, Any] = field(default_factory=dict)
    base: Outline | None = None
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Name of the chosen weights."""
        return list(self.summaries)[-1]

    @property
    def summary(self) -> MapSummary:
        """That of the chosen weights."""
        return list(self.summaries.values())[-1]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        grid, land = self.summary.grid, self.summary.land
        return {
            "grid": {
                "rows": grid.rows,
                "columns": grid.columns,
                "cell_height": grid.cell_height,
                "cell_width": grid.cell_width,
                "origin": None if grid.origin is None else list(grid.origin),
            },
            "cells": grid.cells,
            "cells_with_people": int(land.sum()),
            "island_cells": int(sum(kind == "island" for kind in self.summary.around)),
            "mode": self.mode,
            "weights": {"kind": self.kind, **self.how},
            "maps": {name: summary.figures() for name, summary in self.summaries.items()},
            "warnings": [warning.en for warning in self.summary.warnings()],
            "notes": [note.en for note in self.people.notes],
            **(
                {"names": {str(cell): name for cell, name in self.names.items()}}
                if self.names
                else {}
            ),
        }

    def layers(self) -> dict[str, Layer]:
        """Return what there is to see, by the name of its files."""
        summary = self.summary
        report = summary.report
        out = {
            "posterior": Layer(
                Text("Posterior of the reported cell", "報告されたセルの事後確率"),
                summary.posterior,
                marks=summary.most_exposed if len(summary.most_exposed) <= 20 else (),
            ),
            "kept": Layer(
                Text("Probability that the true cell is reported", "真のセルが報告される確率"),
                report.kept,
            ),
            "distance": Layer(
                Text("Distance from true to reported cell", "真のセルと報告の距離（期待値）"),
                report.sql_cell,
                "m",
            ),
            "weight": Layer(
                Text("Weight", "重み"),
                np.where(self.weights > 0, self.weights, np.nan),
                log=True,
            ),
        }
        if self.people.prior is not None:
            found = Text("Highest posterior of any place", "いずれかの場所の最大事後確率")
            out["highest"] = Layer(found, report.highest)
            people = Text("People", "人口")
            out["people"] = Layer(people, self.people.prior, Text("people", "人"), log=True)
        return out


def write_map(
    where: Where,
    outcome: MapReport,
    *,
    title: str | None = None,
    language: Language = "en",
    progress: Progress = no_progress,
) -> list[Path]:
    """Write report, weights, cells, pictures, a page and a manifest to a folder.

    Returns the paths, the page first.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    check_drawing()
    folder = Path(where)
    folder.mkdir(parents=True, exist_ok=True)
    summary = outcome.summary
    grid, layers = summary.grid, outcome.layers()
    mask = outcome.people.mask
    page = folder / "index.html"
    shown = title or Text(
        f"A map of {grid.rows} × {grid.columns} cells",
        f"{grid.rows} × {grid.columns} セルの地図",
    )
    text = map_page(
        grid,
        list(layers.values()),
        title=shown,
        mask=mask,
        facts=_facts(outcome),
        notes=[*summary.warnings(), *outcome.people.notes],
        credits=outcome.people.credits,
        base=outcome.base,
        names=outcome.names,
        language=language,
    )
    page.write_text(text, encoding="utf-8")
    report = folder / "report.json"
    report.write_text(_json(outcome.to_json()), encoding="utf-8")
    written = [page, report, _write_weights(folder / "weights.csv", outcome)]
    if grid.origin is not None:
        cells = folder / "cells.geojson"
        columns = {name: summary.on_land(_whole(layer)) for name, layer in layers.items()}
        columns["weight"] = outcome.weights
        data = to_geojson(grid, columns, mask=mask)
        for own in (feature["properties"] for feature in data["features"] if outcome.names):
            own["area"] = outcome.names.get(own["cell"])
        cells.write_text(_json(data), encoding="utf-8")
        written.append(cells)
    jobs = [(name, layer, kind) for name, layer in layers.items() for kind in PICTURES]
    for name, layer, kind in progress(jobs, len(jobs), "drawing"):
        written.append(
            draw_map(
                grid,
                layer.values,
                folder / f"map-{name}.{kind}",
                mask=mask,
                title=layer.title,
                unit=layer.unit,
                log=layer.log,
                marks=layer.marks,
                language=language,
            )
        )
    written.append(_write_manifest(folder / "manifest.json", outcome, written))
    return written


def _whole(layer: Layer) -> Floats:
    return np.asarray(layer.values, dtype=np.float64).ravel()


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=None if "features" in data else 2) + "\n"


def _write_weights(path: Path, outcome: MapReport) -> Path:
    """Write a row a cell, sea included: what a collection or another program needs."""
    summary = outcome.summary
    grid = summary.grid
    places: dict[str, Floats] = {}
    if grid.origin is not None:
        lat, lon = degrees(grid).centres()
        places = {"latitude": np.round(lat, 7), "longitude": np.round(lon, 7)}
    figures = {name: _whole(layer) for name, layer in outcome.layers().items() if name != "weight"}
    records = []
    for cell in range(grid.cells):
        row, column = divmod(cell, grid.columns)
        record: dict[str, Any] = {"cell": cell, "row": row, "column": column}
        record |= {name: float(values[cell]) for name, values in places.items()}
        record |= {"land": int(summary.land[cell]), "weight": float(outcome.weights[cell])}
        for name, values in figures.items():
            known = summary.land[cell] and not np.isnan(values[cell])
            record[name] = float(values[cell]) if known else None
        if outcome.names:
            record["area"] = f"“{outcome.names[cell]}”" if cell in outcome.names else None
        records.append(record)
    return write_csv(path, records)


def _facts(outcome: MapReport) -> dict[Words, Words]:
    """Return the figures of the chosen weights, with those of even ones behind."""
    each = [summary.figures() for summary in outcome.summaries.values()]
    chosen = each[-1]

    def shown(form: str) -> Words:
        own = form.format(**chosen)
        if len(each) == 1:
            return own
        plain = form.format(**each[0])
        return Text(f"{own} (even weights: {plain})", f"{own}（一様な重み: {plain}）")

    land, cells = int(outcome.summary.land.sum()), outcome.summary.grid.cells
    return {
        Text(
            "ε per metre, guaranteed", "1 m あたりの ε（保証値）"
        ): f"{chosen['nominal_epsilon']:g}",
        Text("ε per metre, really spent", "1 m あたりの ε（実際の消費）"): shown("{epsilon:.6g}"),
        Text("Cells with people, of all", "人のいるセル／全セル"): f"{land:,} / {cells:,}",
        Text("Weights", "重み"): _KINDS.get(outcome.kind, outcome.kind),
        Text("Posterior of the reported cell", "報告されたセルの事後確率"): shown(
            "{posterior_min:.4f} – {posterior_max:.4f}"
        ),
        Text("Its spread, f1", "その差 f1"): shown("{f1:.4f}"),
        Text("True cell reported", "真のセルが報告される確率"): shown(
            "{kept_min:.4f} – {kept_max:.4f}"
        ),
        Text("Distance, expected (m)", "距離の期待値（m）"): shown("{sql:,.1f}"),
    }


_KINDS = {
    "even": Text("even", "一様"),
    "greedy": Text("greedy (Algorithm 1)", "貪欲法（アルゴリズム1）"),
    "equalised": Text("equalised", "均等化"),
    "optimised": Text("optimised", "最適化"),
}


def _write_manifest(path: Path, outcome: MapReport, files: list[Path]) -> Path:
    digests = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return write_manifest(
        path, "map", outcome.given, "none", {"data": outcome.people.data, "sha256": digests}
    )


def check_drawing() -> None:
    """Raise MissingExtraError where pictures cannot be drawn, before anything long begins."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plots", "to draw maps")
