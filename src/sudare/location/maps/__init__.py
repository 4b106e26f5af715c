"""Maps of numbers of cells: pictures, GeoJSON, a page of one file."""

from sudare.location.maps.drawing import draw_map as draw_map, plot_map as plot_map
from sudare.location.maps.geojson import to_geojson as to_geojson
from sudare.location.maps.layer import Layer as Layer
from sudare.location.maps.page import map_page as map_page
