"""Trajectories: a trip's length, its two ends, and one of its moves, each on a share of ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.errors import (
    DomainError,
    OutOfReachError,
    PrivacyError,
    ReportError,
    WrongTypeError,
    counted,
)
from sudare.estimation import Counts, Estimate
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.shares import ShareLaw
from sudare.exact import as_integer, log_bounds
from sudare.exact.entropy import Entropy, Randomness
from sudare.exact.parameters import EPSILON_MIN, is_list
from sudare.frozen import set_fields
from sudare.mechanisms.base import OneValue
from sudare.mechanisms.bulk import in_blocks, in_parts
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.frequency.methods import unbiased
from sudare.mechanisms.parameters import EPSILON, Parameter, choice, whole
from sudare.mechanisms.picked import wire_of
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.rates import grid_up_to
from sudare.mechanisms.registry import lookup, register
from sudare.mechanisms.trajectory.estimate import Moves, TripEstimates
from sudare.mechanisms.trajectory.trips import as_trips, moves_of, neighbours
from sudare.mechanisms.values import as_array, as_true_counts
from sudare.samplers import Pick, Product
from sudare.samplers.base import index_dtype

ORACLES = ("SubsetSelection", "GRR", "DyadicUnary")
SPLIT = (1, 2, 2, 5)
_LONGEST = 64
_DIGITS = 10**12
_PARTS = ("lengths", "begins", "ends", "moves")


def _as_split(split: Any, _: Any) -> tuple[int, ...]:
    if not is_list(split):
        raise WrongTypeError("split", "must be four whole numbers", f"such as {SPLIT}", got=split)
    if len(split) != len(_PARTS):
        rule = f"must have a number for each of {', '.join(_PARTS)}"
        raise DomainError("split", rule, f"such as {SPLIT}", got=len(split))
    return tuple(as_integer(one, "split", low=1, high=1000) for one in split)


_SPLIT = Parameter(
    name="split",
    read=_as_split,
    write=list,
    show=lambda split: "" if split == SPLIT else f"split={split}",
    examples=(SPLIT, (1, 1, 1, 1)),
    bad=(
        *((value, WrongTypeError) for value in (None, 3, "1225", (1.5, 2, 2, 5))),
        *((value, DomainError) for value in ((), (1, 2, 2), (0, 2, 2, 5), (1, 2, 2, 1001))),
    ),
)


@register
class Trajectories(OneValue):
    """Short trips over a map: how long they are, where they begin and end, which moves they make.

    A trip is 1 to ``longest`` cells, each a neighbour (of eight) of the one before. A device draws
    a place j of 1, ..., longest - 1, whatever the trip is, tells it, and sends four answers, each
    by the frequency oracle on its share of ε::

        the number of cells;   the first cell;   the last cell;
        the j-th move (a pair of neighbours), or "over" where the trip has none

    so that the share of a move, of all places, is its expected number in a trip divided by
    ``longest - 1``: unbiased, however long trips are. From the four estimates trips are made up by
    :meth:`TripEstimates.synthesise`.

    What is no such trip becomes one: cells that follow themselves count once, a jump is filled with
    the cells on the straight line, what is longer is cut. Cells off the map are refused.

    Guarantee: ε-local differential privacy of one whole trip, any two trips are neighbours: the
    losses of the four answers add up, and j does not depend on the trip.
    Reports: (n, bytes) uint8, the wire form: j - 1, then the four answers.

    Args:
        grid: the map.
        longest: most cells of a trip, 2 to 64.
        epsilon: ε of the whole report, 0.001 to 20.
        oracle: ``"SubsetSelection"``, ``"GRR"`` or ``"DyadicUnary"`` (for large maps).
        split: four whole numbers: of lengths, begins, ends and moves the share of ε.

    Raises:
        WrongTypeError, DomainError: no map, longest, oracle or split.
        WrongTypeError, PrivacyError: ε is out of range, or too small to be split.
        OutOfReachError: more moves than the oracle can take.

    Source: Du, Hu, Zhang, Fang, Chen, Zheng, Gao 2023 (LDPTrace, PVLDB 16): the three parts and
    their composition. There a person reports each move on an equal part of ε; here one that is
    drawn, on all of it.

    Examples:
        >>> import sudare as sd
        >>> grid = sd.Grid(rows=2, columns=2, cell_height=100.0, cell_width=100.0)
        >>> m = sd.Trajectories(grid, longest=3, epsilon=4.0)
        >>> m.moves.shape
        (12, 2)
        >>> reports = m.perturb([[0, 1, 3]] * 6000 + [[2]] * 4000, rng=sd.Entropy.seeded(b"trips"))
        >>> found = m.estimate(m.aggregate(reports))
        >>> [round(float(share), 1) for share in found.begins.shares]
        [0.6, 0.0, 0.4, 0.0]
        >>> found.synthesise(2, rng=sd.Entropy.seeded(b"more")).shape
        (2, 3)
    """

    conformance: ClassVar[str] = "sudare.testing.trajectory"
    name: ClassVar[str] = "Trajectories"
    covers: ClassVar[str] = "one whole trip: its length, both ends and its moves together"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        grid_up_to(),
        whole("longest", 2, _LONGEST, (3, 2, 4)),
        EPSILON,
        replace(choice("oracle", ORACLES), examples=("GRR", "SubsetSelection", "DyadicUnary")),
        _SPLIT,
    )
    __slots__ = ("grid", "longest", "oracle", "parts", "split")
    grid: Grid
    longest: int
    oracle: str
    split: tuple[int, ...]
    parts: tuple[FrequencyOracle, ...]
    """The oracles of lengths, begins, ends and moves; of these the last value is "over"."""
    program: Pick

    def __init__(
        self,
        grid: Grid,
        longest: int,
        epsilon: float | Fraction,
        oracle: str = "SubsetSelection",
        split: Sequence[int] = SPLIT,
    ) -> None:
        self._take(grid=grid, longest=longest, epsilon=epsilon, oracle=oracle, split=split)

    def _build(self) -> None:
        kind, left = lookup(self.oracle, FrequencyOracle), self.requested_epsilon
        sizes = (self.longest, self.grid.cells, self.grid.cells, len(self.moves) + 1)
        if self.requested_epsilon * min(self.split) < EPSILON_MIN * sum(self.split):
            raise PrivacyError(
                "epsilon",
                f"must leave at least {float(EPSILON_MIN)} for each of {', '.join(_PARTS)}",
                "take a larger ε, or another split",
                got=float(self.requested_epsilon),
            )
        if sizes[-1] > kind.max_k:
            rule = f"must have at most {counted(kind.max_k - 1, 'move')} for {self.oracle}"
            raise OutOfReachError("grid", rule, 'take oracle="DyadicUnary", or larger cells')
        parts = []
        for k, share in zip(sizes[:-1], self.split, strict=False):
            parts.append(kind(k, self.requested_epsilon * share / sum(self.split)))
            left -= log_bounds(parts[-1].program.ratio)[1]
        parts.append(kind(sizes[-1], Fraction(floor(left * _DIGITS), _DIGITS)))  # all that is left
        both = Product(tuple(part.program for part in parts))
        set_fields(self, parts=tuple(parts), program=Pick((both,) * (self.longest - 1)))

    @property
    def moves(self) -> Integers:
        """(moves, 2): the cells of each move, from and to."""
        return neighbours(self.grid.rows, self.grid.columns).pairs

    @property
    def part_epsilons(self) -> tuple[float, ...]:
        """ε of lengths, begins, ends and moves alone, rounded down."""
        return tuple(part.epsilon for part in self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(longest + 2 cells + moves + 1,)``: the counts of one part after the other."""
        return (sum(part.k for part in self.parts),)

    def split_support(self, support: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Return of each part its support."""
        return np.split(support, np.cumsum([part.k for part in self.parts])[:-1])

    # -- the respondent's side ---------------------------------------------------------------

    def trips(self, trips: Any) -> Integers:
        """Return trips as they are reported about: (n, longest) cells, -1 behind the last one.

        Args:
            trips: a list of cells for each of n people; or an array, (n, m) whole numbers, rows
                filled up with -1.

        Raises:
            WrongTypeError, DomainError: a trip has no cell, or one off the map.

        Examples:
            >>> import sudare as sd
            >>> m = sd.Trajectories(sd.Grid(1, 9, 100.0, 100.0), longest=4, epsilon=2.0)
            >>> m.trips([[3, 3, 4], [8, 0]]).tolist()
            [[3, 4, -1, -1], [8, 7, 6, 5]]
        """
        return as_trips(trips, self.grid, self.longest)

    def truth(self, trips: Any) -> list[Integers]:
        """Return how many trips have each length, begin and end, and how many places each move:
        what the four estimates are about, times n, and for moves ``n (longest - 1)``."""
        each = np.moveaxis(self._values(trips), -1, 0).astype(np.int64)
        columns = [*(one[:, 0] for one in each[:-1]), each[-1].ravel()]
        return [
            np.bincount(own, minlength=part.k)
            for own, part in zip(columns, self.parts, strict=True)
        ]

    def _values(self, values: Any) -> npt.NDArray[Any]:
        """Return (n, longest - 1, 4): at each place length less 1, begin, end, and move."""
        rows = self.trips(values)
        lengths = (rows >= 0).sum(axis=1)
        whole = np.stack([lengths - 1, rows[:, 0], rows[np.arange(len(rows)), lengths - 1]], axis=1)
        moves = moves_of(rows, self.grid)
        out = np.empty((*moves.shape, 4), dtype=index_dtype(max(part.k for part in self.parts)))
        out[..., :3], out[..., 3] = whole[:, None], moves
        return out

    def _value(self, value: Any) -> list[list[int]]:
        own: list[list[int]] = self._values([value])[0].tolist()
        return own

    def perturb(self, trips: Any, *, rng: Randomness = None) -> npt.NDArray[Any]:
        """Randomise the trips of n people.

        Args:
            trips: as :meth:`trips` takes them.
            rng: a seed, NumPy generator or Entropy to repeat a simulation; else the system's.

        Returns:
            (n, bytes) uint8: reports in their wire form.

        Raises:
            WrongTypeError, DomainError: as :meth:`trips`; nothing is randomised or returned.
        """
        return in_blocks(self._draw, rng, trips, report_bytes=self.report_bytes)

    def _draw(self, trips: Any, rng: Entropy) -> npt.NDArray[Any]:
        return wire_of(self.program, *self.program.draw(self._values(trips), rng))

    # -- the analyst's side ------------------------------------------------------------------

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Tally reports in the form that :meth:`perturb` returns: the supports of the four parts.

        Raises:
            WrongTypeError, ReportError: not this mechanism's reports.
        """
        array = as_array(reports)
        if array is None or array.dtype != np.uint8:
            raise WrongTypeError("reports", "must be bytes (uint8)", "use perturb's output")
        if array.ndim != 2 or array.shape[1] != self.report_bytes:
            raise ReportError("reports", f"must have the shape (n, {self.report_bytes})")
        _, places = self.program.decode(array.tobytes())
        columns = [np.concatenate(own) for own in zip(*places, strict=True)]
        each = zip(self.parts, columns, strict=True)
        return self._counts(
            np.concatenate([part.aggregate(own).support for part, own in each]), len(array)
        )

    def _adds_up(self, counts: Counts) -> bool:
        each = zip(self.parts, self.split_support(counts.support), strict=True)
        return all(part._adds_up(Counts(own, counts.n)) for part, own in each)

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> TripEstimates:
        """Estimate lengths, begins, ends and moves.

        For the respondents it is chance too which of a trip's moves is asked about, and what all of
        them are nobody knows: standard errors of moves are those of the population, which are never
        too small.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: the inverse, not clipped.
            target: whose shares the standard errors are about.

        Returns:
            Four estimates, each with the ``epsilon`` and ``n`` of whole reports.

        Raises:
            EstimationError: no reports, or other counts.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        whose: tuple[Target, ...] = (asked.target,) * 3 + ("population",)
        laws = [
            unbiased(ShareLaw(part.law, own, counts.n, one))
            for part, own, one in zip(
                self.parts, self.split_support(counts.support), whose, strict=True
            )
        ]
        moves = asked.conclude(laws[-1], Moves, pairs=self.moves, places=self.longest - 1)
        lengths, begins, ends = (asked.conclude(law, Estimate) for law in laws[:-1])
        return TripEstimates(lengths, begins, ends, moves)

    def expected_mse(self, n: int, shares: None = None, target: Target = "population") -> Floats:
        """Return the expected mean squared error of lengths, begins, ends and moves, (4,), at even
        shares; for moves that of the population.

        Raises:
            WrongTypeError, DomainError: n < 1, or shares are given.
        """
        if shares is not None:
            raise DomainError("shares", "must be left out", "even ones are assumed")
        check_target(target)
        whose: tuple[Target, ...] = (target,) * 3 + ("population",)
        pairs = zip(self.parts, whose, strict=True)
        return np.array([part.expected_mse(n, None, one) for part, one in pairs])

    def simulate(
        self, trips: Any, times: npt.ArrayLike | None = None, *, rng: Randomness = None
    ) -> Counts:
        """Draw the counts that people with these trips would produce: each is randomised.

        Args:
            trips: as :meth:`trips` takes them.
            times: how many people make each; None for one.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: no trips, or no such numbers.
        """
        rows = self.trips(trips)
        if times is not None:
            rows = rows.repeat(as_true_counts(times, len(rows)), axis=0)
        return self.aggregate(self.perturb(rows, rng=rng))
