"""Open a published collection now, or a closed one again.

example: sudare open tea-2026 --until 2027-02-28T18:00:00+09:00 --database survey.sqlite3
"""

from __future__ import annotations

from sudare.cli.lifecycle import REMEDIES, arguments, run as running

add_to = arguments(until="its new end")
run = running("open")

__all__ = ["REMEDIES", "add_to", "run"]
