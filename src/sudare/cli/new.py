"""Write a survey file to begin with: a question of each type, ready to be served and changed.

example: sudare new tea.toml --question choice --question number --languages en,ja
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sudare.cli import console, options
from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collection.drafting import draft
from sudare.collection.questions import question_types
from sudare.exact import epsilon_from_text
from sudare.files.replacing import creating

REMEDIES = {"types must": "--question must"}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    types = ", ".join(name for name, cls in question_types().items() if cls.template)
    add = options.adder(parser)
    add("file", metavar="survey.toml", help="what to write; it must not exist yet")
    add("--question", action="append", default=[], metavar="TYPE",
        help=f"type of a question, one after another: {types} (default: choice)")  # fmt: skip
    add("--name", help="of the survey, in its address (default: that of the file)")
    add("--languages", default="en", help="of the respondents, such as en,ja")
    add("--epsilon", default="2", help="of a person's whole submission")
    add("--respondents", type=int, default=1000, help="about how many are expected")
    add(
        "--rounds",
        type=int,
        default=0,
        help="how often it is asked, each week from today on; 0: once",
    )


def run(arguments: argparse.Namespace) -> None:
    """Write the file, and say what comes next."""
    path = Path(arguments.file)
    text = draft(
        arguments.name or path.stem,
        arguments.question or ["choice"],
        languages=arguments.languages.split(","),
        epsilon=epsilon_from_text(arguments.epsilon, "--epsilon"),
        respondents=arguments.respondents,
        rounds=arguments.rounds,
        opens=utc_now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0),
    )
    Collection.from_toml(text)  # rounds are not for every type of question
    with creating(path, "file") as part:
        part.write_text(text, encoding="utf-8")
    console.print_files([str(path)])
    following = (f"  sudare {command} {path}" for command in ("check", "plan", "serve"))
    console.out().print("\n".join(["Change its words, then:", *following]))
