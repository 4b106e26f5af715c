"""Places: grids, mesh codes, and mechanisms that report a cell near the true one."""

from sudare.mechanisms.place.exponential import GridExponential
from sudare.mechanisms.place.grid import Grid

__all__ = ["Grid", "GridExponential"]
