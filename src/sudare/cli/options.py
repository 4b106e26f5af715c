"""Arguments that several commands share."""

from __future__ import annotations

import argparse


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
