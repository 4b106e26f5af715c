"""Close a collection: no report is taken any more, whatever its times say.

example: sudare close tea-2026 --database survey.sqlite3
"""

from __future__ import annotations

from sudare.cli.lifecycle import REMEDIES, arguments, run as running

add_to = arguments()
run = running("close")

__all__ = ["REMEDIES", "add_to", "run"]
