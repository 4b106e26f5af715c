"""GridE and WGridE: the exponential mechanism on a grid, with weights of cells."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import WrongTypeError
from sudare.exact import exact_text
from sudare.mechanisms.parameters import Parameter
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.offsets import (
    Offsets,
    log_alpha,
    steepest,
)
from sudare.mechanisms.place.rates import RATE, WEIGHTS, as_rate, as_weights, grid_up_to, read_rate
from sudare.mechanisms.registry import register

_SHRINK = Fraction(1, 10**9)
_DIGITS = Context(prec=12, rounding=ROUND_FLOOR)
_HALVINGS = 40


def _as_inner(inner: Fraction | None, m: GridExponential) -> Fraction | None:
    asked = m.requested_epsilon
    return None if inner is None or inner == asked else as_rate(inner, m.grid)


_GRID = grid_up_to()
_INNER = Parameter(
    name="inner",
    read=_as_inner,
    write=lambda inner: None if inner is None else exact_text(inner),
    parse=read_rate,
    show=lambda _: "",
    attribute="_inner",
    optional=True,
)
_CALIBRATED = Parameter(
    name="calibrated",
    examples=(False, False, True, True),
    bad=tuple((value, WrongTypeError) for value in ("yes", None, 1)),
)


@register
class GridExponential(Offsets):
    """GridE, and with weights WGridE: nearby cells are likelier, exponentially in the distance.

    ::

        P(o | r) = α(r) w_o exp(-ε d(r, o) / 2),   1 / α(r) = Σ_o w_o exp(-ε d(r, o) / 2)

    Guarantee: geo-indistinguishability (d_X-privacy) with ε per metre, for any weights w >= 0::

        P(o | r1) <= exp(ε d(r1, r2)) P(o | r2)

    What is really spent is less: :attr:`epsilon`, the largest
    ``ln(P(o | r1) / P(o | r2)) / d(r1, r2)``. A calibrated mechanism spends all that was allowed:
    an inner ε above the one asked for takes its place in the exponent, the largest one with which
    the map still spends no more.

    The whole numbers that are sampled stand for ε (1 - 1e-9): each is within a factor 1 - 2^-79 of
    the real one, and of the four in a ratio none adds more than that.

    Args:
        grid: the map.
        epsilon: ε per metre that is guaranteed; :attr:`nominal_epsilon`.
        weights: (cells,) or (rows, columns) numbers >= 0, not all 0; None for GridE.
        calibrated: spend the whole ε.

    Raises:
        WrongTypeError, DomainError: no grid, or no such weights.
        WrongTypeError, PrivacyError: ε is not a positive number, or too large for the map.

    Source: the exponential mechanism of McSherry, Talwar 2007 with the distance as its score;
    geo-indistinguishability: Andrés, Bordenabe, Chatzikokolakis, Palamidessi 2013.

    Examples:
        >>> import sudare as sd
        >>> grid = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
        >>> m = sd.GridExponential(grid, 0.02)
        >>> m.nominal_epsilon, round(m.epsilon, 6)
        (0.02, 0.012416)
        >>> whole = sd.GridExponential(grid, 0.02, calibrated=True)
        >>> round(whole.epsilon, 6), round(whole.inner_epsilon, 5)
        (0.02, 0.03772)
    """

    name: ClassVar[str] = "GridExponential"
    parameters: ClassVar[tuple[Parameter, ...]] = (_GRID, RATE, _INNER, WEIGHTS)
    arguments: ClassVar[tuple[Parameter, ...]] = (_GRID, RATE, WEIGHTS, _CALIBRATED)
    __slots__ = ("_inner",)
    _inner: Fraction | None
    """ε in the exponent where that is another one than asked for."""

    def __init__(
        self,
        grid: Grid,
        epsilon: float | Fraction,
        weights: npt.ArrayLike | None = None,
        *,
        calibrated: bool = False,
    ) -> None:
        asked = as_rate(epsilon, as_grid(grid))
        whole = as_weights(weights, grid)
        if not isinstance(calibrated, bool):
            raise WrongTypeError("calibrated", "must be True or False", got=calibrated)
        inner = _calibrated(grid, asked, whole) if calibrated else asked
        self._take(grid=grid, epsilon=asked, inner=inner, weights=whole)

    def _build(self) -> None:
        self._settle((self._inner or self.requested_epsilon) * (1 - _SHRINK) / 2)
        if self._inner is not None:
            self._refuse_overspending()

    def __repr__(self) -> str:
        shown = super().__repr__()
        return shown if self._inner is None else f"{shown[:-1]}, calibrated=True)"

    @property
    def inner_epsilon(self) -> float:
        """ε in the exponent, per metre: the one asked for, or above it if calibrated."""
        return float(self._inner or self.requested_epsilon)


def _calibrated(grid: Grid, epsilon: Fraction, whole: tuple[int, ...]) -> Fraction:
    """Return the largest inner ε found, of 12 digits, with which no more than ε is spent."""
    weights = np.array(whole, dtype=np.float64)
    wanted = float(epsilon) * (1 - 1e-10)
    # at an inner ε of 2 ε the exponent alone spends ε
    far = math.hypot(grid.rows * grid.cell_height, grid.columns * grid.cell_width)
    low, high = float(epsilon), min(2 * float(epsilon), 2800 / far)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        logs = -middle / 2 * grid.offsets
        if steepest(grid, middle / 2, log_alpha(grid, logs, weights), weights > 0) <= wanted:
            low = middle
        else:
            high = middle
    if low == float(epsilon):
        return epsilon
    return max(epsilon, Fraction(_DIGITS.create_decimal(Decimal(low))))
