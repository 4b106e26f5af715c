"""Publish a draft: from now on it is frozen, and open when its times say so.

example: sudare publish survey.toml --database survey.sqlite3
"""

from __future__ import annotations

from sudare.cli.lifecycle import REMEDIES, arguments, run as running

add_to = arguments()
run = running("publish")

__all__ = ["REMEDIES", "add_to", "run"]
