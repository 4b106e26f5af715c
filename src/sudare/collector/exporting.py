"""What leaves a collector as files: its figures and its counts as tables, figures as a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sudare.catalogues import DEFAULT, catalogues, closest
from sudare.collection import Collection
from sudare.collection.questions.listed import PREFER_NOT_TO_SAY
from sudare.collector.figures import ends_of, figures, is_share, projected_of, value_of
from sudare.estimation import Counts
from sudare.estimation.confidence import possible
from sudare.files.tables import write_table

CHARTS = (".svg", ".png")
"""Endings of charts."""


def figure_records(
    collection: Collection,
    results: Mapping[str, Any],
    language: str | None = None,
    kind: str = "",
) -> list[dict[str, Any]]:
    """Return a row for each figure of a collection's results.

    Args:
        collection: what was asked.
        results: as :func:`~sudare.collector.results.results_json` returns them.
        language: of ``label``; default the collection's first.
        kind: of the file that is made of them. Of :data:`CHARTS` they are what pages draw: nothing
            of a question below its ``least_answers``, and no value beyond what is possible.

    Returns:
        Rows of ``question``, ``figure`` (identifiers), ``label`` (words), ``value``, ``stderr``,
        ``low``, ``high``, ``projected``, ``unit`` ("share" or "value"), ``n``, ``mechanism``,
        ``epsilon``, ``target`` and ``confidence``. Intervals stop at what is possible: 0 and 1 of
        shares, the ends of the scale or range of means; ``projected`` are the nearest shares that
        are none below 0 and sum to 1, where there are such.
    """
    texts = collection.compiled()["texts"]["questions"]
    speaks = (language, collection.languages[0])
    own = next(filter(None, (closest(one, catalogues()) for one in speaks if one)), DEFAULT)
    said = {PREFER_NOT_TO_SAY: catalogues()[own]["choice.prefer-not-to-say"]}
    rows, drawn = [], kind in CHARTS
    for question, one in zip(collection.questions, results["questions"], strict=True):
        if drawn and one["n"] < one.get("least_answers", 1):
            continue
        languages = (*filter(None, speaks), *collection.languages)
        words = said | dict(_labels(texts[question.id], speaks)) | question.named(languages)
        for names, data in figures(one):
            labels = [" × ".join(words.get(n, n) for n in name.split(" × ")) for name in names]
            ends, value = ends_of(names, data, question), value_of(data)
            if drawn and one["type"] == "ratings" and names[-1] == "mean":
                continue  # the same as "level", on a scale of its own
            if drawn and value is not None:
                value, _ = possible(value, value, ends)
            low, high = _shown(data, ends)
            rows.append(
                {
                    "question": question.id,
                    "figure": ", ".join(names),
                    "label": ", ".join(labels),
                    "value": value
                    if value is None or not drawn
                    else possible(value, value, ends)[0],
                    "stderr": data.get("stderr"),
                    "low": low,
                    "high": high,
                    "projected": projected_of(data),
                    "unit": "share" if is_share(names, data) else "value",
                    "n": one["n"],
                    "mechanism": question.mechanism.name,
                    "epsilon": float(question.epsilon),
                    "target": results["target"],
                    "confidence": results["confidence"],
                }
            )
    return rows


def _shown(data: Mapping[str, Any], ends: tuple[float, float]) -> tuple[float | None, float | None]:
    """Return the interval of a figure, as far as it is possible."""
    low, high = data.get("low"), data.get("high")
    return (low, high) if low is None or high is None else possible(low, high, ends)


def _labels(texts: Any, speaks: Sequence[str | None]) -> Iterable[tuple[str, str]]:
    """Yield the words of each choice, item and attribute of a question."""
    if not isinstance(texts, Mapping):
        return
    for name, part in texts.items():
        if isinstance(part, Mapping):
            told = part.get("text", part)
            found = [told[one] for one in speaks if isinstance(told.get(one), str)]
            if found:
                yield name, found[0]
            yield from _labels(part, speaks)


def count_records(collection: Collection, counts: Sequence[Counts]) -> list[dict[str, Any]]:
    """Return a row for each whole number that the estimates come from.

    Returns:
        Rows of ``question``, ``cell`` (its place in the support, such as ``2`` or ``0,3``),
        ``support`` and ``n``.
    """
    return [
        {
            "question": question.id,
            "cell": ",".join(map(str, place)),
            "support": int(some.support[place]),
            "n": int(some.n),
        }
        for question, some in zip(collection.questions, counts, strict=True)
        for place in np.ndindex(some.support.shape)
    ]


def write_records(
    path: Path,
    kind: str,
    collection: Collection,
    records: Sequence[dict[str, Any]],
    language: str | None = None,
) -> None:
    """Write records of figures to a file: as a table, or as a chart.

    Args:
        path: of the file, whatever its ending.
        kind: one of :data:`CHARTS` or of :data:`sudare.files.tables.TABLES`.
        collection: what was asked.
        records: of :func:`figure_records`.
        language: of the questions' titles; default the collection's first.

    Raises:
        MissingExtraError: matplotlib or PyArrow is not installed.
    """
    if kind not in CHARTS:
        write_table(path, records, kind)
        return
    from sudare.plots import results

    speaks = (language, collection.languages[0])
    titles = {}
    for question in collection.questions:
        text = question.texts()["text"]
        titles[question.id] = next((text[one] for one in speaks if one in text), question.id)
    results(path, records, titles, kind)
