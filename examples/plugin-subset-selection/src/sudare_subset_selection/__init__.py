"""Subset selection for Sudare, found by the entry point group ``sudare.mechanisms``."""

from sudare_subset_selection.mechanism import SubsetSelection

__all__ = ["SubsetSelection"]
