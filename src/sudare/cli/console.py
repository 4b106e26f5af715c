"""The terminal: tables, progress on long work, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from sudare.errors import MissingExtraError
from sudare.exact import decimal_text

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


_SHORT = 24
"""Characters of a cell that is never broken."""


def out(*, stderr: bool = False) -> Console:
    """Return the console for results: standard output, unless rows go there."""
    try:
        from rich.console import Console
    except ImportError:
        raise MissingExtraError("rich", "cli", "for the command line") from None
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """Print one JSON document on standard output."""
    json.dump(data, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; the first column to the left and whole, numbers to the right, long text
    folded where the terminal is narrow.
    """
    console = out()
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    lines = list(rows)
    for i, name in enumerate(columns):
        longest = max((len(line[i]) for line in lines), default=0)
        table.add_column(
            name,
            justify="left" if i == 0 else "right",
            no_wrap=longest <= _SHORT,
            overflow="fold",
            min_width=longest if i == 0 and longest <= _SHORT else None,
        )
    for line in lines:
        table.add_row(*line)
    console.print(table)


def progress(
    items: Iterable[T], total: int | None, what: str, *, quiet: bool = False
) -> Iterator[T]:
    """Yield the items and show a bar on standard error (nothing where it is not a terminal)."""
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    console = out(stderr=True)
    from rich.progress import track

    yield from track(items, description=what, total=total, console=console, transient=True)


@contextmanager
def working(what: str, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show on standard error that work goes on; yields what changes the words (no bar: of unknown
    length). Nothing where it is not a terminal.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    with out(stderr=True).status(what) as status:
        yield status.update


def print_files(names: Iterable[str]) -> None:
    """Say which files were written."""
    for name in names:
        out().print(f"wrote {name}")


def warn(command: str, message: str) -> None:
    """Print one line of warning on standard error."""
    print(f"sudare {command}: warning: {message}", file=sys.stderr)


def warn_of(cautions: Iterable[Mapping[str, Any]], command: str, name: str = "") -> None:
    """Print a warning for each caution."""
    from sudare.collection.cautions import in_words

    for caution in cautions:
        if caution:
            warn(command, f"{name}: {in_words(caution)}" if name else in_words(caution))


def epsilon(realised: float) -> str:
    """Return a realised ε with six decimal places, rounded down."""
    return decimal_text(Fraction(realised), 6)


def percent(share: float | None, digits: int = 2) -> str:
    """Return a share as text in per cent; a dash where it is not known."""
    return "–" if share is None else f"{100 * share:.{digits}f} %"
