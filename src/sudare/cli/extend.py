"""Move the end of a collection; one that is closed is opened again until then.

example: sudare extend tea-2026 --until 2027-02-28T18:00:00+09:00 --database survey.sqlite3
"""

from __future__ import annotations

from sudare.cli.lifecycle import REMEDIES, arguments, run as running

add_to = arguments(until="its new end", needed=True)
run = running("extend")

__all__ = ["REMEDIES", "add_to", "run"]
