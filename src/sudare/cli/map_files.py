"""The files of ``sudare map``: report, weights, pictures, cells, a page, a manifest."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.cli import console
from sudare.cli.map_people import People
from sudare.cli.map_summary import Summary
from sudare.errors import SudareError
from sudare.files.tables import write_csv
from sudare.location import Layer, degrees, draw_map, map_page, to_geojson
from sudare.manifest import write_manifest
from sudare.words import Text, Words

Floats = npt.NDArray[np.float64]

PICTURES = ("png", "svg")


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Everything that a run has found.

    Attributes:
        arguments: of the command.
        people: where they are.
        weights: (cells,) of the cells.
        how: how the weights came about, as JSON data.
        summaries: name of the weights to what they do: even ones first, the chosen ones last.
    """

    arguments: argparse.Namespace
    people: People
    weights: Floats
    how: dict[str, Any]
    summaries: dict[str, Summary]

    @property
    def summary(self) -> Summary:
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
            "mode": self.arguments.mode,
            "weights": {"kind": self.arguments.weights, **self.how},
            "maps": {name: summary.figures() for name, summary in self.summaries.items()},
            "warnings": [warning.en for warning in self.summary.warnings()],
            "notes": [note.en for note in self.people.notes],
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


def write_files(folder: Path, outcome: Outcome, *, quiet: bool) -> list[Path]:
    """Write everything; return the paths, the page first."""
    folder.mkdir(parents=True, exist_ok=True)
    arguments, summary = outcome.arguments, outcome.summary
    grid, layers = summary.grid, outcome.layers()
    language = arguments.language
    mask = outcome.people.mask
    page = folder / "index.html"
    title = arguments.title or Text(
        f"A map of {grid.rows} × {grid.columns} cells",
        f"{grid.rows} × {grid.columns} セルの地図",
    )
    text = map_page(
        grid,
        list(layers.values()),
        title=title,
        mask=mask,
        facts=_facts(outcome),
        notes=[*summary.warnings(), *outcome.people.notes],
        credits=outcome.people.credits,
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
        cells.write_text(_json(to_geojson(grid, columns, mask=mask)), encoding="utf-8")
        written.append(cells)
    jobs = [(name, layer, kind) for name, layer in layers.items() for kind in PICTURES]
    for name, layer, kind in console.progress(jobs, len(jobs), "drawing", quiet=quiet):
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


def _write_weights(path: Path, outcome: Outcome) -> Path:
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
        records.append(record)
    return write_csv(path, records)


def _facts(outcome: Outcome) -> dict[Words, Words]:
    """Return the figures of the chosen weights, with those of even ones behind."""
    each = [summary.figures() for summary in outcome.summaries.values()]
    chosen, plain = each[-1], each[0] if len(each) > 1 else None

    def both(shown: str, beside: str) -> Words:
        if plain is None:
            return shown
        return Text(f"{shown} (even weights: {beside})", f"{shown}（一様な重み: {beside}）")

    def number(name: str, form: str = ".4f") -> Words:
        return both(format(chosen[name], form), "" if plain is None else format(plain[name], form))

    def span(low: str, high: str) -> Words:
        def one(figures: dict[str, Any]) -> str:
            return f"{figures[low]:.4f} – {figures[high]:.4f}"

        return both(one(chosen), "" if plain is None else one(plain))

    land, cells = int(outcome.summary.land.sum()), outcome.summary.grid.cells
    return {
        Text(
            "ε per metre, guaranteed", "1 m あたりの ε（保証値）"
        ): f"{chosen['nominal_epsilon']:g}",
        Text("ε per metre, really spent", "1 m あたりの ε（実際の消費）"): number("epsilon", ".6g"),
        Text("Cells with people, of all", "人のいるセル／全セル"): f"{land:,} / {cells:,}",
        Text("Weights", "重み"): _KINDS[outcome.arguments.weights],
        Text("Posterior of the reported cell", "報告されたセルの事後確率"): span(
            "posterior_min", "posterior_max"
        ),
        Text("Its spread, f1", "その差 f1"): number("f1"),
        Text("True cell reported", "真のセルが報告される確率"): span("kept_min", "kept_max"),
        Text("Distance, expected (m)", "距離の期待値（m）"): number("sql", ",.1f"),
    }


_KINDS = {
    "even": Text("even", "一様"),
    "greedy": Text("greedy (Algorithm 1)", "貪欲法（アルゴリズム1）"),
    "equalised": Text("equalised", "均等化"),
    "optimised": Text("optimised", "最適化"),
}


def _write_manifest(path: Path, outcome: Outcome, files: list[Path]) -> Path:
    a = outcome.arguments
    names = (
        "mesh", "level", "rows", "columns", "cell", "origin", "epsilon", "land", "least", "prior",
        "weights", "step", "f1", "mode", "language",
    )  # fmt: skip
    given = {name: getattr(a, name) for name in names if getattr(a, name) is not None}
    for name in ("land", "prior"):
        if name in given:
            given[name] = Path(given[name]).name
    digests = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return write_manifest(
        path, "map", given, "none", {"data": outcome.people.data, "sha256": digests}
    )


def check_drawing() -> None:
    """Raise MissingExtraError where pictures cannot be drawn, before anything long begins."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        from sudare.errors import MissingExtraError

        missing: SudareError = MissingExtraError("matplotlib", "plots", "to draw maps")
        raise missing from None
