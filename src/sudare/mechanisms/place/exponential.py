"""GridE and WGridE: the exponential mechanism on a grid, with weights of cells."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, WrongTypeError
from sudare.exact import exact_text
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.offsets import (
    Offsets,
    grid_json,
    log_alpha,
    read_grid,
    read_rate,
    read_weights,
    steepest,
)
from sudare.mechanisms.place.rates import as_rate, as_weights
from sudare.mechanisms.registry import register

_SHRINK = Fraction(1, 10**9)
_DIGITS = Context(prec=12, rounding=ROUND_FLOOR)
_HALVINGS = 40


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
    __slots__ = ()

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
        self._settle(grid, asked, inner * (1 - _SHRINK) / 2, whole)
        if calibrated:
            self._refuse_overspending()

    def __repr__(self) -> str:
        kind = "" if (self.weights == 1).all() else ", weights=..."
        kind += ", calibrated=True" if self._inner != self.requested_epsilon else ""
        return f"GridExponential({self.grid!r}, epsilon={self.nominal_epsilon}{kind})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._restored, (self.grid, self.requested_epsilon, self._inner, self._whole)

    @property
    def _inner(self) -> Fraction:
        return self.rate * 2 / (1 - _SHRINK)

    @property
    def _whole(self) -> tuple[int, ...]:
        return self.program.weights

    @property
    def inner_epsilon(self) -> float:
        """ε in the exponent, per metre: the one asked for, or above it if calibrated."""
        return float(self._inner)

    def to_json(self) -> dict[str, Any]:
        """Return the mechanism as JSON data: its name, the grid, ε as exact text, the weights."""
        inner = {} if self._inner == self.requested_epsilon else {"inner": exact_text(self._inner)}
        return {
            "name": self.name,
            "grid": grid_json(self.grid),
            "epsilon": exact_text(self.requested_epsilon),
            **inner,
            "weights": [f"{w:x}" for w in self._whole],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the mechanism from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
            DomainError, PrivacyError: a parameter is out of range, or ε would be exceeded.
        """
        try:
            grid, epsilon = read_grid(data["grid"]), read_rate(data["epsilon"])
            inner = read_rate(data.get("inner", data["epsilon"]))
            whole = read_weights(data["weights"], grid)
        except (KeyError, TypeError, AttributeError):
            raise CollectionError("mechanism", "must have grid, epsilon and weights") from None
        return cls._restored(grid, as_rate(epsilon, grid), as_rate(inner, grid), whole)

    @classmethod
    def _restored(
        cls, grid: Grid, epsilon: Fraction, inner: Fraction, whole: tuple[int, ...]
    ) -> Self:
        """Return the mechanism of these parameters; its ε is checked again."""
        out = cls.__new__(cls)
        out._settle(grid, epsilon, inner * (1 - _SHRINK) / 2, whole)
        if inner != epsilon:
            out._refuse_overspending()
        return out


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
