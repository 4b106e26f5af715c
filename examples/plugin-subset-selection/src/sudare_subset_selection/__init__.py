"""Subset selection for Sudare, found by the entry point group ``sudare.mechanisms``."""

from sudare_subset_selection.mechanism import ListedSubsets

__all__ = ["ListedSubsets"]
