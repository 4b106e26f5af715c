"""What is published of a number whose distribution is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sudare.collection import schema
from sudare.collection.questions.auto import Candidates
from sudare.errors import CollectionError, DomainError, EstimationError
from sudare.estimation import Counts
from sudare.estimation.conditional import ConditionalShare, among_asked
from sudare.estimation.distribution import DECILES, Distribution
from sudare.estimation.estimate import Target
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.choose import rank_distributions

BINNED: Candidates = {1: ("HierarchicalHistogram", "SquareWave")}
"""What ``mechanism = "auto"`` ranks for a distribution."""

UNEVEN: Candidates = {1: BINNED[1][:1]}
"""The same of bins that are not equal."""

MOST_BINS = 256
"""Of the range: the law of a square wave is a table that every device loads."""

MOST_BARS = 32
"""Of the histogram; where no such number of bars divides the bins, it has all of them."""

MOST_EDGES = 65
"""Between every two of so many edges the share is published with its interval, at most."""

_DIGITS = 6
_FIGURES = ("value", "stderr", "low", "high")


@dataclass(frozen=True, slots=True)
class ErrorBelow:
    """The error of the share of people below an edge, as a plan asks for it.

    Where all numbers are equally common that of the median is the same, as a share of the range.
    """

    mechanism: Binned

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Return the mean over the inner edges of the expected squared error, at even shares.

        Raises:
            DomainError: shares are given.
        """
        if shares is not None:
            raise DomainError("shares", "must be left out", "even ones are assumed")
        return self.mechanism.expected_cdf_mse(n, target)


@dataclass(frozen=True, slots=True)
class Range:
    """From where to where numbers lie, and in which bins.

    Attributes:
        low, high: the ends.
        edges: where bins begin and end that are not equal; None of equal ones.
    """

    low: Fraction
    high: Fraction
    edges: tuple[Fraction, ...] | None = None

    @classmethod
    def read(cls, table: Mapping[str, Any], where: str) -> Range:
        """Read ``low`` and ``high``, or ``edges``, which begin and end there.

        Raises:
            CollectionError: they do not rise, are too few or too many, or not within the range.
        """
        ends = {
            name: schema.score(table[name], f"{where}.{name}")
            for name in ("low", "high")
            if name in table
        }
        if "edges" not in table:
            if ends["low"] >= ends["high"]:
                raise CollectionError(f"{where}.high", "must be above low", "give the least first")
            return cls(ends["low"], ends["high"])
        spot, given = f"{where}.edges", table["edges"]
        if "bins" in table:
            rule = "must be left out where edges are stated"
            raise CollectionError(f"{where}.bins", rule, "edges say how many bins there are")
        if not (isinstance(given, list) and 3 <= len(given) <= MOST_BINS + 1):
            rule = f"must be a list of 3 to {MOST_BINS + 1} numbers"
            raise CollectionError(spot, rule, "such as [0, 10, 20, 50, 100]")
        edges = tuple(schema.score(one, f"{spot}[{i}]") for i, one in enumerate(given))
        for i, (one, other) in enumerate(pairwise(edges), 1):
            if float(one) >= float(other):
                raise CollectionError(f"{spot}[{i}]", "must be above the edge before it")
        for name, end in (("low", edges[0]), ("high", edges[-1])):
            if ends.get(name, end) != end:
                rule = "must be where edges begin" if name == "low" else "must be where edges end"
                raise CollectionError(f"{where}.{name}", rule, "leave it out", got=table[name])
        return cls(edges[0], edges[-1], edges)


def best_of(kind: Any, within: Range, epsilon: Fraction, bins: int, n: int, where: str) -> Binned:
    """Return the mechanism of a kind, and of those of several shapes that of the least error.

    Raises:
        CollectionError: it is one for equal bins, and these are not.
    """
    edges = None if within.edges is None else tuple(map(float, within.edges))
    ranked = _ranked(float(within.low), float(within.high), epsilon, n, bins, edges=edges)
    found = (mechanism for _, mechanism in ranked if type(mechanism) is kind)
    best = next(found, None)
    if best is None and edges is not None:
        rule = "must be HierarchicalHistogram where edges are stated"
        raise CollectionError(f"{where}.mechanism", rule, "or leave it out")
    return best or cast(Binned, kind(epsilon, float(within.low), float(within.high), bins))


