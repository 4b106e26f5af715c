"""Start a collector on an SQLite file, let the 49,742 trouser clicks of a public data set
answer through the Python client over HTTP, compare true with estimated shares, and leave the pages
open.

example: sudare demo --exit
"""

from __future__ import annotations

import argparse
import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import numpy as np

from sudare.cli import console, options
from sudare.cli.answering import HonestReports
from sudare.cli.serve import addresses, print_addresses
from sudare.cli.shares import print_comparison
from sudare.collection import Client, Collection, Submission, send_batch
from sudare.data import CountTable, trousers
from sudare.estimation import Counts
from sudare.exact import Entropy
from sudare.exact.entropy import as_entropy
from sudare.files.shares import records
from sudare.manifest import write_manifest
from sudare.mechanisms import FrequencyOracle

_BATCH = 1000
_DRINKERS = 1000
"""Made-up people who answer the tea survey before the visitor: shares are within some 5 points."""

_TEAS = {"oi-ocha": 30, "iyemon": 22, "ayataka": 20, "nama-cha": 16, "meidai-cha": 12}
"""What they drink, in per cent."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("--exit", action="store_true", help="end after the printout")
    add("--out", default="sudare-demo", force=False, help="folder of database and picture")
    add("--port", type=int, default=8750, help="port")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Collect, estimate, print, draw, and wait."""
    from sudare.collector import BackgroundCollector

    started = time.monotonic()
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / "demo.sqlite3"
    for old in (database, *folder.glob("demo.sqlite3-*")):
        old.unlink(missing_ok=True)  # each demonstration starts from nothing
    survey, tea = load("trousers.toml"), load("tea.toml")
    truth = trousers()
    rng = as_entropy(None)
    with BackgroundCollector([survey, tea], database, port=arguments.port) as collector:
        for batch in batches(survey, truth, rng, quiet=arguments.json):
            send_batch(collector.url, batch)
        send_batch(collector.url, drinkers(tea, rng))
        _show(arguments, folder, survey, truth, collector.url, started)
        if not arguments.json:
            print_addresses(collector.url, [survey, tea])
        if not arguments.exit:
            console.out().print(
                f"Answer the tea survey yourself, after {_DRINKERS:,} made-up people. "
                "Ctrl-C ends the demonstration."
            )
            threading.Event().wait()


def load(name: str) -> Collection:
    """Return one of the collections that ship with the demonstration."""
    text = files("sudare.data").joinpath(name).read_text(encoding="utf-8")
    return Collection.from_toml(text)


def drinkers(tea: Collection, rng: Entropy) -> list[Submission]:
    """Return the submissions of made-up people: of a visitor's alone nothing could be read."""
    (question,) = tea.questions
    crowd = HonestReports(tea, rng, {question.id: list(_TEAS.items())})
    return [crowd.submission() for _ in range(_DRINKERS)]


def batches(
    survey: Collection, truth: CountTable, rng: Entropy, *, quiet: bool
) -> Iterator[list[Submission]]:
    """Yield the submissions of one device a respondent, by the thousand, in a random order.

    People who came by their answers would look made up: the first thousand all saw one model.
    """
    question = survey.questions[0]
    people = np.repeat(np.arange(len(truth.counts)), truth.counts)
    rng.generator().shuffle(people)
    starts = range(0, people.size, _BATCH)
    for start in console.progress(starts, len(starts), "answering", quiet=quiet):
        yield [
            Client(survey).answer({question.id: truth.categories[person].lower()})
            for person in people[start : start + _BATCH]
        ]


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 - our own collector
        return json.load(answer)


def _show(
    arguments: argparse.Namespace,
    folder: Path,
    survey: Collection,
    truth: CountTable,
    url: str,
    started: float,
) -> None:
    from sudare.plots import compare_shares

    question = survey.questions[0]
    stored = _get(f"{url}/api/v1/collections/{survey.name}/counts")
    counts = Counts.from_json(json.dumps(stored["questions"][question.id]))
    oracle = cast(FrequencyOracle, question.mechanism)  # the demo asks for one of k choices
    estimate = oracle.estimate(counts, target="respondents")
    true_shares = np.array(truth.counts) / truth.n
    epsilon = float(survey.epsilon)
    title = f"{truth.n:,} randomised answers, ε = {epsilon:g} ({question.mechanism.name})"
    picture = compare_shares(
        folder / "demo.png", truth.categories, estimate, true_shares.tolist(), title=title
    )
    parameters = {"collection": survey.name, "fingerprint": survey.fingerprint, "n": counts.n}
    write_manifest(folder / "manifest.json", "demo", parameters, "operating system")
    seconds = time.monotonic() - started
    if arguments.json:
        console.print_json(
            {
                "n": estimate.n,
                "epsilon": estimate.epsilon,
                "mechanism": question.mechanism.to_json(),
                "warnings": list(estimate.warnings),
                "seconds": round(seconds, 1),
                "cells": records(truth.categories, estimate, true_shares),
                "picture": str(picture),
                **addresses(url, [survey]),
            }
        )
        return
    print_comparison(title, truth.categories, true_shares, estimate)
    screen = console.out()
    screen.print(f"The collector saw randomised reports alone. {seconds:.1f} s. Picture: {picture}")
    screen.print(f"Data: {truth.attribution}")
