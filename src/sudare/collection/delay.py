"""How long a report waits: its arrival is not to tell the moment of the answer."""

from __future__ import annotations

from datetime import datetime

from sudare.collection.definition import Collection
from sudare.exact.entropy import EntropySource
from sudare.exact.uniform import uniform_one

_MARGIN = 5
"""Seconds before a collection closes: a report must still arrive."""


def draw_delay(collection: Collection, now: datetime, entropy: EntropySource) -> float:
    """Return seconds, uniform from 0 to ``send_delay`` in steps of a millisecond.

    Where the collection closes before, the wait ends five seconds before that; without
    ``send_delay`` it is 0 and nothing is drawn.
    """
    most = 1000 * collection.send_delay
    if most and collection.closes is not None:
        left = int(1000 * ((collection.closes - now).total_seconds() - _MARGIN))
        most = max(0, min(most, left))
    return uniform_one(most + 1, entropy) / 1000 if most else 0.0
