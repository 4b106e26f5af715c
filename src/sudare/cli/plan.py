"""``sudare plan``: which mechanism, and how accurate, before anything is collected."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any

from sudare.cli import console, options
from sudare.cli.options import as_folder
from sudare.cli.plan_curve import curve_json, print_curve, short_curve, write_curve
from sudare.cli.plan_distribution import edges_from_text, print_distribution
from sudare.cli.plan_repeated import print_repeated
from sudare.cli.plan_shares import shares_from_file
from sudare.cli.plan_survey import print_newer, print_survey
from sudare.cli.plan_tables import print_tables, sizes_from_text
from sudare.cli.plan_words import print_words
from sudare.collection import Collection
from sudare.collection.cautions import caution_of
from sudare.collection.questions import newest_auto
from sudare.errors import DomainError, SudareError, counted
from sudare.exact import as_integer, epsilon_from_text
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.repeated.within import COVERS
from sudare.planning import (
    Plan,
    plan,
    plan_collection,
    plan_distribution,
    plan_repeated,
    plan_tables,
    plan_words,
    shuffled_epsilon,
)
from sudare.planning.published import ASSUMES, DELTA, rounded_up
from sudare.planning.shuffling import MOST_REPORTS

REMEDIES = options.ENCODINGS
_NOT_REPEATED = (
    "survey", "sizes", "order", "low", "high", "bins", "edges", "longest", "alphabet", "shares",
    "curve", "out",
)  # fmt: skip


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Rank the mechanisms for one question by exact expected error (-k, -n, --epsilon), "
        "or the ways to spend one ε on several (--sizes, -n, --epsilon), "
        "or those for the distribution of a number (--low, --high, or --edges, -n, --epsilon), "
        "or the ways to ask it in several rounds (-k, --rounds, -n, --epsilon), "
        "or words that nobody listed (--longest, -n, --epsilon), "
        "or say how accurate each question of a survey file will be."
    )
    parser.epilog = "example: sudare plan -k 43 -n 49742 --epsilon 2"
    parser.add_argument(
        "survey", nargs="?", metavar="survey.toml", help="a definition file, instead of -k"
    )
    parser.add_argument("-k", type=int, help="number of categories")
    parser.add_argument("--rounds", type=int, help="how often the question is asked, 1 to 1000")
    parser.add_argument(
        "--covers",
        choices=COVERS,
        help="with --rounds: whom ε covers: whose answer stays (default), or anybody",
    )
    parser.add_argument("--sizes", help="categories of several attributes, such as 16,5")
    parser.add_argument("--order", type=int, help="attributes of each wanted table (default: 1)")
    parser.add_argument("--low", type=float, help="least number, of a distribution")
    parser.add_argument("--high", type=float, help="largest number")
    parser.add_argument("--bins", type=int, help="equal parts of the range (default: by n and ε)")
    parser.add_argument("--edges", help="of unequal bins, such as 0,10,20,50,100")
    parser.add_argument("--longest", type=int, help="most symbols of a word that nobody listed")
    parser.add_argument(
        "--alphabet", help='of words: "bytes" of UTF-8 (default), "kana", or all characters'
    )
    parser.add_argument(
        "-n", type=int, help="number of respondents (default with a file: as many as it expects)"
    )
    parser.add_argument("--epsilon", help="ε of the answer, 0.001 to 20")
    parser.add_argument(
        "--shares", help="table with a column share: what the true shares may be, a row a category"
    )
    options.adder(parser)("--encoding")
    options.add_target(parser)
    parser.add_argument("--curve", action="store_true", help="show the width of an interval over ε")
    options.adder(parser)("--out", help="folder for curve.csv, curve.png, curve.svg, manifest.json")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan of a survey, or that of one question."""
    if arguments.rounds is not None:
        return _run_repeated(arguments)
    if arguments.covers is not None:
        raise DomainError("--covers", "must come with --rounds")
    if arguments.survey is not None:
        return _run_survey(arguments)
    if arguments.sizes is not None:
        return _run_tables(arguments)
    if arguments.order is not None:
        raise DomainError("--order", "must come with --sizes", "such as --sizes 16,5 --order 2")
    if (arguments.low, arguments.high, arguments.edges) != (None, None, None):
        return _run_distribution(arguments)
    if arguments.bins is not None:
        raise DomainError("--bins", "must come with --low and --high")
    if arguments.longest is not None:
        return _run_words(arguments)
    if arguments.alphabet is not None:
        raise DomainError("--alphabet", "must come with --longest")
    shares = None
    if arguments.shares is not None:
        shares = shares_from_file(arguments.shares, arguments.k, arguments.encoding)
        options.tell_form("plan", arguments.shares, arguments.encoding)
        arguments.k = shares.size
    for name in ("k", "n"):
        if getattr(arguments, name) is None:
            raise DomainError(f"-{name}", "must be given", "or give a survey file alone")
    if arguments.epsilon is None and (shares is not None or not (arguments.curve or arguments.out)):
        raise DomainError("--epsilon", "must be given", "or ask for --curve")
    k, n, target = arguments.k, arguments.n, arguments.target
    data: dict[str, Any] = {"k": k, "n": n, "target": target}
    asked: tuple[float, ...] = ()
    show: list[Callable[[], None]] = []  # printed once everything has gone well
    if arguments.epsilon is not None:
        ranked = plan(k, n, epsilon_from_text(arguments.epsilon), target, shares=shares)
        _warn(ranked.epsilon)
        asked = (float(ranked.epsilon),)
        tallies = [_tally_epsilon(option.mechanism, n) for option in ranked]
        rows = [o.to_json() | {"tally_epsilon": e} for o, e in zip(ranked, tallies, strict=True)]
        data |= {"epsilon": asked[0], "options": rows, "tally_delta": DELTA}
        data["notes"] = list(ranked.notes)
        show.append(partial(_print_ranking, ranked, tallies))
    if arguments.curve:
        widths = short_curve(k, n, asked, target)
        data |= curve_json(widths)
        show.append(partial(print_curve, widths))
    if arguments.out:
        data["files"] = write_curve(as_folder(arguments.out), k, n, asked, target)
        show.append(partial(console.print_files, data["files"]))
    if arguments.json:
        show = [partial(console.print_json, data)]
    for part in show:
        part()
    return 0


