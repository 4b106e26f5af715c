"""A small map in metres, which surveys of this folder ask about."""

from __future__ import annotations

SMALL = """
[[question]]
id = "where"
type = "place"
text = "Where?"
origin = [35.6, 139.7]
cell_height = 100
cell_width = 120
rows = 3
columns = 2
"""
