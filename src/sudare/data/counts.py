"""Count tables small enough to ship, each with its provenance."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

CLICKSTREAM = (
    "M. Łapczyński, S. Białowąs: Clickstream data for online shopping. UCI Machine Learning "
    "Repository, 2019, doi:10.24432/C5QK7X. CC BY 4.0."
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
    """Return what a manifest says about the table that ships."""
    content = files("sudare.data").joinpath("trousers.csv").read_bytes()
    return {
        "file": "sudare/data/trousers.csv",
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "licence": "CC BY 4.0",
        "cite": trousers().attribution,
    }


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
