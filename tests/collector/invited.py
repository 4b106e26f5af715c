"""A collection that asks those invited, and reports for its store."""

from __future__ import annotations

import os

from sudare.collection import Collection
from sudare.collection.invite import read_code

TEXT = """
[collection]
name = "shelf"
epsilon = 2.0
publish_at = 1
admission = "invited"
[[question]]
id = "teas"
type = "ratings"
text = "?"
items = ["green", "black", "oolong", "barley", "herbal"]
"""
SHELF = Collection.from_toml(TEXT)


def entry(store, code, state=0):
    """Return the arguments of a good report under a code."""
    raw = read_code(code)
    own = store.tickets(SHELF.fingerprint, raw).result()["teas"]
    return SHELF.fingerprint, os.urandom(16), bytes([own, state]), raw
