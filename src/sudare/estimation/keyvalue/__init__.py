"""Frequencies and means of keys, from three counts a key."""

from sudare.estimation.keyvalue.estimate import KeyValueEstimate

__all__ = ["KeyValueEstimate"]
