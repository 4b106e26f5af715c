"""Mechanisms as column-stochastic matrices ``M[report, value]``, structured where they can be.

Every channel can ``apply`` (``M x``), take its ``adjoint`` (``M.T y``), ``solve`` (``M^-1 y``),
``solve_squared`` (``(M^-1 o M^-1) y``, the error bar of every cell for one more apply), write
itself out as ``dense()`` and state its ``epsilon``.
"""

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.channels.base import Channel as Channel
    from sudare.channels.convolution import Convolution as Convolution
    from sudare.channels.dense import Dense as Dense
    from sudare.channels.kronecker import Kronecker as Kronecker
    from sudare.channels.numeric import Numeric as Numeric
    from sudare.channels.symmetric import Symmetric as Symmetric

_HOMES = {
    "base": ("Channel",),
    "convolution": ("Convolution",),
    "dense": ("Dense",),
    "kronecker": ("Kronecker",),
    "numeric": ("Numeric",),
    "symmetric": ("Symmetric",),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
