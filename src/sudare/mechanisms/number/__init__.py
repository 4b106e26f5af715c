"""A number in a range: its mean, or its distribution."""

from sudare.mechanisms.number.base import Number
from sudare.mechanisms.number.duchi import Duchi
from sudare.mechanisms.number.hybrid import Hybrid
from sudare.mechanisms.number.piecewise import Piecewise
from sudare.mechanisms.number.square_wave import SquareWave

__all__ = ["Duchi", "Hybrid", "Number", "Piecewise", "SquareWave"]
