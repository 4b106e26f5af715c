"""Places on a map: what a report tells at the map's edge, weights that even it out, maps."""

from sudare.location.census import sum_points, sum_squares
from sudare.location.coast import surroundings
from sudare.location.degrees import degrees
from sudare.location.land import land_fraction, land_mask, text_mask
from sudare.location.maps import Layer, draw_map, map_page, to_geojson
from sudare.location.report import BoundaryReport, boundary_report
from sudare.location.weights import (
    EqualisedWeights,
    ReducedWeights,
    equalise_weights,
    reduce_weights,
)

__all__ = [
    "BoundaryReport",
    "Layer",
    "ReducedWeights",
    "boundary_report",
    "degrees",
    "draw_map",
    "land_fraction",
    "land_mask",
    "map_page",
    "reduce_weights",
    "sum_points",
    "sum_squares",
    "surroundings",
    "text_mask",
    "to_geojson",
]
