"""Extreme values of every parameter: an answer that holds, or a refusal; never a fault."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

import pytest

from sudare.cli.answering import HonestReports
from sudare.collection import Collection
from sudare.collection.drafting import draft
from sudare.collection.questions import question_types
from sudare.collector.exporting import figure_records
from sudare.collector.results import confidence_of, results_json
from sudare.collector.tallies import Snapshot
from sudare.collector.routes import CONFIDENCE
from sudare.errors import DomainError, SudareError
from sudare.estimation.confidence import LEAST
from sudare.exact import Entropy
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered
from sudare.refusal import Refusal

TYPES = [name for name, one in question_types().items() if one.template]
TEXTS = [
    *("0", "-0", "1", "2", "-0.5", "0.0", "1.0", "nan", "inf", "-inf", "", "  ", "x", "0.5 ", "½"),
    *("1e-17", "1e-99", "9.999999999999999e-17", "5e-324", "1e-324", "1e400", "0x1p-60", "1_0e-3"),
    *("0." + "0" * 14 + "1", "0." + "9" * 15, "0." + "9" * 17, "0." + "9" * 400, ".5", "0.95"),
    *("0.5e-9", "1e-1", "1.5", "9e-16", "1e-16", "1e-15", "1e-08", "0,95", "٠.٥", "0.5\0", "1" * 400),
]


LEVELS = (5e-324, 1e-17, 2**-53, LEAST, 1e-9, 0.5, 1 - 2**-53)
NAMES = [one.name for one in registered(Mechanism)]


def texts(kind: str) -> Iterator[str]:
    """Yield surveys with a question of a type: as it is by itself, and with each mechanism."""
    text = draft("some", [kind])
    yield text
    for name in NAMES if kind != "words" else ():  # its search takes a minute with them all
        with suppress(SudareError):
            own = text.replace(f'type = "{kind}"', f'type = "{kind}"\nmechanism = "{name}"')
            Collection.from_toml(own).definition()
            yield own


def shown(collection: Collection, n: int) -> Snapshot:
    made = HonestReports(collection, Entropy(b"e" * 32))
    counts = collection.tally(b"".join(made.submission().payload for _ in range(n)))
    return Snapshot(counts, (None,) * len(counts), None, False, collection.tally(b""))


def test_every_text_of_a_confidence_is_read_or_refused() -> None:
    taken = set()
    for text in TEXTS:
        try:
            taken.add(confidence_of({"confidence": text}))
        except Refusal as refusal:
            assert refusal.status == 400
    assert min(taken) == LEAST
    assert max(taken) < 1
    pattern = re.compile(CONFIDENCE["schema"]["pattern"])
    for text in TEXTS:
        with suppress(Refusal):
            confidence_of({"confidence": text})
            assert pattern.search(text), text


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_estimated_at_every_confidence(kind: str) -> None:
    for text in texts(kind):
        collection = Collection.from_toml(text)
        for n in (0, 1, 30):
            figures = shown(collection, n)
            for level in LEVELS:
                try:
                    told = results_json(collection, figures, target="population", confidence=level)
                    figure_records(collection, told, None)
                except DomainError as error:
                    assert (error.argument, level < LEAST) == ("confidence", True), text
                else:
                    json.dumps(told, allow_nan=False)