_ranked = lru_cache(maxsize=64)(rank_distributions)


def distribution_results(
    mechanism: Binned,
    counts: Counts,
    target: Target,
    confidence: float,
    asked: ConditionalShare | None = None,
) -> dict[str, Any]:
    """Return mean, median, deciles, histogram and ranges as JSON data; nulls without a report.

    Where not everybody was asked they are of those who were, and bins were drawn uniformly.

    ``mean`` is of the middles of the bins, which lie ``rounding`` at most from the numbers in them.
    ``histogram`` has bars, each with its ``share`` of the nearest distribution, the unbiased
    share ``raw``, and its interval.
    ``ranges`` has the share below each of the ``edges``, and ``low[i][j]`` and ``high[i][j]``, the
    ends of the interval of the share between edge i and edge i + 1 + j.
    """
    found = None
    if counts.n:
        with suppress(EstimationError):  # of so few reports that none is about the bins
            found = mechanism.distribution(counts, target)
            if asked is not None:
                found = Distribution(found.edges, among_asked(found.estimate, asked))
    return {
        "method": "unbiased",
        "mean": dict.fromkeys(_FIGURES) if found is None else _mean(found, mechanism, confidence),
        "rounding": mechanism.widest / 2,
        "median": _quantile(found, 0.5, confidence),
        "deciles": [_quantile(found, p, confidence) for p in DECILES],
        "histogram": [] if found is None else _bars(found, confidence),
        "ranges": None if found is None else _ranges(found, confidence),
        "warnings": [
            {"code": one.code, "cells": list(one.cells)}
            for one in (() if found is None else found.estimate.warnings)
        ],
    }


def _mean(found: Distribution, mechanism: Binned, confidence: float) -> dict[str, float]:
    mean = found.estimate.mean(mechanism.centres)
    figures = (mean.value, mean.stderr, *mean.interval(confidence))
    return dict(zip(_FIGURES, figures, strict=True))


def _quantile(found: Distribution | None, p: float, confidence: float) -> dict[str, float | None]:
    if found is None:
        return {"p": p, "value": None, "low": None, "high": None}
    return {**found.quantile(p, confidence).to_json()}


def _bars(found: Distribution, confidence: float) -> list[dict[str, float]]:
    """Return a row a bar: where it begins and ends, its share, and the interval."""
    bins = found.shares.size
    bars = max(count for count in range(1, MOST_BARS + 1) if bins % count == 0)
    shown = found.histogram(confidence, bars if 2 * bars >= MOST_BARS else bins)
    columns = (
        shown.edges[:-1],
        shown.edges[1:],
        shown.shares,
        shown.raw,
        shown.low,
        shown.high,
    )
    names = ("from", "to", "share", "raw", "low", "high")
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def published_edges(bins: int) -> list[int]:
    """Return the places of the edges between which shares are published, of the bins' edges.

    Examples:
        >>> published_edges(4), len(published_edges(256))
        ([0, 1, 2, 3, 4], 65)
    """
    return [*range(0, bins, -(-bins // (MOST_EDGES - 1))), bins]


def _ranges(found: Distribution, confidence: float) -> dict[str, Any]:
    """Return the share between every two edges, of which some are left out where there are many."""
    places = published_edges(found.shares.size)
    cuts = np.cumsum(np.arange(len(places) - 1, 1, -1))
    limits = [end.round(_DIGITS) for end in found.between(places, confidence)]
    low, high = ([row.tolist() for row in np.split(end, cuts)] for end in limits)
    return {
        "edges": found.edges[places].tolist(),
        "below": found.cumulated[places].round(_DIGITS).tolist(),
        "low": low,
        "high": high,
    }
