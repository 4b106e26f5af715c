"""Maps of numbers of cells: pictures, GeoJSON, a page of one file."""

from sudare.location.maps.drawing import draw_map
from sudare.location.maps.geojson import to_geojson
from sudare.location.maps.layer import Layer
from sudare.location.maps.page import map_page

__all__ = ["Layer", "draw_map", "map_page", "to_geojson"]
