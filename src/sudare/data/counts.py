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


def trousers_provenance() -> dict[str, Any]:
    """Return what a manifest says about the table of trousers that ships."""
    return _provenance("trousers.csv", trousers().attribution)


def adult_provenance() -> dict[str, Any]:
    """Return what a manifest says about the table of people that ships."""
    return _provenance("adult.csv", f"{ADULT} Complete rows by age and race.")


def _provenance(name: str, cite: str) -> dict[str, Any]:
    content = files("sudare.data").joinpath(name).read_bytes()
    return {
        "file": f"sudare/data/{name}",
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "licence": "CC BY 4.0",
        "cite": cite,
    }


def adult_table() -> Integers:
    """Return the 45,222 complete rows of Adult, counted by age (16 classes) and race (5).

    The same as ``adult(("age", "race")).table``, without a file.

    Examples:
        >>> adult_table().shape, int(adult_table().sum())
        ((16, 5), 45222)
    """
    text = files("sudare.data").joinpath("adult.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(text.splitlines()[1:]))
    return np.array([[int(count) for count in row[1:]] for row in rows], dtype=np.int64)


def trousers() -> CountTable:
    """Return the 49,742 clicks on 43 trouser models of the clickstream data set.

    The rows are clicks of 13,082 sessions, not purchases by different people; each row is
    treated as a respondent.

    Examples:
        >>> trousers().n, len(trousers().categories)
        (49742, 43)
    """
    text = files("sudare.data").joinpath("trousers.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return CountTable(
        categories=tuple(row["model"] for row in rows),
        counts=tuple(int(row["count"]) for row in rows),
        attribution=f"{CLICKSTREAM} Counts of the 43 models of the category trousers.",
    )
