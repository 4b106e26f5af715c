"""``sudare plan``: which mechanism, and how accurate, before anything is collected."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any

from sudare.cli import console, options
from sudare.cli.manifest import write_manifest
from sudare.cli.table_files import write_csv
from sudare.collection import Collection
from sudare.errors import DomainError
from sudare.exact import decimal_text, epsilon_from_text
from sudare.planning import CollectionPlan, Curve, Plan, curve, plan, plan_collection
from sudare.planning.survey import WISHES

_SHOWN = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "plan",
        help="what k categories, n respondents and ε, or a survey file, will show",
        description=(
            "Rank the mechanisms for one question by exact expected error (-k, -n, --epsilon), "
            "or say how accurate each question of a survey file will be."
        ),
        epilog="example: sudare plan -k 43 -n 49742 --epsilon 2",
    )
    parser.add_argument(
        "survey", nargs="?", metavar="survey.toml", help="a definition file, instead of -k"
    )
    parser.add_argument("-k", type=int, help="number of categories")
    parser.add_argument(
        "-n", type=int, help="number of respondents (default with a file: as many as it expects)"
    )
    parser.add_argument("--epsilon", help="ε of the answer, 0.001 to 20")
    options.add_target(parser)
    parser.add_argument("--curve", action="store_true", help="show the width of an interval over ε")
    parser.add_argument("--out", help="folder for curve.csv, curve.png, curve.svg, manifest.json")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan of a survey, or that of one question."""
    if arguments.survey is not None:
        return _run_survey(arguments)
    for name in ("k", "n"):
        if getattr(arguments, name) is None:
            raise DomainError(f"-{name}", "must be given", "or give a survey file alone")
    drawn = arguments.curve or arguments.out
    if arguments.epsilon is None and not drawn:
        raise DomainError("--epsilon", "must be given", "or ask for --curve")
    epsilon = None if arguments.epsilon is None else epsilon_from_text(arguments.epsilon)
    data: dict[str, Any] = {"k": arguments.k, "n": arguments.n, "target": arguments.target}
    quiet = arguments.json
    if epsilon is not None:
        ranked = plan(arguments.k, arguments.n, epsilon, arguments.target)
        data["epsilon"] = float(epsilon)
        data["options"] = [option.to_json() for option in ranked]
        if not quiet:
            _print_ranking(ranked)
    if arguments.curve:
        shown = sorted({*_SHOWN} | ({float(epsilon)} if epsilon else set()))
        widths = curve(arguments.k, arguments.n, epsilons=shown, target=arguments.target)
        data["crossing"] = widths.crossing
        data["half_widths_95"] = list(widths.rows())
        if not quiet:
            _print_curve(widths)
    if arguments.out:
        data["files"] = _write(arguments, Path(arguments.out), epsilon)
        if not quiet:
            console.print_files(data["files"])
    if quiet:
        console.print_json(data)
    return 0


def _print_ranking(ranked: Plan) -> None:
    console.print_table(
        f"k = {ranked.k}, n = {ranked.n:,}, ε = {float(ranked.epsilon):g}, {ranked.target}",
        ("mechanism", "expected MSE", "95 % interval", "report bytes"),
        [
            (o.mechanism.name, f"{o.expected_mse:.3e}", f"± {console.percent(o.half_width)}",
             f"{o.report_bytes:,}")
            for o in ranked
        ],
    )  # fmt: skip


def _print_curve(widths: Curve) -> None:
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


def _write(arguments: argparse.Namespace, folder: Path, epsilon: Fraction | None) -> list[str]:
    from sudare.plots import interval_widths

    widths = curve(arguments.k, arguments.n, target=arguments.target)
    folder.mkdir(parents=True, exist_ok=True)
    table = write_csv(folder / "curve.csv", list(widths.rows()))
    marks: dict[float, str] = {}
    if widths.crossing is not None and widths.crossing <= widths.epsilons[-1]:
        marks[widths.crossing] = f"GRR overtakes OUE: {widths.crossing:.3f}"
    if epsilon is not None:
        marks[float(epsilon)] = f"asked: ε = {float(epsilon):g}"
    title = f"k = {widths.k}, n = {widths.n:,}, {widths.target}"
    pictures = [
        interval_widths(
            folder / f"curve.{ending}",
            widths.epsilons.tolist(),
            {name: line.tolist() for name, line in widths.half_widths.items()},
            marks,
            title=title,
        )
        for ending in ("png", "svg")
    ]
    parameters = {
        "k": widths.k,
        "n": widths.n,
        "target": widths.target,
        "epsilon": None if epsilon is None else float(epsilon),
        "crossing": widths.crossing,
    }
    manifest = write_manifest(folder / "manifest.json", "plan", parameters, "none")
    return [str(path) for path in (table, *pictures, manifest)]


def _run_survey(arguments: argparse.Namespace) -> int:
    unused = ("k", "epsilon", "curve", "out")
    given = [name for name in unused if getattr(arguments, name) not in (None, False)]
    if given:
        flags = ", ".join("-k" if name == "k" else f"--{name}" for name in given)
        raise DomainError(flags, "must be left out", "the survey file says what is asked")
    survey = plan_collection(Collection.load(arguments.survey), arguments.n, arguments.target)
    if arguments.json:
        console.print_json(survey.to_json())
    else:
        _print_survey(survey)
    return 0


def _print_survey(survey: CollectionPlan) -> None:
    console.print_table(
        f"{survey.name}: {survey.n:,} respondents, {survey.target}",
        ("question", "mechanism", "ε", "bytes", "std. error", "95 % interval",
         *(f"n for ± {console.percent(width, 0)}" for width in WISHES)),
        [
            (q.id, q.mechanism, console.epsilon(q.epsilon), f"{q.report_bytes:,}",
             console.percent(q.stderr), f"± {console.percent(q.half_width)}",
             *(f"{q.respondents_for[width]:,}" for width in WISHES))
            for q in survey
        ],
    )  # fmt: skip
    console.out().print(
        f"A whole submission: ε = {decimal_text(survey.epsilon)}, {survey.report_bytes:,} bytes. "
        f"One device spends at most ε = {decimal_text(survey.epsilon_cap)}."
    )
