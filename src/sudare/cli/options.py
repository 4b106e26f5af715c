"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from fractions import Fraction

from sudare.exact import as_epsilon


def epsilon(text: str) -> Fraction:
    """Read ε from the command line, exactly as written."""
    try:
        number = Fraction(text)
    except (ValueError, ZeroDivisionError):
        number_or_text: object = _float_or_text(text)
        return as_epsilon(number_or_text)
    return as_epsilon(number)


def _float_or_text(text: str) -> float | str:
    try:
        return float(text)  # nan and inf are numbers, refused with their own message
    except ValueError:
        return text


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
