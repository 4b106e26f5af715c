"""Mechanisms as column-stochastic matrices ``M[report, value]``, structured where they can be.

Every channel can ``apply`` (``M x``), take its ``adjoint`` (``M.T y``), ``solve`` (``M^-1 y``),
``solve_squared`` (``(M^-1 o M^-1) y``, the error bar of every cell for one more apply), write
itself out as ``dense()`` and state its ``epsilon``.
"""

from sudare.channels.base import Channel
from sudare.channels.convolution import Convolution
from sudare.channels.dense import Dense
from sudare.channels.kronecker import Kronecker
from sudare.channels.numeric import Numeric
from sudare.channels.symmetric import Symmetric

__all__ = ["Channel", "Convolution", "Dense", "Kronecker", "Numeric", "Symmetric"]
