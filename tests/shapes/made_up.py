"""A made-up town of two wards and a river, around the cells that the tests ask about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SOUTH, WEST = 35.675, 139.7625
TALL, WIDE = 1 / 960, 1 / 640  # degrees of a cell of the 1/8 mesh


def ring(*corners: tuple[float, float]) -> list[list[float]]:
    """A closed ring of corners in cells east and north of the map's south-west."""
    points = [[WEST + x * WIDE, SOUTH + y * TALL] for x, y in (*corners, corners[0])]
    return [[round(x, 9), round(y, 9)] for x, y in points]


def ward(shape: list[list[float]], **names: str) -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": names,
        "geometry": {"type": "Polygon", "coordinates": [shape]},
    }


RIVER = {
    "type": "Feature",
    "properties": {},
    "geometry": {"type": "LineString", "coordinates": ring((-3, 1.5), (2, 2.5), (20, 2))[:3]},
}
KOTO = ward(
    ring((-2, -2), (2.4, -2), (2.4, 9), (-2, 9)), **{"name:en": "Kōtō", "name:ja": "江東区"}
)
EDO = ward(ring((2.4, -2), (9, -2), (9, 9), (2.4, 9)), **{"name:en": "Edogawa"})
TOWN: dict[str, Any] = {"type": "FeatureCollection", "features": [KOTO, EDO, RIVER]}

SURVEY = """
[collection]
name = "town"
publish_at = 1
languages = ["en", "ja"]
title = { en = "Where do you walk?", ja = "どこを歩きますか？" }
[[question]]
id = "where"
type = "place"
text = { en = "Where do you walk?", ja = "どこを歩きますか？" }
mesh = "53394611"
level = "1/8"
rows = 4
columns = 5
epsilon_per_metre = "0.01"
land = ["#####", "#####", "#####", "####."]
"""
NAMED = """base_map = { file = "town.geojson", credit = { en = "Made up", ja = "架空" } }
areas = { file = "town.geojson" }
"""


def write(folder: Path, data: Any = TOWN, named: str = NAMED) -> Path:
    """Write the town and a survey of it; return the survey's path."""
    (folder / "town.geojson").write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    survey = folder / "town.toml"
    survey.write_text(SURVEY + named, "utf-8")
    return survey
