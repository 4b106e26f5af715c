"""The figures of a question's results, one by one, whatever its type: for tables and for files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sudare.collection.questions import Question
from sudare.collection.questions.words import visible

_NAMES = ("id", "choice", "choices", "attributes", "item", "code")
_LISTS = ("areas", "cells", "items", "attributes", "pairs", "deciles", "histogram", "words")
_FIGURES = ("asked", "mean", "frequency", "level", "dependence")
"""In the results of a question: what figures are about, where they stand in lists, and alone."""


def figures(results: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield what has an interval in a question's results, each with the names it stands under.

    Examples:
        >>> results = {"id": "tea", "cells": [{"choice": "green", "low": 0.2, "high": 0.4}]}
        >>> list(figures(results))
        [(('green',), {'choice': 'green', 'low': 0.2, 'high': 0.4})]
    """
    yield from _under({key: results[key] for key in (*_LISTS, *_FIGURES) if key in results})


def value_of(data: Mapping[str, Any]) -> float | None:
    """Return the unbiased value of a figure, to which its interval belongs; of a bar ``raw``."""
    value: float | None = data.get("raw", data.get("share", data.get("value")))
    return value


def is_share(names: Sequence[str], data: Mapping[str, Any]) -> bool:
    """Tell whether a figure of :func:`figures` is a share."""
    return "share" in data or (bool(names) and names[-1] == "frequency")


def ends_of(
    names: Sequence[str], data: Mapping[str, Any], question: Question
) -> tuple[float, float]:
    """Return the least and the greatest that a figure of :func:`figures` can be."""
    if is_share(names, data):
        return 0.0, 1.0
    if len(names) > 1 and names[-1] == "mean":  # of an item: "level" is the one on the scale
        return -1.0, 1.0
    own = question.ends if names and names[-1] in ("mean", "level") else None
    return (-math.inf, math.inf) if own is None else own


def projected_of(data: Mapping[str, Any]) -> float | None:
    """Return the share of the nearest distribution, where there is one; of a bar ``share``."""
    value: float | None = data.get("share") if "raw" in data else data.get("projected")
    return value


def _under(
    data: Mapping[str, Any], names: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    own = [_name(data[key]) for key in _NAMES if data.get(key) is not None]
    if "area" in data:  # in quotation marks: it is a foreign file's, and a table could run it
        own.append(f"“{data['area']}”")
    if "word" in data:  # in quotation marks: anybody has written it, and a table could run it
        own.append(f"“{visible(data['word'])}”")
    if "centre" in data and data.get("code") is None:
        own.append(", ".join(f"{degrees:.4f}" for degrees in data["centre"]))
    if "p" in data:
        own.append(f"{data['p']:.0%} below")
    if "from" in data:
        own.append(f"{data['from']:.15g} to {data['to']:.15g}")
    names = (*names, *filter(None, own))
    if "low" in data:
        yield names, data
    for key in _LISTS:
        some = data.get(key, ())
        if key == "pairs" and len(some) == 1 and "cells" in data:
            some = [{"dependence": some[0]["dependence"]}]  # its cells are those of the question
        for one in some:
            if isinstance(one, Mapping):
                yield from _under(one, names)
    for key in _FIGURES:
        if key in data:
            yield from _under(data[key], (*names, key))


def _name(value: Any) -> str:
    """Return what figures are about as text; nothing for a list of tables."""
    if not isinstance(value, list | tuple):
        return str(value)
    return " × ".join(one for one in value if isinstance(one, str))
