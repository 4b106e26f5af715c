"""Count tables small enough to ship, each with its provenance."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from sudare.arrays import Integers

CLICKSTREAM = (
    "M. Łapczyński, S. Białowąs: Clickstream data for online shopping. UCI Machine Learning "
    "Repository, 2019, doi:10.24432/C5QK7X. CC BY 4.0."
)
ADULT = (
    "B. Becker, R. Kohavi: Adult. UCI Machine Learning Repository, 1996, doi:10.24432/C5XW20. "
    "CC BY 4.0."
)
_CITES = {
    "trousers.csv": f"{CLICKSTREAM} Counts of the 43 models of the category trousers.",
    "adult.csv": f"{ADULT} Complete rows by age and race.",
}


@dataclass(frozen=True, slots=True)
class CountTable:
    """How many respondents gave each answer, and where the figures come from."""

    categories: tuple[str, ...]
    counts: tuple[int, ...]
    attribution: str

    @property
    def n(self) -> int:
        """Number of respondents."""
        return sum(self.counts)


def provenance_of(name: str) -> dict[str, Any]:
    """Return what a manifest says about a table that ships, ``trousers.csv`` or ``adult.csv``."""
    content = _content(name)
    return {
        "file": f"sudare/data/{name}",
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "licence": "CC BY 4.0",
        "cite": _CITES[name],
    }


def _content(name: str) -> bytes:
    return files("sudare.data").joinpath(name).read_bytes()


def _rows(name: str) -> list[list[str]]:
    """Return the rows below the header."""
    return list(csv.reader(_content(name).decode().splitlines()))[1:]


def adult_table() -> Integers:
    """Return the 45,222 complete rows of Adult, counted by age (16 classes) and race (5).

    The same as ``adult(("age", "race")).table``, without a file.

    Examples:
        >>> adult_table().shape, int(adult_table().sum())
        ((16, 5), 45222)
    """
    return np.array([row[1:] for row in _rows("adult.csv")]).astype(np.int64)


def trousers() -> CountTable:
    """Return the 49,742 clicks on 43 trouser models of the clickstream data set.

    The rows are clicks of 13,082 sessions, not purchases by different people; each row is
    treated as a respondent.

    Examples:
        >>> trousers().n, len(trousers().categories)
        (49742, 43)
    """
    models, counts = zip(*_rows("trousers.csv"), strict=True)
    return CountTable(models, tuple(map(int, counts)), _CITES["trousers.csv"])
