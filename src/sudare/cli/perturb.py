"""Randomise every row of a column as its own respondent, and write the reports and nothing else
of the file: neither the true values nor other columns. Of several columns each is randomised on its
own; their reports stay side by side for 'sudare tables'.

example: sudare perturb people.csv --column region --epsilon 1 --categories north,south,west --out
reports.csv
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.cli import console, options
from sudare.errors import DomainError, counted
from sudare.exact import Entropy, epsilon_from_text
from sudare.files.columns import MISSING, Column, categories_from_file, check_categories
from sudare.files.places import STANDARD, Progress, ending, no_progress
from sudare.files.reports import Written, write_reports
from sudare.mechanisms import FrequencyOracle, JointRR

REMEDIES = options.MISSING_CELLS
_FOUND = (
    "the categories are read from the data: their list tells that somebody gave each of them; "
    "fix it beforehand (--categories) where that must not be known"
)
_BYTES = 1 << 24
"""Bytes of reports that are in memory at a time."""

_SEEDED = (
    "seeded reports protect nobody: who knows the seed can undo the noise; leave --seed out to "
    "protect people"
)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    options.add_column(parser, several=True)
    listed = options.adder(parser.add_mutually_exclusive_group(required=True))
    often = {"action": "append"}
    each = "for several columns once for each"
    listed("--categories", **often, help=f"the categories, separated by commas; {each}")
    listed("--categories-file", **often, help=f"a text file with one category a line; {each}")
    listed(
        "--categories-from-data",
        action="store_true",
        help="take the categories that occur; their list then looks at the data",
    )
    add = options.adder(parser)
    add(
        "--out",
        required=True,
        help="file of reports: .csv, .csv.gz, .jsonl or .parquet; - for CSV to standard output",
    )
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Randomise block by block; write reports and manifest, or nothing."""
    options.refuse_json_beside_rows(arguments)
    several = arguments.columns is not None
    names = options.columns_from_text(arguments.columns) if several else (arguments.column,)
    ending(arguments.out, "--out")
    columns = _columns(arguments, names)
    out = Path(arguments.out)
    if arguments.out != STANDARD and out.exists() and _same(out, arguments.file):
        raise DomainError("--out", "must be another file than the input", got=str(out))
    rng = options.entropy(arguments.seed)
    if arguments.seed is not None:
        console.warn("perturb", _SEEDED)
    mechanism = _joint(arguments, columns) if several else _one(arguments, columns[0])
    listed = [column.categories for column in columns]
    done = write_reports(
        arguments.out,
        mechanism,
        _perturbed(mechanism, columns, rng, options.progress(arguments)),
        categories=listed if several else listed[0],
        columns=names,
        about={"file": Path(arguments.file).name} | ({} if several else {"column": names[0]}),
        # the manifest travels with the reports: it never names the seed
        entropy="operating system" if arguments.seed is None else "seeded: protects nobody",
    )
    if arguments.json:
        console.print_json({**done.parameters, "files": list(done.files)})
        return
    _say(mechanism, done, several=several)


def _same(out: Path, file: str) -> bool:
    return file != STANDARD and out.samefile(file)


def _one(arguments: argparse.Namespace, column: Column) -> FrequencyOracle:
    epsilon = epsilon_from_text(arguments.epsilon)
    return options.mechanism(arguments.mechanism, len(column.categories), epsilon)


def _perturbed(
    mechanism: FrequencyOracle | JointRR, columns: list[Column], rng: Entropy, progress: Progress
) -> Iterator[npt.NDArray[Any]]:
    """Yield the reports of the rows, block by block, of so many bytes at most; one bar for all."""
    most = max(1, _BYTES // mechanism.report_bytes)
    shown = [progress, *[no_progress] * (len(columns) - 1)]
    blocks = [one.blocks("randomising", show) for one, show in zip(columns, shown, strict=True)]
    for values in zip(*blocks, strict=True):
        rows = np.stack(values, axis=1) if isinstance(mechanism, JointRR) else values[0]
        for start in range(0, len(rows), most):
            yield mechanism.perturb(rows[start : start + most], rng=rng)


def _say(mechanism: FrequencyOracle | JointRR, done: Written, *, several: bool) -> None:
    screen = console.out(stderr=not done.files)  # where the reports are on standard output
    what = f"{counted(len(done.parameters['columns']), 'column')}" if several else repr(mechanism)
    text = (
        f"{counted(done.parameters['n'], 'report')} of {what}. Each respondent spent ε = "
        f"{console.epsilon(mechanism.epsilon)} on {mechanism.covers}"
    )
    if isinstance(mechanism, JointRR):
        each = ", ".join(console.epsilon(epsilon) for epsilon in mechanism.attribute_epsilons)
        text += f"; on each column alone: {each}"
    screen.print(f"{text}.")
    console.print_files(done.files)


def _joint(arguments: argparse.Namespace, columns: list[Column]) -> JointRR:
    """Return the mechanism of several columns."""
    epsilons = options.epsilons_of(arguments.epsilon, len(columns))
    if arguments.mechanism not in ("auto", JointRR.name):
        raise DomainError(
            "--mechanism", f"must be {JointRR.name} for several columns", got=arguments.mechanism
        )
    return JointRR([len(column.categories) for column in columns], epsilon=epsilons)


def _columns(arguments: argparse.Namespace, names: tuple[str, ...]) -> list[Column]:
    path, missing, encoding = arguments.file, arguments.missing, arguments.encoding
    options.tell_form("perturb", path, encoding)
    if arguments.categories_from_data:
        console.warn("perturb", _FOUND)
        how: Any = {"encoding": encoding, "progress": options.progress(arguments)}
        found = [Column.found(path, name, missing, **how) for name in names]
        listed = [column.categories for column in found]
    elif arguments.categories_file is not None:
        files = arguments.categories_file
        listed = [categories_from_file(file, "--categories-file") for file in files]
    else:
        texts = [tuple(text.split(",")) for text in arguments.categories]
        for label in (label for text in texts for label in text if label != label.strip()):
            rule = "must have no blanks around a category"
            remedy = "write north,south; --categories-file takes categories with blanks"
            raise DomainError("--categories", rule, remedy, got=label)
        listed = [check_categories(one, "--categories") for one in texts]
    if len(listed) != len(names):
        raise DomainError(
            "--categories", "must be given once for each column", "in the order of the columns"
        )
    if missing == "category":  # whether anybody is missing or not
        listed = [one if MISSING in one else (*one, MISSING) for one in listed]
    return [
        Column(path, name, categories, missing, encoding)
        for name, categories in zip(names, listed, strict=True)
    ]
