"""``sudare plan``: which mechanism, and how accurate, before anything is collected."""

from __future__ import annotations

import argparse
from typing import Any

from sudare.cli import console, options
from sudare.exact import epsilon_from_text
from sudare.planning import plan


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "plan",
        help="rank the mechanisms for k categories, n respondents and ε",
        description="Rank the mechanisms by exact expected error.",
        epilog="example: sudare plan -k 43 -n 49742 --epsilon 2",
    )
    parser.add_argument("-k", type=int, required=True, help="number of categories")
    parser.add_argument("-n", type=int, required=True, help="number of respondents")
    parser.add_argument("--epsilon", required=True, help="ε of the answer, 0.001 to 20")
    parser.add_argument(
        "--target",
        choices=("population", "respondents"),
        default="population",
        help="whose shares the error is about (default: %(default)s)",
    )
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan."""
    ranked = plan(arguments.k, arguments.n, epsilon_from_text(arguments.epsilon), arguments.target)
    if arguments.json:
        console.print_json(
            {
                "k": ranked.k,
                "n": ranked.n,
                "epsilon": float(ranked.epsilon),
                "target": ranked.target,
                "options": [option.to_json() for option in ranked],
            }
        )
        return 0
    console.print_table(
        f"k = {ranked.k}, n = {ranked.n:,}, ε = {float(ranked.epsilon):g}, {ranked.target}",
        ("mechanism", "expected MSE", "95 % interval", "report bytes"),
        [
            (o.mechanism.name, f"{o.expected_mse:.3e}", f"± {console.percent(o.half_width)}",
             f"{o.report_bytes:,}")
            for o in ranked
        ],
    )  # fmt: skip
    return 0
