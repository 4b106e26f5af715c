"""Places: grids, mesh codes, and mechanisms that report a cell near the true one."""

from sudare.mechanisms.place.base import Place as Place
from sudare.mechanisms.place.elastic import ElasticExponential as ElasticExponential
from sudare.mechanisms.place.exponential import GridExponential as GridExponential
from sudare.mechanisms.place.grid import Grid as Grid
from sudare.mechanisms.place.laplace import PlanarLaplace as PlanarLaplace
from sudare.mechanisms.place.levels import PlaceLevels as PlaceLevels
from sudare.mechanisms.place.roads import RoadExponential as RoadExponential
from sudare.mechanisms.place.tabled import PlaceChannel as PlaceChannel
from sudare.mechanisms.place.tight import TightGrid as TightGrid
