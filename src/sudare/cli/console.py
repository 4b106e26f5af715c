"""The terminal: tables, progress on long work, JSON for programs."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar

from sudare.errors import MissingExtraError
from sudare.exact import decimal_text

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


_SHORT, _WORD = 24, 9
"""Characters of a figure that is never broken, and to which names and heads may be folded."""

_ID = re.compile(r"\S*\b[0-9a-f]{8,16}\b\S*")
"""A word with the id of a token or a session: half of one can be given to no command."""
_FIGURE = re.compile(r"$|[–+±≤≥<>-]* *[0-9]|–")
"""How a cell begins that is a figure, or empty."""


def out(*, stderr: bool = False) -> Console:
    """Return the console for results: standard output, unless rows go there."""
    try:
        from rich.console import Console
    except ImportError:
        raise MissingExtraError("rich", "cli", "for the command line") from None
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """Print one JSON document on standard output."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


@contextmanager
def handing_over(undo: Callable[[], object]) -> Iterator[None]:
    """Run a block that prints what cannot be shown again; where it cannot, undo what made it."""
    try:
        yield
        sys.stdout.flush()
    except BaseException:
        undo()
        raise


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; the first column to the left, others to the right. Figures are never broken;
    names, and heads, are folded where the terminal is narrow, and what does not fit beside the
    first column stands below: no character is left out.
    """
    console = out()
    from rich.table import Table

    lines = list(rows)
    cells = [[line[i] for line in lines] for i in range(len(columns))]
    kept = [_Column.of(name, some) for name, some in zip(columns, cells, strict=True)]
    if _needed(one.natural for one in kept) > console.width:
        kept = [one.folded() for one in kept]
    for i, places in enumerate(_blocks([one.least for one in kept], console.width)):
        table = Table(title=None if i else title, title_justify="left", title_style="bold")
        widths = _widths([kept[place] for place in places], console.width)
        for place, width in zip(places, widths, strict=True):
            one = kept[place]
            side: Any = "right" if place else "left"
            table.add_column(
                one.head, justify=side, no_wrap=one.figures, overflow="fold", width=width
            )
        for line in lines:
            table.add_row(*(line[place] for place in places))
        console.width = max(console.width, _needed(kept[place].least for place in places))
        console.print(table)


@dataclass(frozen=True)
class _Column:
    """A column: its head, the widths of its widest cell and id, whether its cells are figures."""

    head: str
    width: int
    ids: int
    figures: bool

    @classmethod
    def of(cls, head: str, cells: Sequence[str]) -> _Column:
        from rich.cells import cell_len

        width = max(map(cell_len, cells), default=0)
        ids = max((len(word) for cell in cells for word in _ID.findall(cell)), default=0)
        figures = width <= _SHORT and all(map(_FIGURE.match, cells))
        return cls(head, width, ids if ids <= _SHORT else 0, figures)

    def folded(self) -> _Column:
        """Return the column with a head that takes little more room than the figures below it."""
        if not self.figures or not self.head:
            return self
        word = max(map(len, self.head.split()))
        return replace(self, head=fill(self.head, max(self.width, min(word, _WORD))))

    @property
    def natural(self) -> int:
        """Its width where there is room."""
        from rich.cells import cell_len

        return max(self.width, 1, *map(cell_len, self.head.split("\n")))

    @property
    def least(self) -> int:
        """The least width that leaves it readable."""
        return self.natural if self.figures else min(self.natural, max(_WORD, self.ids))


def _needed(widths: Iterable[int]) -> int:
    """Return the width of a table, with what stands between its columns."""
    return sum(width + 3 for width in widths) + 1


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """Return which columns stand beside one another, each time after the first."""
    blocks = [[0]]
    for place in range(1, len(widths)):
        beside = [widths[one] for one in (*blocks[-1], place)]
        if len(beside) > 2 and _needed(beside) > room:
            blocks.append([0])
        blocks[-1].append(place)
    return blocks


def _widths(columns: Sequence[_Column], room: int) -> list[int]:
    """Return the widths of columns beside one another; rich itself would go below the least."""
    widths = [column.least for column in columns]
    for _ in range(room - _needed(widths)):
        short = [i for i, column in enumerate(columns) if widths[i] < column.natural]
        if not short:
            break
        widths[min(short, key=widths.__getitem__)] += 1
    return widths


_LINE_SECONDS = 10.0
"""Between two lines of :func:`progress`."""


def progress(
    items: Iterable[T], total: int | None, what: str, *, quiet: bool = False, lines: bool = False
) -> Iterator[T]:
    """Yield the items and show a bar on standard error.

    Where it is not a terminal: with ``lines`` a line as the work starts and every ten seconds, else
    nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield from _lines(items, total, what) if lines and not quiet else items
        return
    console = out(stderr=True)
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("[progress.description]{task.description}"),
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total, rate="")
        start, rows = time.monotonic(), 0
        for item in items:
            yield item
            rows += getattr(item, "rows", 0)  # of what counts a part of a file
            each = rows / max(time.monotonic() - start, 1e-3)
            bar.update(task, advance=1, rate=f"{each:,.0f} rows/s" if rows else "")


def _lines(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    of = "" if total is None else f" of {total:,}"
    said = time.monotonic()
    print(f"{what}: 0{of}", file=sys.stderr, flush=True)
    for done, item in enumerate(items):
        now = time.monotonic()
        if now - said >= _LINE_SECONDS:
            print(f"{what}: {done:,}{of}", file=sys.stderr, flush=True)
            said = now
        yield item


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


def note(command: str, message: str) -> None:
    """Print one line of information on standard error."""
    print(f"sudare {command}: note: {message}", file=sys.stderr)


def warn_of(cautions: Iterable[Mapping[str, Any]], command: str, name: str = "") -> None:
    """Print a warning for each caution."""
    from sudare.collection.cautions import in_words

    for caution in cautions:
        if caution:
            warn(command, f"{name}: {in_words(caution)}" if name else in_words(caution))


def interval(
    low: float | None,
    high: float | None,
    show: Callable[[float], str],
    ends: tuple[float, float] = (0.0, 1.0),
) -> str:
    """Return an interval as far as it is possible; else on which side of that it lies."""
    from sudare.estimation.confidence import possible

    if low is None or high is None:
        return percent(None)
    if high < ends[0]:
        return f"below {show(ends[0])}"
    if low > ends[1]:
        return f"above {show(ends[1])}"
    return " … ".join(map(show, possible(low, high, ends)))


def epsilon(realised: float) -> str:
    """Return a realised ε with six decimal places, rounded down."""
    return decimal_text(Fraction(realised), 6)


def percent(share: float | None, digits: int = 2) -> str:
    """Return a share as text in per cent; a dash where it is not known."""
    return "–" if share is None else f"{100 * share:.{digits}f} %"
