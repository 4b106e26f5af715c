"""What columns hold by the questions of ``sudare release``, and a warning where that is a guess."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sudare.cli import console

if TYPE_CHECKING:
    from sudare.release import Dataset

_COMPARING = ("count", "histogram", "mode", "top", "bins")
"""Questions that compare a column with values of it."""

_HOLD: dict[str, tuple[str, ...]] = {
    "discover": ("any",), "logistic": ("true",),
    **dict.fromkeys(("missing", "present", "distinct", "over_rows", "over_groups", "persons"), ()),
}  # fmt: skip
_NUMBER = ("0",)
"""A value of what a column must hold for others: none for any, and numbers where nothing stands."""

_WORDS_OF_BINS = ("day", "week", "month", "drop", "ends")


def types_asked(arguments: argparse.Namespace, columns: Iterable[str]) -> dict[str, str]:
    """Return the types of those columns that the questions compare with values."""
    from sudare.release.types import types_of_questions

    pairs = [*_of_asks(arguments.ask or ()), *_of_cells(arguments.synthetic or ())]
    if arguments.sql is not None:
        pairs += _of_sql(arguments.sql)
    bounded = {text.partition("=")[0] for text in arguments.bounds}
    known = set(columns) - bounded
    return types_of_questions(one for one in pairs if one[0] in known)


def _of_asks(texts: Sequence[str]) -> Iterator[tuple[str, Any]]:
    from sudare.release import Ask

    for ask in map(Ask.parse, texts):
        if ask.column is not None:
            values = ask.values if ask.kind in _COMPARING else _HOLD.get(ask.kind, _NUMBER)
            # the first of top is how many, and bins have words after the edges
            values = values[1:] if ask.kind == "top" else values
            yield from ((ask.column, one) for one in values if one not in _WORDS_OF_BINS)
        by = [ask.by] if isinstance(ask.by, str) else ask.by or ()
        keys = [ask.keys] if isinstance(ask.by, str) else ask.keys
        for name, own in zip(by, keys, strict=True):
            yield from ((name, one) for one in own)
        for condition in () if ask.where is None else ask.where.conditions:
            yield from ((condition.column, one) for one in condition.values)


def _of_cells(texts: Sequence[str]) -> Iterator[tuple[str, Any]]:
    from sudare.release.ask import listed

    for text in texts:
        column, equals, values = text.partition("=")
        if equals:
            yield from ((column, one) for one in listed(values))


def _of_sql(text: str) -> Iterator[tuple[str, Any]]:
    from sqlglot import exp

    from sudare.release.sql import parsed

    compared = (exp.EQ, exp.NEQ, exp.In, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
    for one in parsed(text).find_all(*compared):
        literals = [child for child in one.iter_expressions() if isinstance(child, exp.Literal)]
        if isinstance(one.this, exp.Column):
            for child in literals:
                yield one.this.name, f"'{child.name}'" if child.is_string else child.name


def warn_of_guesses(db: Dataset, arguments: argparse.Namespace) -> None:
    """Say which columns of the questions have a type that is a guess."""
    from sudare.release.types import guess_in_words

    if guessed := _asked(db.guessed, arguments):
        console.warn("release", guess_in_words(guessed))


def tell_what_counts(db: Dataset, said: Iterable[str], arguments: argparse.Namespace) -> None:
    """Say of columns without a schema which of their cells are missing; no cell is looked at.

    Bounds refuse such a cell unless these are dropped. A type that a question says refuses none.

    Args:
        db: the data set.
        said: columns of text of which bounds, types or questions say what they hold.
        arguments: of the command.
    """
    from sudare.release.numbers import WHAT_COUNTS

    names, drops = set(said), arguments.missing == "drop"
    read = [
        name
        for name, kind, scale in db.columns
        if name in names and kind not in ("text", "truth") and (drops or scale is None)
    ]
    if named := _asked(read, arguments):
        console.note("release", f"{', '.join(named)}: {WHAT_COUNTS}")


def _asked(names: Iterable[str], arguments: argparse.Namespace) -> list[str]:
    """Return those columns that the questions name."""
    texts = " ".join([*(arguments.ask or ()), *(arguments.synthetic or ()), arguments.sql or ""])
    return [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", texts)]
