"""Places: grids, mesh codes, and mechanisms that report a cell near the true one."""

from sudare.mechanisms.place.base import Place
from sudare.mechanisms.place.elastic import ElasticExponential
from sudare.mechanisms.place.exponential import GridExponential
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.laplace import PlanarLaplace
from sudare.mechanisms.place.levels import PlaceLevels
from sudare.mechanisms.place.roads import RoadExponential
from sudare.mechanisms.place.tabled import PlaceChannel
from sudare.mechanisms.place.tight import TightGrid

__all__ = [
    "ElasticExponential",
    "Grid",
    "GridExponential",
    "Place",
    "PlaceChannel",
    "PlaceLevels",
    "PlanarLaplace",
    "RoadExponential",
    "TightGrid",
]