def _warn(epsilon: Fraction) -> None:
    console.warn_of([caution_of(epsilon)], "plan")


def _tally_epsilon(mechanism: Mechanism, n: int) -> float:
    """Return ε of one published tally of n reports."""
    return rounded_up(shuffled_epsilon(mechanism, min(n, MOST_REPORTS), DELTA))


def _print_ranking(ranked: Plan, tallies: list[float]) -> None:
    rows = [
        [o.mechanism.name, f"{o.expected_mse:.3e}", f"± {console.percent(o.half_width)}",
         f"{o.report_bytes:,}", f"{rounded_up(tally, 3):.3f}"]
        for o, tally in zip(ranked, tallies, strict=True)
    ]  # fmt: skip
    names = ["mechanism", "expected MSE", "95 % interval", "report bytes", "tally ε"]
    if ranked[0].shrunk_mse is not None:
        names = ["mechanism", "MSE", "shrunk", "95 % interval", "bytes", "tally ε"]
        for row, option in zip(rows, ranked, strict=True):
            row.insert(2, f"{option.shrunk_mse:.3e}")
    title = f"k = {ranked.k}, n = {ranked.n:,}, ε = {float(ranked.epsilon):g}, {ranked.target}"
    console.print_table(title, names, rows)
    for note in ranked.notes:
        console.out().print(f"{note[0].upper()}{note[1:]}.")
    for option in ranked:
        if option.dominated_by:
            console.out().print(
                f"{option.mechanism.name} is dominated by {option.dominated_by}: there to be "
                "compared with."
            )
    console.out().print(
        f"tally ε: of one tally of all reports, published once, with δ = {DELTA:g};\nif {ASSUMES}."
    )


def _run_distribution(arguments: argparse.Namespace) -> int:
    _leave_out(arguments, ("k", "shares", "curve", "out"), "--low and --high say what is asked")
    edges = None
    if arguments.edges is not None:
        _leave_out(arguments, ("low", "high", "bins"), "--edges says where bins begin and end")
        edges = edges_from_text(arguments.edges)
        arguments.low, arguments.high = edges[0], edges[-1]
    for name, flag in (("low", "--low"), ("high", "--high"), ("n", "-n"), ("epsilon", "--epsilon")):
        if getattr(arguments, name) is None:
            raise DomainError(flag, "must be given", "of a distribution")
    epsilon = epsilon_from_text(arguments.epsilon)
    _warn(epsilon)
    asked = (arguments.low, arguments.high, arguments.n, epsilon, arguments.bins)
    ranked = plan_distribution(*asked, target=arguments.target, edges=edges)
    if arguments.json:
        console.print_json(ranked.to_json())
    else:
        print_distribution(ranked)
    return 0


