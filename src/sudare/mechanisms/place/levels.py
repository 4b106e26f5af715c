"""``PlaceLevels``: ε by person, one mechanism for each level of protection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sudare.alignment import align, check_rows
from sudare.arrays import Floats, Integers
from sudare.channels import Numeric
from sudare.errors import DomainError, EstimationError, ReportError, WrongTypeError
from sudare.estimation import Counts, Estimate, project
from sudare.estimation.caution import FEW
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.conclude import EstimateRequest, MethodResult, check_method
from sudare.estimation.counts import as_counts
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.smoothing import iterate
from sudare.exact.entropy import Randomness, as_entropy
from sudare.mechanisms.place.base import Place
from sudare.mechanisms.place.grid import as_cells
from sudare.mechanisms.values import as_array

METHODS = ("unbiased", "projected", "em", "mle")


class PlaceLevels:
    """ε by person: everybody picks a level of protection, and each level has its mechanism.

    The level goes along with the report in clear. It must be picked without looking at the place
    (people who pick a level are assumed to be spread like the others); then the likelihoods of all
    levels are those of one distribution, and all reports count for it, the accurate ones more.

    Args:
        mechanisms: one for each level, all of the same places.

    Raises:
        WrongTypeError, DomainError: no mechanisms of places, or of different ones.

    Examples:
        >>> import sudare as sd
        >>> grid = sd.Grid(3, 3, cell_height=100.0, cell_width=100.0)
        >>> both = sd.PlaceLevels([sd.GridExponential(grid, e) for e in (0.01, 0.04)])
        >>> both.epsilons, both.cells
        ((0.0065..., 0.0217...), 9)
        >>> reports = both.perturb([4, 4, 5], [0, 1, 1], rng=sd.Entropy.seeded(b"levels"))
        >>> reports.shape, reports[:, 0].tolist()
        ((3, 2), [0, 1, 1])
    """

    def __init__(self, mechanisms: Sequence[Place]) -> None:
        levels = tuple(mechanisms) if isinstance(mechanisms, list | tuple) else ()
        if not levels or not all(isinstance(one, Place) for one in levels):
            raise WrongTypeError("mechanisms", "must be mechanisms of places", "one for each level")
        if len({(one.grid, one.cells) for one in levels}) > 1:
            raise DomainError("mechanisms", "must all be about the same places")
        self.mechanisms = levels

    def __repr__(self) -> str:
        return f"PlaceLevels({list(self.mechanisms)!r})"

    @property
    def cells(self) -> int:
        """Number of cells."""
        cells: int = self.mechanisms[0].cells
        return cells

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """ε per metre really spent at each level."""
        return tuple(one.epsilon for one in self.mechanisms)

    def perturb(
        self, values: npt.ArrayLike, levels: npt.ArrayLike, *, rng: Randomness = None
    ) -> Integers:
        """Randomise cells, each by the mechanism of its person's level.

        Args:
            values: (n,) cells.
            levels: (n,) levels, in [0, number of mechanisms).
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Returns:
            (n, 2) int64: the level and the reported cell.

        Raises:
            WrongTypeError, DomainError: a value is outside the domain; nothing is randomised.
        """
        check_rows({"values": values, "levels": levels})
        cells = as_cells(values, self.cells)
        kinds = as_cells(levels, len(self.mechanisms), "levels")
        if kinds.shape != cells.shape:
            raise DomainError("levels", "must have the shape of values", "one for each person")
        entropy = as_entropy(rng)
        out = np.empty((cells.size, 2), dtype=np.int64)
        out[:, 0] = kinds
        for level, mechanism in enumerate(self.mechanisms):
            here = np.flatnonzero(kinds == level)
            if here.size:
                out[here, 1] = mechanism.perturb(cells[here], rng=entropy)
        return out

    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the reported cells of each level: support (levels, cells).

        Raises:
            WrongTypeError, ReportError: not (n, 2) levels and cells.
        """
        array = as_array(reports)
        if array is None or array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != 2:
            raise WrongTypeError("reports", "must be whole numbers (n, 2)", "level and cell")
        limits = (len(self.mechanisms), self.cells)
        if array.size and (array.min() < 0 or (array >= np.array(limits)).any()):
            raise ReportError("reports", "must be levels and cells of this mechanism")
        flat = np.ravel_multi_index((array[:, 0], array[:, 1]), limits)
        support = np.bincount(flat, minlength=limits[0] * limits[1]).reshape(limits)
        return Counts(support.astype(np.int64), array.shape[0])

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts of (levels, cells) respondents: exact in law.

        Raises:
            WrongTypeError, DomainError: not such counts.
        """
        shape = (len(self.mechanisms), self.cells)
        truth = as_array(align(true_counts, shape, "true_counts"))
        if truth is None or truth.dtype.kind not in "iu" or truth.shape != shape:
            raise WrongTypeError("true_counts", f"must be whole numbers of the shape {shape}")
        entropy = as_entropy(rng)
        support = np.zeros(shape, dtype=np.int64)
        for level, mechanism in enumerate(self.mechanisms):
            if truth[level].any():
                support[level] = mechanism.simulate(truth[level], rng=entropy).support
        return Counts(support, int(support.sum()))

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> Estimate:
        """Estimate the share of the people in each cell, from the reports of all levels.

        ::

            M = (s_1 M_1; s_2 M_2; ...),   s_l the share of level l among the reports

        Args:
            counts: tally of the reports, support (levels, cells).
            method: ``"unbiased"``: least squares, a report weighted by how rare it is;
                ``"projected"``, ``"em"``, ``"mle"`` as of a single mechanism.
            target: whose shares the standard errors are about.

        Raises:
            EstimationError: no reports, or counts of other places.
            DomainError: unknown method or target.
        """
        whose, known = check_target(target), check_method(METHODS, method)
        self._check(counts)
        covers = f"{self.mechanisms[0].covers}, at the level that spends most"
        asked = EstimateRequest(counts, known, whose, max(self.epsilons), covers)
        return asked.conclude(self._found(counts, known, whose), Estimate)

    def _found(self, counts: Counts, method: str, target: Target) -> MethodResult:
        channel = self._stacked(counts)
        support = counts.support.reshape(-1)
        even = np.full(self.cells, 1 / self.cells)

        def few(shares: Floats) -> npt.NDArray[np.bool_]:
            expected = channel.apply(np.clip(shares, 0, None)).reshape(counts.support.shape)
            rare: npt.NDArray[np.bool_] = counts.n * expected.sum(axis=0) < FEW
            return rare

        if method in ("em", "mle"):
            fit = iterate(method, channel, support, even, lambda x: x)
            return MethodResult(fit.shares, few(fit.shares), rule=fit.rule)
        law = ChannelLaw(channel, support, counts.n, target)
        if method == "unbiased":
            return MethodResult(law.shares, few(law.shares), law)
        shares = project(law.shares)
        return MethodResult(shares, few(shares))

    def _check(self, counts: Counts) -> None:
        as_counts(counts)
        if counts.support.shape != (len(self.mechanisms), self.cells):
            raise EstimationError("counts.support", "must have a row a level, a column a cell")
        if counts.n == 0 or int(counts.support.sum()) != counts.n:
            raise EstimationError("counts", "must hold one cell a report, at least one report")

    def _stacked(self, counts: Counts) -> Numeric:
        shares = counts.support.sum(axis=1) / counts.n
        laws = [s * one.matrix() for s, one in zip(shares, self.mechanisms, strict=True)]
        return Numeric(np.concatenate(laws))
