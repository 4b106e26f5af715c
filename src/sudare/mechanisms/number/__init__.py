"""A number in a range: its mean, or its distribution."""

from sudare.mechanisms.number.base import Number as Number
from sudare.mechanisms.number.binned import Binned as Binned
from sudare.mechanisms.number.duchi import Duchi as Duchi
from sudare.mechanisms.number.hierarchical import (
    HierarchicalHistogram as HierarchicalHistogram,
)
from sudare.mechanisms.number.hybrid import Hybrid as Hybrid
from sudare.mechanisms.number.piecewise import Piecewise as Piecewise
from sudare.mechanisms.number.square_wave import SquareWave as SquareWave
