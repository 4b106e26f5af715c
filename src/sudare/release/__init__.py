"""Releases from data that a trusted holder has: exact noise, bounds, a ledger that pays."""

from sudare.release.accuracy import bound_of, epsilon_for
from sudare.release.ask import Ask, batch
from sudare.release.consistency import consistent
from sudare.release.crosstabs import agreeing
from sudare.release.dataset import Dataset, Groups
from sudare.release.definition import Definition
from sudare.release.hierarchy import top_down
from sudare.release.publication import Publication, publish
from sudare.release.quote import DryRun, Quote
from sudare.release.released import Released
from sudare.release.synthetic import Synthesis, write_synthetic

__all__ = [
    "Ask",
    "Dataset",
    "Definition",
    "DryRun",
    "Groups",
    "Publication",
    "Quote",
    "Released",
    "Synthesis",
    "agreeing",
    "batch",
    "bound_of",
    "consistent",
    "epsilon_for",
    "publish",
    "top_down",
    "write_synthetic",
]
