"""GridE and WGridE: the exponential mechanism on a grid, with weights of cells."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.channels import Numeric
from sudare.errors import (
    CollectionError,
    DomainError,
    EstimationError,
    PrivacyError,
    WrongTypeError,
)
from sudare.estimation import Counts, Estimate, histogram, project
from sudare.estimation.caution import few_reports, no_stderr
from sudare.estimation.channel_law import FEW, ChannelLaw
from sudare.estimation.em import maximise, stop_early
from sudare.estimation.estimate import Target, check_target
from sudare.exact import exact_text, exp_bounds, read_exact
from sudare.exact.entropy import Entropy, choose
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.place.grid import Grid, as_cells
from sudare.mechanisms.registry import register
from sudare.mechanisms.reports import as_indices
from sudare.mechanisms.values import as_array, as_category, as_true_counts
from sudare.samplers.offset import WEIGHT_BITS, Offset

Floats = npt.NDArray[np.float64]

METHODS = ("unbiased", "projected", "em", "mle")
MOST_EXPONENT = 1400
"""Most ε d / 2 on a map: words of 2,100 bits."""

_GUARD = 80  # bits of each kernel weight at least: rounds the guarantee by 2^-77
_SHRINK = Fraction(1, 10**9)


@register
class GridExponential(Mechanism):
    """GridE, and with weights WGridE: nearby cells are likelier, exponentially in the distance.

    ::

        P(o | r) = α(r) w_o exp(-ε d(r, o) / 2),   1 / α(r) = Σ_o w_o exp(-ε d(r, o) / 2)

    Guarantee: geo-indistinguishability (d_X-privacy) with ε per metre, for any weights w >= 0::

        P(o | r1) <= exp(ε d(r1, r2)) P(o | r2)

    What is really spent is less: :attr:`epsilon`, the largest
    ``ln(P(o | r1) / P(o | r2)) / d(r1, r2)``.

    Args:
        grid: the map.
        epsilon: ε per metre that is guaranteed; :attr:`nominal_epsilon`.
        weights: (cells,) or (rows, columns) numbers >= 0, not all 0; None for GridE.

    Raises:
        WrongTypeError, DomainError: no grid, or no such weights.
        WrongTypeError, PrivacyError: ε is not a positive number, or too large for the map.

    Source: the exponential mechanism of McSherry, Talwar 2007 with the distance as its score;
    geo-indistinguishability: Andrés, Bordenabe, Chatzikokolakis, Palamidessi 2013.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GridExponential(sd.Grid(15, 15, cell_height=115.6, cell_width=141.5), 0.02)
        >>> m.nominal_epsilon, round(m.epsilon, 6)
        (0.02, 0.012416)
    """

    name: ClassVar[str] = "GridExponential"
    covers: ClassVar[str] = "one report of a place, for each metre of distance"
    __slots__ = ("__dict__", "grid", "weights")
    grid: Grid
    weights: Floats
    """(cells,) the weights that are sampled, the largest 1."""
    program: Offset

    def __init__(
        self, grid: Grid, epsilon: float | Fraction, weights: npt.ArrayLike | None = None
    ) -> None:
        if not isinstance(grid, Grid):
            raise WrongTypeError("grid", "must be a Grid", "such as Grid(15, 15, 115.6, 141.5)")
        asked = as_rate(epsilon, grid)
        whole = as_weights(weights, grid)
        own = np.array(whole, dtype=np.float64) / (1 << WEIGHT_BITS)
        own.flags.writeable = False
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "requested_epsilon", asked)
        object.__setattr__(self, "weights", own)
        object.__setattr__(self, "program", compile_offsets(grid, asked, whole))

    def __repr__(self) -> str:
        kind = "" if (self.weights == 1).all() else ", weights=..."
        return f"GridExponential({self.grid!r}, epsilon={self.nominal_epsilon}{kind})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.grid, self.requested_epsilon, self.weights)

    def to_json(self) -> dict[str, Any]:
        """Return the mechanism as JSON data: its name, the grid, ε as exact text, the weights."""
        g = self.grid
        return {
            "name": self.name,
            "grid": [g.rows, g.columns, repr(g.cell_height), repr(g.cell_width)],
            "epsilon": exact_text(self.requested_epsilon),
            "weights": [f"{w:x}" for w in self.program.weights],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the mechanism from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
            DomainError, PrivacyError: a parameter is out of range.
        """
        try:
            rows, columns, height, width = data["grid"]
            weights = [int(text, 16) for text in data["weights"]]
            epsilon = read_exact(data["epsilon"])
            grid = Grid(rows, columns, float(height), float(width))
        except (KeyError, TypeError, ValueError):
            raise CollectionError("mechanism", "must have grid, epsilon and weights") from None
        if epsilon is None:
            raise CollectionError("mechanism", "must have epsilon as exact text")
        return cls(grid, epsilon, np.array(weights) / (1 << WEIGHT_BITS))

    # -- the guarantee -----------------------------------------------------------------------

    @property
    def nominal_epsilon(self) -> float:
        """ε per metre that was asked for, and is never exceeded."""
        return float(self.requested_epsilon)

    @cached_property
    def epsilon(self) -> float:
        """ε per metre really spent: ``max ln(P(o|r1) / P(o|r2)) / d(r1, r2)``, from the integers.

        Computed in double precision and raised by its rounding error.
        """
        return spent(self.log_matrix(), self.grid) * (1 + 1e-12)

    # -- the law -----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """``(cells,)``."""
        return (self.grid.cells,)

    def log_matrix(self) -> Floats:
        """Return the natural logarithms of the law, ``[report, cell]``, to double precision.

        -inf for cells of weight 0.
        """
        p = self.program
        rows, columns = self.grid.shape
        logs = np.array([log_of(k) for k in p.kernel]).reshape(rows, columns)
        row, column = np.divmod(np.arange(self.grid.cells), columns)
        down = np.abs(np.subtract.outer(row, row))
        right = np.abs(np.subtract.outer(column, column))
        with np.errstate(divide="ignore"):
            joint = logs[down, right] + np.log(np.array(p.weights, dtype=np.float64))[:, None]
        top = joint.max(axis=0)
        out: Floats = joint - top - np.log(np.exp(joint - top).sum(axis=0))
        return out

    def matrix(self) -> Floats:
        """Return the law ``P[report, cell]``; columns sum to 1."""
        out: Floats = np.exp(self.log_matrix())
        return out

    # -- both sides --------------------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return as_cells(values, self.grid.cells)

    def _value(self, value: Any) -> int:
        return as_category(value, self.grid.cells)

    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count each reported cell; reports: (n,) whole numbers in [0, cells)."""
        array = as_indices(reports, self.grid.cells)
        return self._counts(histogram(array, self.grid.cells), array.size)

    def check_counts(self, counts: Counts) -> None:
        """As every mechanism, and the supports must add up to n, in cells that are reported."""
        super().check_counts(counts)
        if int(counts.support.sum()) != counts.n or counts.support[self.weights == 0].any():
            raise EstimationError("counts.support", "must sum to n: one cell a report")

    @cached_property
    def channel(self) -> Numeric:
        """The law as floats, for estimation: probabilities may lie near 1e-300."""
        return Numeric(self.matrix())

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> Estimate:
        """Estimate the share of the people in each cell.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: the inverse, not clipped, with exact standard errors;
                ``"projected"``: the same moved to the simplex; ``"em"``: EM maps from equal
                shares, as many as predict reports left out; ``"mle"``: the most likely shares.
            target: whose shares the standard errors are about.

        Raises:
            EstimationError: no reports, counts of another mechanism, or cells that are never
                reported: then many distributions give the same reports, and there is no inverse.
            DomainError: unknown method or target.
        """
        check_target(target)
        if not isinstance(method, str) or method not in METHODS:
            raise DomainError("method", f"must be one of {list(METHODS)}", got=method)
        self.check_counts(counts)
        law = None
        if method in ("em", "mle"):
            even = np.full(self.grid.cells, 1 / self.grid.cells)
            if method == "em":
                fit = stop_early(self.channel, counts.support, lambda _: even)
            else:
                fit = maximise(self.channel, counts.support, even)
            shares, method = fit.shares, f"{method}, {fit.rule}"
        else:
            if not self.weights.all():
                raise EstimationError(
                    "method", "needs every cell to be reported", 'use "em" or "mle"'
                )
            law = ChannelLaw(self.channel, counts.support, counts.n, target)
            shares = law.shares
            if method == "projected":
                shares, law = project(shares), None
        few = np.flatnonzero(counts.n * self.channel.apply(np.clip(shares, 0, None)) < FEW)
        cautions = [few_reports(few, (self.grid.cells,))] if few.size else []
        if law is None:
            cautions.append(no_stderr(method.split(",")[0]))
        return Estimate(
            shares=shares,
            stderr=np.full(shares.shape, np.nan) if law is None else law.stderr,
            n=counts.n,
            epsilon=self.epsilon,
            covers=self.covers,
            method=method,
            target=target,
            warnings=tuple(cautions),
            _law=law,
        )

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Entropy | None = None) -> Counts:
        """Draw the counts that respondents in these cells would produce: exact in law.

        Args:
            true_counts: (cells,) whole numbers >= 0.
            rng: :meth:`Entropy.seeded` to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not such counts.
        """
        truth = as_true_counts(true_counts, self.grid.cells)
        generator = choose(rng).generator()
        law = self.matrix().T
        law /= law.sum(axis=1, keepdims=True)
        drawn = generator.multinomial(truth, law).sum(axis=0)
        return self._counts(drawn.astype(np.int64), int(truth.sum()))


def spent(logs: Floats, grid: Grid) -> float:
    """Return ``max (logs[o, r1] - logs[o, r2]) / d(r1, r2)`` over all cells and reports."""
    possible = logs[np.isfinite(logs).all(axis=1)]
    most = 0.0
    distances = grid.distances()
    np.fill_diagonal(distances, np.inf)
    for r in range(grid.cells):
        gaps = (possible[:, r, None] - possible).max(axis=0)
        most = max(most, float((gaps / distances[r]).max()))
    return most


def compile_offsets(grid: Grid, epsilon: Fraction, weights: tuple[int, ...]) -> Offset:
    """Return the program of ``exp(-ε d / 2)`` in integers, never above ε per metre.

    A weight is ``floor(2^b e^(-ε' d / 2))`` with ε' = ε (1 - 1e-9), the least of them of at least
    80 bits, hence each within a factor 1 - 2^-79 of the real one. Of the four that a ratio
    ``P(o|r1) / P(o|r2)`` has, none adds more than that; 1e-9 of the nearest cells' ε d covers them
    all, and the picometres of the distances.
    """
    inner = epsilon * (1 - _SHRINK)
    real = [exp_minus(inner * metres / 2) for metres in quadrant(grid)]
    bits = math.ceil(log2_of(1 / min(real))) + _GUARD
    kernel = tuple(math.floor((1 << bits) * value) for value in real)
    return Offset(grid.rows, grid.columns, kernel, weights)


def quadrant(grid: Grid) -> list[Fraction]:
    """Return the distances from the north-west cell in metres, rounded down to picometres."""
    out = []
    for i in range(grid.rows):
        for j in range(grid.columns):
            down, right = i * Fraction(grid.cell_height), j * Fraction(grid.cell_width)
            square = (down * down + right * right) * 10**24
            out.append(Fraction(math.isqrt(math.floor(square)), 10**12))
    return out


def exp_minus(x: Fraction) -> Fraction:
    """Return ``e**-x`` to some 59 digits."""
    return 1 / exp_bounds(x)[0]


def log2_of(x: Fraction) -> float:
    """Return the binary logarithm of a rational that a float may not hold."""
    return log_of(x.numerator) / math.log(2) - log_of(x.denominator) / math.log(2)


def log_of(x: int) -> float:
    """Return the natural logarithm of a whole number that a float may not hold."""
    extra = max(0, x.bit_length() - 64)
    return math.log(x >> extra) + extra * math.log(2)


def as_rate(epsilon: object, grid: Grid) -> Fraction:
    """Return ε per metre, exactly as the decimal that it prints as."""
    remedy = "give ε per metre, such as 0.02"
    if isinstance(epsilon, bool) or not isinstance(epsilon, numbers.Real | Decimal):
        raise WrongTypeError("epsilon", "must be a number", remedy, got=epsilon)
    number = epsilon if isinstance(epsilon, Fraction | Decimal) else Decimal(repr(float(epsilon)))
    if isinstance(number, Decimal) and not number.is_finite():
        raise PrivacyError("epsilon", "must be finite", remedy, got=epsilon)
    exact = Fraction(number)
    far = math.hypot(grid.rows * grid.cell_height, grid.columns * grid.cell_width)
    near = min(grid.cell_height, grid.cell_width)
    if exact <= 0 or exact * Fraction(near) < Fraction(1, 10**6):
        raise PrivacyError("epsilon", "must be > 0, and 1e-6 for a cell", remedy, got=epsilon)
    if exact * Fraction(far) / 2 > MOST_EXPONENT:
        raise PrivacyError(
            "epsilon",
            f"times the map's diagonal must be at most {2 * MOST_EXPONENT}",
            "take a smaller map or a smaller ε",
            got=epsilon,
        )
    return exact


def as_weights(weights: object, grid: Grid) -> tuple[int, ...]:
    """Return integer weights of the cells, the largest 2**32; 0 only for 0."""
    if weights is None:
        return (1 << WEIGHT_BITS,) * grid.cells
    array = as_array(weights)
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError("weights", "must be numbers", "one for each cell")
    if array.shape not in ((grid.cells,), grid.shape):
        raise DomainError("weights", f"must have the shape ({grid.cells},)", got=array.shape)
    given = array.ravel().astype(np.float64)
    if not np.isfinite(given).all() or given.min() < 0:
        raise DomainError("weights", "must be finite and >= 0", "leave a cell out by 0")
    if not given.max() > 0:
        raise DomainError("weights", "must not all be 0", "keep at least one cell")
    scaled = np.rint(given / given.max() * (1 << WEIGHT_BITS))
    whole = np.where(given > 0, np.maximum(scaled, 1), 0)
    return tuple(int(w) for w in whole)
