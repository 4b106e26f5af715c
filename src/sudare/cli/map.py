"""``sudare map``: what a map of places protects, where least, and weights that even it out."""

from __future__ import annotations

import argparse

from sudare.cli import console, options
from sudare.cli.map_files import Outcome, check_drawing, write_files
from sudare.cli.map_grid import add_grid, as_grid
from sudare.cli.map_people import add_people, as_people
from sudare.cli.map_summary import Summary, print_summaries
from sudare.cli.map_weights import add_weights, even, weigh
from sudare.cli.options import as_folder
from sudare.words import LANGUAGES


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Say what a report of a place tells (GridExponential) on a map with edges, coasts and "
        "islands, cell by cell; find weights that even it out; draw maps."
    )
    parser.epilog = (
        "example: sudare map --mesh 533926 --level 1/2 --rows 40 --columns 40 "
        "--epsilon 0.002 --land land.geojson --weights equalised --out results"
    )
    add_grid(parser)
    parser.add_argument("--epsilon", type=float, required=True, help="ε per metre, such as 0.002")
    add_people(parser)
    add_weights(parser)
    parser.add_argument(
        "--out", help="folder for report.json, weights.csv, maps, cells.geojson and index.html"
    )
    parser.add_argument("--title", help="of the page")
    parser.add_argument(
        "--language", choices=LANGUAGES, default="en", help="of the maps (default: %(default)s)"
    )
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Judge the map, find weights, judge again, print, draw."""
    folder = None
    if arguments.out:
        folder = as_folder(arguments.out)
        check_drawing()
    quiet = arguments.json
    grid = as_grid(arguments)
    with console.working("reading land and people", quiet=quiet) as tell:
        people = as_people(arguments, grid)
        epsilon, mode = arguments.epsilon, arguments.mode
        tell("even weights")
        plain = even(grid, people)
        summaries = {"even": Summary.of(grid, epsilon, plain, people, mode)}
        tell(f"{arguments.weights} weights")
        weights, how = weigh(arguments, grid, people, tell)
        if arguments.weights != "even":
            tell(f"{arguments.weights} weights: judging")
            summaries[arguments.weights] = Summary.of(grid, epsilon, weights, people, mode)
    outcome = Outcome(arguments, people, weights, how, summaries)
    files = [] if folder is None else write_files(folder, outcome, quiet=quiet)
    for note in (*people.notes, *outcome.summary.warnings()):
        console.warn("map", note.en)
    if arguments.json:
        console.print_json({**outcome.to_json(), "files": [str(file) for file in files]})
        return 0
    land = int(outcome.summary.land.sum())
    print_summaries(
        f"{grid.rows} × {grid.columns} cells of {grid.cell_height:.1f} × {grid.cell_width:.1f} m, "
        f"{land:,} with people",
        summaries,
    )
    console.print_files(str(file) for file in files)
    return 0
