"""The small collection of these tests."""

from __future__ import annotations

import time
from collections.abc import Callable

QUESTIONS = """
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
mechanism = "GRR"
choices = ["oi-ocha", "iyemon", "ayataka", "nama-cha", "meidai-cha"]
[[question]]
id = "place"
type = "choice"
text = "Where?"
mechanism = "OUE"
choices = ["home", "office", "train", "park"]
"""
"""Wire: one byte below 6 (GRR), one byte of 5 bits and 3 padding bits (OUE)."""

TEA = (
    """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
"""
    + QUESTIONS
)


def eventually(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something holds, as a running collector sees changes after a moment."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.02)
