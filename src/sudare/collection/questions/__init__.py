"""Question types: one file each. A type brings its schema, its mechanism and its answers."""

from sudare.collection.questions.base import (
    Question,
    newest_auto,
    parse,
    question_types,
    restore,
    share_cells,
    share_warnings,
    stated,
    written_out,
)
from sudare.collection.questions.choice import Choice
from sudare.collection.questions.choices import Choices
from sudare.collection.questions.crosstab import Crosstab
from sudare.collection.questions.number import Number
from sudare.collection.questions.place import Place
from sudare.collection.questions.ratings import Ratings
from sudare.collection.questions.text import Text
from sudare.collection.questions.words import Words

__all__ = [
    "Choice",
    "Choices",
    "Crosstab",
    "Number",
    "Place",
    "Question",
    "Ratings",
    "Text",
    "Words",
    "newest_auto",
    "parse",
    "question_types",
    "restore",
    "share_cells",
    "share_warnings",
    "stated",
    "written_out",
]