def _run_repeated(arguments: argparse.Namespace) -> int:
    _leave_out(arguments, _NOT_REPEATED, "--rounds says what is asked")
    for name, flag in (("k", "-k"), ("n", "-n"), ("epsilon", "--epsilon")):
        if getattr(arguments, name) is None:
            raise DomainError(flag, "must be given", "with --rounds")
    k, n, rounds, covers = arguments.k, arguments.n, arguments.rounds, arguments.covers or COVERS[0]
    epsilon = epsilon_from_text(arguments.epsilon)
    _warn(epsilon)
    found = plan_repeated(k, n, epsilon, rounds, covers=covers, target=arguments.target)
    if arguments.json:
        asked = {"k": k, "n": n, "rounds": rounds, "covers": covers, "target": arguments.target}
        rows = [one.to_json() for one in found]
        console.print_json({**asked, "epsilon": float(epsilon), "options": rows})
        return 0
    title = (
        f"k = {k}, n = {n:,}, {counted(rounds, 'round')}, ε = {float(epsilon):g}, "
        f"{arguments.target}"
    )
    print_repeated(found, title, covers)
    return 0


def _run_tables(arguments: argparse.Namespace) -> int:
    _leave_out(arguments, ("k", "shares", "curve", "out"), "--sizes says what is asked")
    for name, flag in (("n", "-n"), ("epsilon", "--epsilon")):
        if getattr(arguments, name) is None:
            raise DomainError(flag, "must be given", "with --sizes")
    sizes, epsilon = sizes_from_text(arguments.sizes), epsilon_from_text(arguments.epsilon)
    order = 1
    if arguments.order is not None:
        order = as_integer(arguments.order, "--order", low=1, high=len(sizes))
    _warn(epsilon)
    ranked = plan_tables(sizes, arguments.n, epsilon, order, target=arguments.target)
    if arguments.json:
        console.print_json({**ranked.to_json(), "order": order})
    else:
        print_tables(ranked)
    return 0


def _run_words(arguments: argparse.Namespace) -> int:
    _leave_out(arguments, ("k", "shares", "curve", "out"), "--longest says what is asked")
    for name, flag in (("n", "-n"), ("epsilon", "--epsilon")):
        if getattr(arguments, name) is None:
            raise DomainError(flag, "must be given", "with --longest")
    epsilon = epsilon_from_text(arguments.epsilon)
    _warn(epsilon)
    found = plan_words(arguments.n, epsilon, arguments.longest, arguments.alphabet or "bytes")
    if arguments.json:
        console.print_json(found.to_json())
    else:
        print_words(found)
    return 0


def _leave_out(arguments: argparse.Namespace, unused: tuple[str, ...], remedy: str) -> None:
    values = {name: getattr(arguments, name) for name in unused}
    given = [name for name, value in values.items() if value is not None and value is not False]
    if given:
        flags = ", ".join("-k" if name == "k" else f"--{name}" for name in given)
        raise DomainError(flags, "must be left out", remedy)


def _run_survey(arguments: argparse.Namespace) -> int:
    unused = ("k", "sizes", "low", "high", "bins", "edges", "order", "longest", "alphabet",
              "epsilon", "shares", "curve", "out")  # fmt: skip
    _leave_out(arguments, unused, "the survey file says what is asked")
    collection = Collection.load(arguments.survey)
    newer = None
    if collection.auto < newest_auto():
        with suppress(SudareError):  # what the newer one cannot ask is no gain
            newer = Collection.load(arguments.survey, auto=newest_auto())
    survey = plan_collection(collection, arguments.n, arguments.target, newer=newer)
    console.warn_of(survey.cautions, "plan")
    if arguments.json:
        console.print_json(survey.to_json())
    else:
        print_survey(survey)
        if collection.auto < newest_auto():
            console.out().print(
                f'mechanism = "auto" is that of version {collection.auto} here; the newest is\n'
                f"{newest_auto()}, asked for by auto = {newest_auto()} in a new survey."
            )
            print_newer(survey)
    return 0
