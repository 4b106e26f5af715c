"""Rent the Runway (UC San Diego): how many people rated each item of clothing, and how."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from sudare.arrays import Floats
from sudare.data.files import DataFile, as_text, locate
from sudare.exact import as_integer
from sudare.progress import Progress, no_progress

CLOTHING = (
    "R. Misra, M. Wan, J. McAuley: Decomposing fit semantics for product size recommendation in "
    "metric spaces. RecSys 2018, doi:10.1145/3240323.3240398. Rent the Runway, UC San Diego."
)
LICENCE = "no licence is named by the provider; cite the paper"
PEOPLE = 105_508
"""People with at least one rating, of 5,850 items altogether."""
ITEMS = 5_850
RATINGS = (2, 4, 6, 8, 10)
COUNTS = "fab1cc4a2880de3c3bbbf1e13373d04fd36c2587f4c34b9297457384dc5f005e"
"""SHA-256 of the counts as text: a header, then a line an item, by number."""

Row = tuple[int, ...]
"""Item, people, and how many gave each rating."""


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """How many people hold each key, and the mean of their values; nothing of single people.

    Attributes:
        keys: names of the d keys.
        n: number of people.
        frequency: (d,) share of the people who hold each key.
        mean: (d,) mean of the holders' values, in [-1, 1].
        attribution: whom to credit.
        licence: what one may do with the data.
    """

    keys: tuple[str, ...]
    n: int
    frequency: Floats
    mean: Floats
    attribution: str
    licence: str


def clothing(
    items: int = 50, *, download: bool = False, progress: Progress = no_progress
) -> KeyCounts:
    """Return how many of 105,508 people rated each of the most rated items, and the mean rating.

    A rating of 2 is -1, one of 10 is +1. Reads the counts ``renttherunway_item_counts.csv.gz``, or
    counts the provider's ratings, which must give these same counts: people with several ratings
    of an item count once, ratings left open not at all.

    Args:
        items: how many, the most rated ones first (2 to 5,850); of equals the lower number.
        download: fetch the provider's ratings when neither is here.
        progress: shows how far a download has come.

    Raises:
        WrongTypeError, DomainError: no such number of items.
        StorageError: no file, a wrong one, or a download that fails.
    """
    many = as_integer(items, "items", low=2, high=ITEMS)
    form, path = locate(EXTRACT, ORIGINAL, download=download, progress=progress)
    table = _read(path) if form is EXTRACT else _count(path)
    rows = sorted(table, key=lambda row: (-row[1], row[0]))[:many]
    people = np.array([row[1] for row in rows])
    counts = np.array([row[2:] for row in rows])
    values = (np.array(RATINGS) - 6) / 4
    keys = tuple(str(row[0]) for row in rows)
    return KeyCounts(keys, PEOPLE, people / PEOPLE, counts @ values / people, CLOTHING, LICENCE)


def _read(path: Path) -> list[Row]:
    with as_text(path) as text:
        return [tuple(map(int, row)) for row in list(csv.reader(text))[1:]]


def _count(path: Path) -> list[Row]:
    """Count the provider's ratings, a JSON object a line; of several of a pair one counts.

    Which one is not recorded: the first or the last, whichever gives the recorded counts.
    """
    pairs: dict[tuple[str, int], list[int]] = {}
    with as_text(path) as lines:
        for line in lines:
            row = json.loads(line)
            if row["rating"] is not None:
                pair = (row["user_id"], int(row["item_id"]))
                pairs.setdefault(pair, []).append(int(row["rating"]))
    rows: list[Row] = []
    for which in (0, -1):
        rows = _table((item, ratings[which]) for (_, item), ratings in pairs.items())
        if _sha256(rows) == COUNTS:
            break
    return rows


def _table(ratings: Iterable[tuple[int, int]]) -> list[Row]:
    counts = Counter(ratings)
    items = sorted({item for item, _ in counts})
    rows = ((item, [counts[item, rating] for rating in RATINGS]) for item in items)
    return [(item, sum(each), *each) for item, each in rows]


def _sha256(rows: Iterable[Row]) -> str:
    head = ("item_id", "users", *(f"rated_{rating}" for rating in RATINGS))
    text = "".join(f"{','.join(map(str, row))}\n" for row in (head, *rows))
    return hashlib.sha256(text.encode()).hexdigest()


def _digest_of_counts(path: Path) -> str:
    try:
        return _sha256(_count(path))
    except (gzip.BadGzipFile, EOFError, zlib.error, ValueError, TypeError, KeyError):
        return "no ratings, a JSON object a line"


_file = partial(DataFile, size=None, url="", licence=LICENCE, cite=CLOTHING)
EXTRACT = _file(
    "renttherunway_item_counts.csv.gz",
    "e8c90c2d96672fcb73bccd1734e98bf0eaa10ca670b3e74d052df2a4be1b1f07",
)
"""The counts alone."""
ORIGINAL = _file(
    "renttherunway_final_data.json.gz",
    COUNTS,
    url="https://mcauleylab.ucsd.edu/public_datasets/data/renttherunway/"
    "renttherunway_final_data.json.gz",
    digest=_digest_of_counts,
)
"""The provider's ratings; the checksum is that of the counts made of them."""
