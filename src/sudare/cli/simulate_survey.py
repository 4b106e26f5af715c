"""``sudare simulate`` of a survey file: so many made-up people, and what would be published."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sudare.cli import console, options
from sudare.cli.options import as_folder
from sudare.collection import Collection, simulate
from sudare.collection.figures import question_json
from sudare.definitions import load
from sudare.errors import DomainError, counted
from sudare.exact.entropy import Entropy
from sudare.manifest import write_manifest

CONFIDENCE = 0.95


def run(arguments: argparse.Namespace) -> None:
    """Draw the counts, estimate, print or write."""
    if arguments.n is None:
        raise DomainError("-n", "must be given", "say how many answer, such as -n 1000000")
    for name in ("column", "epsilon"):
        if getattr(arguments, name) is not None:
            raise DomainError(f"--{name}", "must be left out", "the survey file says what is asked")
    collection = Collection.load(arguments.file)
    truth = None
    if arguments.truth is not None:
        truth = load(arguments.truth, "--truth", _read, DomainError)
    results: dict[str, Any] = {
        "name": collection.name,
        "fingerprint": collection.fingerprint,
        "n": arguments.n,
    }
    rng, rounds = options.entropy(arguments.seed), _rounds(collection, truth)
    made = [_questions(collection, arguments.n, one, rng) for one in rounds]
    if collection.repeats is None:
        results["questions"] = made[0]
    else:
        results["rounds"] = [
            {"round": number, "questions": one} for number, one in enumerate(made, 1)
        ]
    files: list[str] = []
    if arguments.out:
        files = [str(path) for path in _written(as_folder(arguments.out), arguments, results)]
    if arguments.json:
        console.print_json({**results, "files": files})
        return
    rows = [
        (f"{number}", one["id"], one["mechanism"]["name"], f"{one['asked_of']:,}",
         f"± {max(_halves(one), default=math.nan):.2g}")
        for number, questions in enumerate(made, 1)
        for one in questions
    ]  # fmt: skip
    columns = ("round", "question", "mechanism", "asked of", "widest 95 % interval")
    first = collection.repeats is None  # there is no column of rounds
    console.print_table(
        f"{collection.name}: {counted(arguments.n, 'made-up respondent')}",
        columns[first:],
        [row[first:] for row in rows],
    )
    console.print_files(files)


def _rounds(collection: Collection, truth: Any) -> list[Any]:
    """Return what people hold in each round: of one that is asked once, in one."""
    count = 1 if collection.repeats is None else collection.repeats.rounds
    if not isinstance(truth, list):
        return [truth] * count
    if len(truth) != count or collection.repeats is None:
        rule = f"must be one table for each of {counted(count, 'round')}, or one for all"
        raise DomainError("--truth", rule, "a survey without repeats takes one table alone")
    return truth


def _questions(collection: Collection, n: int, truth: Any, rng: Entropy) -> list[dict[str, Any]]:
    """Return what would be published of n people."""
    made = simulate(collection, n, truth, rng=rng)
    counts = tuple(one.counts for one in made.values())
    return [
        question_json(collection, i, counts, target="population", confidence=CONFIDENCE)
        | {"asked_of": made[question.id].asked}
        for i, question in enumerate(collection.questions)
    ]


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise DomainError("--truth", "must be JSON") from None


def _written(folder: Path, arguments: argparse.Namespace, results: dict[str, Any]) -> list[Path]:
    """Write what would be published, and the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.json"
    path.write_text(json.dumps(results, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    parameters = {name: results[name] for name in ("name", "fingerprint", "n")}
    label = options.entropy_label(arguments.seed)
    return [path, write_manifest(folder / "manifest.json", "simulate", parameters, label)]


def _halves(value: Any) -> Iterator[float]:
    """Yield half the width of every interval, in the unit of its figure."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _halves(one)
    elif isinstance(value, dict):
        low, high = value.get("low"), value.get("high")
        if isinstance(low, float) and isinstance(high, float):
            yield (high - low) / 2
        for one in value.values():
            yield from _halves(one)
