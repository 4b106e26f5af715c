"""Places on a map: what a report tells at the map's edge, weights that even it out, maps."""

from sudare.location.census import sum_points, sum_squares
from sudare.location.coast import surroundings
from sudare.location.folder import MapReport, write_map
from sudare.location.globe import degrees
from sudare.location.land import land_fraction, land_mask, text_mask
from sudare.location.maps import Layer, draw_map, map_page, to_geojson
from sudare.location.regions import count_in
from sudare.location.report import BoundaryReport, boundary_report
from sudare.location.summary import MapSummary, People
from sudare.location.tables import land_of, people_of
from sudare.location.weights import (
    CappedLaw,
    EqualisedWeights,
    OptimisedWeights,
    ReducedWeights,
    cap_posterior,
    equalise_weights,
    optimise_weights,
    reduce_weights,
)

__all__ = [
    "BoundaryReport",
    "CappedLaw",
    "EqualisedWeights",
    "Layer",
    "MapReport",
    "MapSummary",
    "OptimisedWeights",
    "People",
    "ReducedWeights",
    "boundary_report",
    "cap_posterior",
    "count_in",
    "degrees",
    "draw_map",
    "equalise_weights",
    "land_fraction",
    "land_mask",
    "land_of",
    "map_page",
    "optimise_weights",
    "people_of",
    "reduce_weights",
    "sum_points",
    "sum_squares",
    "surroundings",
    "text_mask",
    "to_geojson",
    "write_map",
]
