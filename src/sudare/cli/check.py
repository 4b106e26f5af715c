"""Check a survey file before it is served: refuse what is wrong, warn of what is unwise.

example: sudare check survey.toml
"""

from __future__ import annotations

import argparse

from sudare.cli import console, options
from sudare.collection import Collection
from sudare.collection.checking import advice
from sudare.exact import decimal_text


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("collection", metavar="survey.toml", help="definition file")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Read the file, and say what was found."""
    collection = Collection.load(arguments.collection)
    Collection.from_compiled(collection.compiled())  # what each device checks
    told = [one.text for one in advice(collection)]
    if arguments.json:
        questions = {one.id: one.type for one in collection.questions}
        console.print_json(
            {
                "name": collection.name,
                "fingerprint": collection.fingerprint,
                "epsilon": decimal_text(collection.epsilon),
                "languages": collection.languages,
                "questions": questions,
                "warnings": told,
            }
        )
        return
    for one in told:
        console.warn("check", one)
    number = len(collection.questions)
    shared = [f"ε = {decimal_text(collection.epsilon)}"] if collection.epsilon else []
    own = [
        f"ε = {decimal_text(one.epsilon)} for each {one.unit.distance} ({one.id})"
        for one in collection.questions
        if one.unit.own_budget
    ]
    console.out().print(
        f"{collection.name}: {number} question{'s' * (number > 1)}, "
        f"{', '.join([*shared, *own, *collection.languages])}; "
        f"fingerprint {collection.fingerprint[:12]}\n"
        f"{'It can be served.' if not told else 'It can be served; look at the warnings first.'}"
    )
