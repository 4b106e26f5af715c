"""Arguments that several commands share, and what they stand for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from sudare.cli import console
from sudare.errors import DomainError
from sudare.estimation.estimate import TARGETS
from sudare.exact import Entropy, epsilon_from_text
from sudare.files.places import STANDARD, Progress
from sudare.files.tables import TABLES
from sudare.manifest import sidecars
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.registry import OR_AUTO, lookup

ENCODINGS = {
    f'encoding="{one}"': f"--encoding {one}" for one in ("shift_jis", "euc-jp", "windows-1252")
}
MISSING_CELLS = {'missing="category"': "--missing category", **ENCODINGS}

Add = Callable[..., Any]
"""As ``ArgumentParser.add_argument``, see :func:`adder`."""

SHARED: dict[str, dict[str, Any]] = {
    "file": {"help": ".csv or .tsv (both also with .gz), .jsonl or .parquet; - for standard input"},
    "--encoding": {
        "help": "of text files, like shift_jis or euc-jp (default: UTF-8, or UTF-16 with a mark)"
    },
    "--database": {
        "default": "sudare.sqlite3",
        "help": "the collector's file, or its postgresql:// address",
    },
    "--json": {"action": "store_true", "help": "print JSON instead of a table"},
    "--round": {
        "type": int,
        "help": "of a survey in rounds, its number; without it the last one with reports",
    },
    "--seed": {"help": "text to repeat the run; default: fresh randomness"},
    "--target": {
        "choices": TARGETS,
        "default": "population",
        "help": "whose shares the error is about",
    },
}
"""What arguments mean that several commands have."""


def adder(parser: argparse._ActionsContainer) -> Add:
    """Return what adds an argument to a parser: its default is told after its help.

    What is not said of an argument stands in :data:`SHARED`. Beside ``--out`` comes ``--force``,
    unless ``force=False``.
    """

    def add(name: str, **own: Any) -> argparse.Action:
        how = SHARED.get(name, {}) | own
        if name == "--out" and how.pop("force", True):
            parser.add_argument("--force", action="store_true", help="write over what --out names")
        if how.get("default") is not None and "action" not in how:
            how["help"] += " (default: %(default)s)"
        return parser.add_argument(name, **how)

    return add


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    adder(parser)("--json")


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add ``--target``."""
    adder(parser)("--target")


def add_column(
    parser: argparse.ArgumentParser, *, several: bool = False, survey: bool = False
) -> None:
    """Add the file and what is to be done with its column (or several), row by row.

    Of a command that takes a survey file instead, nothing else is required.
    """
    add = adder(parser)
    add("file")
    one, spent = "the column to randomise", "ε of each answer, 0.001 to 20"
    if several:
        which = adder(parser.add_mutually_exclusive_group(required=True))
        which("--column", help=one)
        which("--columns", help="several columns, by commas (JointRR)")
        spent += "; of several columns one for all, or one a column"
    else:
        add("--column", required=not survey, help=one)
    add("--epsilon", required=not survey, help=spent)
    known = ", ".join(names(FrequencyOracle))
    parser.add_argument("--mechanism", default="auto", help=f"auto or one of {known}")
    told = "what an empty cell is"
    add("--missing", choices=("refuse", "category"), default="refuse", help=told)
    add("--encoding")
    add("--seed")


def tell_form(command: str, path: str, encoding: str | None) -> None:
    """Say on standard error what was found from a table's head, such as its separator."""
    from sudare.files.blocks import note_of
    from sudare.files.stores import is_uri

    note = None if is_uri(path) or Path(path).is_dir() else note_of(path, encoding)
    if note is not None:
        console.note(command, note)


def columns_from_text(text: str) -> tuple[str, ...]:
    """Return the columns of ``a,b,c``."""
    names = tuple(text.split(","))
    if len(names) < 2 or len(set(names)) < len(names) or "" in names:
        raise DomainError("--columns", "must name at least two columns, each once")
    return names


def mechanism(name: str, k: int, epsilon: Fraction) -> FrequencyOracle:
    """Return the mechanism of that name, or the best one for ``auto``."""
    if name == "auto":
        return rank(k, epsilon, 1, "respondents")[0][1]  # the order is that of every n
    return lookup(name, FrequencyOracle, OR_AUTO)(k, epsilon)


def epsilons_of(text: str, columns: int) -> list[Fraction]:
    """Return ε of each column alone, from one number for all or one for each."""
    epsilons = [epsilon_from_text(one, "--epsilon") for one in text.split(",")]
    epsilons = epsilons * columns if len(epsilons) == 1 else epsilons
    if len(epsilons) != columns:
        raise DomainError("--epsilon", f"must be one number, or {columns}: one a column")
    return epsilons


def entropy(seed: str | None) -> Entropy:
    """Return the stream that ``--seed`` asks for."""
    if seed is None:
        return Entropy.system()
    return Entropy.seeded(seed.encode(errors="surrogateescape"))


def entropy_label(seed: str | None) -> str:
    """Return what a manifest says of the stream."""
    return "operating system" if seed is None else f"seeded({seed!a})"


def progress(arguments: argparse.Namespace, *, lines: bool = False) -> Progress:
    """Return what shows how far a work is: nothing for programs.

    ``lines`` tells of it also where no terminal shows a bar: for work of minutes.
    """
    return partial(console.progress, quiet=arguments.json, lines=lines)


def refuse_json_beside_rows(arguments: argparse.Namespace) -> None:
    """Refuse ``--json`` where rows go to standard output."""
    if arguments.json and arguments.out == STANDARD:
        raise DomainError("--json", "and --out - write to one place", "leave one of them out")


def refuse_existing(out: str | None) -> None:
    """Refuse to write over a file, or into a folder with files, without ``--force``."""
    if out is None or out == STANDARD:
        return
    path = Path(out)
    # a hidden manifest whose file is gone is replaced: 'rm folder/*' and 'ls' do not show it
    for file in (path, sidecars(path)[1]):
        if file.is_file() or file.is_symlink():
            remedy = "name another one, or give --force to write over it"
            raise DomainError("--out", "must not exist yet", remedy, got=str(file))
    if path.is_dir() and any(path.iterdir()):
        remedy = "name another one, or give --force to write over files of the same names"
        raise DomainError("--out", "must be a new folder, or an empty one", remedy, got=out)


def as_folder(text: str) -> Path:
    """Return the path of a folder, there or not yet; DomainError for the name of a file."""
    path = Path(text)
    if path.is_file() or (path.suffix in (*TABLES, ".gz") and not path.is_dir()):
        raise DomainError("--out", "must be a folder", "the files in it have fixed names", got=text)
    return path
