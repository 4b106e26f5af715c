"""Question types: one file each. A type brings its schema, its mechanism and its answers."""

from sudare.collection.questions.base import (
    Question,
    parse,
    restore,
    share_cells,
    share_warnings,
)
from sudare.collection.questions.choice import Choice

__all__ = ["Choice", "Question", "parse", "restore", "share_cells", "share_warnings"]
