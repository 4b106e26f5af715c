"""Say what a report of a place tells (GridExponential) on a map with edges, coasts and
islands, cell by cell; find weights that even it out; draw maps.

example: sudare map --mesh 533926 --level 1/2 --rows 40 --columns 40 --epsilon 0.002 --land
land.geojson --weights equalised --out results
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sudare.cli import console, options
from sudare.cli.map_atlas import add_atlas, as_shown
from sudare.cli.map_grid import add_grid, as_grid
from sudare.cli.map_people import add_people, as_people
from sudare.cli.map_weights import add_weights, equal_weights, weigh
from sudare.cli.options import as_folder
from sudare.location import MapReport, MapSummary, write_map
from sudare.location.map_files import check_drawing
from sudare.words import LANGUAGES

REMEDIES = options.ENCODINGS


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add_grid(add)
    add("--epsilon", type=float, required=True, help="ε per metre, such as 0.002")
    add_people(add)
    add_weights(add)
    add_atlas(add)
    add("--out", help="folder for report.json, weights.csv, maps, cells.geojson and index.html")
    add("--title", help="of the page")
    add("--language", choices=LANGUAGES, default="en", help="of the maps")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Judge the map, find weights, judge again, print, draw."""
    folder = None
    if arguments.out:
        folder = as_folder(arguments.out)
        check_drawing()
    quiet = arguments.json
    grid = as_grid(arguments)
    shown = as_shown(arguments, grid)
    with console.working("reading land and people", quiet=quiet) as tell:
        people = as_people(arguments, grid)
        epsilon, mode = arguments.epsilon, arguments.mode
        tell("even weights")
        plain = equal_weights(grid, people)
        summaries = {"even": MapSummary.of(grid, epsilon, plain, people, mode)}
        tell(f"{arguments.weights} weights")
        weights, how = weigh(arguments, grid, people, tell)
        if arguments.weights != "even":
            tell(f"{arguments.weights} weights: judging")
            summaries[arguments.weights] = MapSummary.of(grid, epsilon, weights, people, mode)
    given = manifest_options(arguments)
    outcome = MapReport(people, weights, summaries, how, mode, given, shown.base, shown.names)
    files = []
    if folder is not None:
        title, language = arguments.title, arguments.language
        progress = options.progress(arguments)
        files = write_map(folder, outcome, title=title, language=language, progress=progress)
    for note in (*people.notes, *outcome.summary.warnings()):
        console.warn("map", note.en)
    if arguments.json:
        console.print_json({**outcome.to_json(), "files": [str(file) for file in files]})
        return
    land = int(outcome.summary.land.sum())
    print_summaries(
        f"{grid.rows} × {grid.columns} cells of {grid.cell_height:.1f} × {grid.cell_width:.1f} m, "
        f"{land:,} with people",
        summaries,
        shown.names,
    )
    console.print_files(str(file) for file in files)


def manifest_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the manifest says of the options; of files their names alone."""
    names = (
        "mesh", "level", "rows", "columns", "cell", "origin", "epsilon", "land", "least", "prior",
        "weights", "step", "f1", "mode", "language", "base_map", "areas", "area_name",
    )  # fmt: skip
    out = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    return out | {
        name: Path(out[name]).name for name in ("land", "prior", "base_map", "areas") if name in out
    }


def print_summaries(title: str, columns: dict[str, MapSummary], names: dict[int, str]) -> None:
    """Print the figures of one or two maps beside one another."""
    figures = [summary.figures() for summary in columns.values()]

    def where(place: dict[str, Any]) -> str:
        cell = place["cell"]
        return ", ".join([f"cell {cell}", *filter(None, [names.get(cell)]), place["surroundings"]])

    told: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("posterior, highest", lambda f: f"{f['posterior_max']:.4f}"),
        ("  where", lambda f: where(f["posterior_max_at"])),
        ("posterior, lowest", lambda f: f"{f['posterior_min']:.4f}"),
        ("  where", lambda f: where(f["posterior_min_at"])),
        ("f1, their difference", lambda f: f"{f['f1']:.4f}"),
        ("  observed, limit", lambda f: f"{f['f1_observed']:.4f}, {f['f1_limit']:.4f}"),
        ("any place, highest", lambda f: f"{f['highest_posterior']:.4f}"),
        ("true cell reported", lambda f: f"{f['kept_min']:.4f} to {f['kept_max']:.4f}"),
        ("expected distance", lambda f: f"{f['sql']:,.2f} m"),
        ("ε per metre, nominal", lambda f: f"{f['nominal_epsilon']:g}"),
        ("ε per metre, spent", lambda f: f"{f['epsilon']:.6g}"),
    ]
    rows = [(name, *map(show, figures)) for name, show in told]
    console.print_table(title, ("weights", *columns), rows)
