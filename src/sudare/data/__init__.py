"""Data: small count tables that ship, and where real files are looked for."""

from sudare.data.counts import CountTable, trousers
from sudare.data.places import find

__all__ = ["CountTable", "find", "trousers"]
