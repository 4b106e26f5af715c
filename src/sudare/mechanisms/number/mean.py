"""Mechanisms for the mean of a number: each report stands for a number that is unbiased."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import align_to
from sudare.arrays import Floats, Integers
from sudare.estimation import Counts, Quantity
from sudare.estimation.caution import FEW, FEW_REPORTS, Caution
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.number import NumberEstimate
from sudare.estimation.quantity import Bounds
from sudare.estimation.spread import Spread
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.number.base import Number
from sudare.mechanisms.number.noise import EVENLY, Noise, rounding
from sudare.mechanisms.number.validation import as_part, as_parts, each_within
from sudare.mechanisms.number.window import WIDTH, Rows, Scores
from sudare.mechanisms.values import as_true_counts
from sudare.samplers import Round, Table
from sudare.samplers.base import index_dtype

STEPS = 1 << 31
"""Positions from ``low`` to ``high``: a number is rounded to the nearest of them."""


class MeanOfNumber(Number):
    """A number goes to a node at random, unbiased; the node to a report; the report to a number.

    ::

        number x  ->  position on 2^31 steps  ->  node i of 0..cells  ->  report j  ->  score_j
        E[score_j | i] = i,   E[i | x] = position of x,   both exactly

    so that the mean of the reports' numbers is unbiased for the mean of the positions.

    Must implement: ``_law``.
    """

    __slots__ = ("scores",)
    program: Round
    scores: Scores
    """Of each report the number it stands for, in nodes from ``low`` on: exact."""

    def __init__(self, epsilon: float | Fraction, low: float = -1.0, high: float = 1.0) -> None:
        """Declare the range of the number.

        Args:
            epsilon: ε of one answer, 0.001 to 20.
            low, high: the ends of the range, within ±1e100.

        Raises:
            WrongTypeError, DomainError: not such a range.
            WrongTypeError, PrivacyError: ε is out of range.
        """
        self._take(epsilon=epsilon, low=low, high=high)

    def _build(self) -> None:
        rows, scores = self._law(self.requested_epsilon)
        part = Table.from_weights(rows, WIDTH)
        cells = len(rows) - 1
        set_fields(self, scores=scores)
        self._settle(Round(steps=STEPS // cells, cells=cells, part=part))

    @staticmethod
    @abstractmethod
    def _law(epsilon: Fraction) -> tuple[Rows, Scores]:
        """Return the weights ``[node][report]`` and the reports' scores.

        One less than the number of nodes is a power of two.
        """

    @property
    def table(self) -> Table:
        """The law from a node to a report, in 64-bit integers."""
        part: Any = self.program.part
        return part  # type: ignore[no-any-return]

    @property
    def cells(self) -> int:
        """Steps from the first node to the last."""
        return self.program.cells

    @property
    def numbers(self) -> Floats:
        """(reports,) the number that each report stands for; most lie outside [low, high]."""
        out: Floats = self._middle + self._unit * self._centred
        return out

    # -- the respondent's side ---------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
        low, high = self.low, self.high

        def positions(own: Floats) -> Floats:
            own -= low
            own /= high - low
            own *= STEPS
            own += 0.5  # rounded down where they become whole numbers
            return own

        return each_within(values, low, high, positions, index_dtype(STEPS + 1))

    def _value(self, value: Any) -> int:
        return math.floor(as_part(value, self.low, self.high) * STEPS + 0.5)

    # -- the law, in nodes from the middle of the range --------------------------------------

    @property
    def _unit(self) -> float:
        return (self.high - self.low) / self.cells

    @property
    def _middle(self) -> float:
        return self.low + (self.high - self.low) / 2

    @cached_property
    def _centred(self) -> Floats:
        half = Fraction(self.cells, 2)
        return np.array([float(score - half) for score in self.scores])

    @cached_property
    def _nodes(self) -> Floats:
        return np.arange(self.cells + 1, dtype=np.float64) - self.cells / 2

    @cached_property
    def _squares(self) -> Floats:
        """(nodes,) the expected square of what a report of each stands for."""
        out: Floats = self.channel.adjoint(self._centred**2)
        return out

    def _noise(self, mean: float, square: float) -> float:
        """Return the mean variance of a report's number at its node, from the reports' mean and
        mean square.

        ``E[score² | node]`` is quadratic in the node: how far the nodes lie apart is known, and
        with it the noise of the law, however few of its rare reports are there.
        """
        far = (self.cells / 2) ** 2
        ends, centre = float(self._squares[0]), float(self._squares[self.cells // 2])
        rise = (ends - centre) / far
        apart = min(max((square - centre) / rise, mean * mean), far)
        return centre + (rise - 1) * apart

    def _rounding(self, support: Integers) -> float:
        """Return the mean variance of rounding to nodes, where most reports name their node."""
        near = support[: self.cells + 1]
        named = self.channel.dense()[: self.cells + 1].diagonal().min() > 1 / 2
        return rounding(near) if named and near.any() else EVENLY

    # -- the analyst's side ------------------------------------------------------------------

    def estimate(
        self, counts: Counts, method: str = "unbiased", target: Target = "population"
    ) -> NumberEstimate:
        """Estimate the mean of the respondents' numbers.

        ::

            mean = Σ_j c_j number_j / n

        Unbiased and not clipped. Standard error: of the population by the variance of the reports'
        numbers; of the respondents by the mechanism's noise at their numbers, as far as the reports
        tell these (a report of one bit does not: there both are the same, and on the safe side).

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``.
            target: whose mean the standard error is about.

        Raises:
            EstimationError: no reports, or counts of another mechanism.
            DomainError: unknown method or target.
        """
        asked = self._asked(counts, method, target)
        shares = counts.support / counts.n
        mean, square = float(shares @ self._centred), float(shares @ self._centred**2)
        value = self._middle + self._unit * mean
        bounds: Bounds
        if asked.target == "respondents" and self.cells > 1:
            noise = self._noise(mean, square)
            variance = self._unit**2 * (noise + self._rounding(counts.support)) / counts.n
            bounds = self._noise_law(counts.support, noise)
        else:
            least = float((self._squares - self._nodes**2).min())
            variance = self._unit**2 * max(square - mean * mean, least) / counts.n
            bounds = self._spread(shares, mean, variance, counts.n)
        few = "fewer than 30 reports: the interval is rough"
        warnings = (Caution(few, FEW_REPORTS),) if counts.n < FEW else ()
        return asked.answer(
            NumberEstimate, warnings, mean=Quantity(value, math.sqrt(variance), _bounds=bounds)
        )

    def _spread(self, y: Floats, mean: float, variance: float, n: int) -> Spread:
        """Return how the mean varies where the reports have the shares y, of nodes apart by 1."""
        unit = self._unit
        noise = unit**2 * (self._squares - self._nodes**2) / n
        return Spread(
            now=variance,
            third=unit**3 * float(y @ (self._centred - mean) ** 3) / n**2,
            bottom=self.low,
            top=self.high,
            at_bottom=float(noise[0]),
            at_top=float(noise[-1]),
            asked=1 / n,
            step=unit * float(np.diff(np.unique(self._centred)).min()) / n,
        )

    def _noise_law(self, support: Integers, variance: float) -> Noise:
        return Noise(
            self.channel, self._centred, self._nodes, support, variance,
            self._unit, self.low, self.high,
        )  # fmt: skip

    # -- before collecting -------------------------------------------------------------------

    def expected_mse(
        self, n: int, values: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Expected squared error of the mean, before anything is collected.

        ::

            (E[number²] - mean(x)²) / n  (population),    (E[number²] - mean(x²)) / n  (respondents)

        Args:
            n: number of respondents.
            values: numbers that stand for all of them; None for the least favourable ones.
            target: whose mean the error is about.

        Raises:
            WrongTypeError, DomainError: n is no number of respondents, or not such values.

        Examples:
            >>> import sudare as sd
            >>> round(sd.Duchi(1.0).expected_mse(1000), 6)          # ((e + 1) / (e - 1))² / 1000
            0.004683
        """
        size = as_integer(n, "n", low=1, high=2**62)
        whose = check_target(target)
        if values is None:
            worst = self._worst_noise() if whose == "respondents" else float(self._squares.max())
            return self._unit**2 * worst / size
        x = as_parts(values, self.low, self.high) * self.cells - self.cells / 2
        square = float(np.interp(x, self._nodes, self._squares).mean())
        taken = float((x * x).mean()) if whose == "respondents" else float(x.mean()) ** 2
        return self._unit**2 * (square - taken) / size

    def _worst_noise(self) -> float:
        """Return the largest variance of a report's number, over all numbers held.

        Between two nodes it is a parabola.
        """
        start, rise = self._squares[:-1], np.diff(self._squares)
        top = np.clip(rise / 2 - self._nodes[:-1], 0, 1)
        return float((start + top * rise - (self._nodes[:-1] + top) ** 2).max())

    def simulate(
        self,
        values: npt.ArrayLike,
        true_counts: npt.ArrayLike | None = None,
        *,
        rng: Randomness = None,
    ) -> Counts:
        """Draw the counts of respondents who hold these numbers: the exact law of the tally.

        Args:
            values: (k,) numbers in [low, high].
            true_counts: (k,) how many respondents hold each; default one each.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not such numbers or counts.
        """
        positions = self._values(values).astype(np.int64)
        ones = np.ones(positions.size, dtype=np.int64)
        truth = (
            ones
            if true_counts is None
            else as_true_counts(align_to(true_counts, values, "true_counts"), positions.size)
        )
        generator = as_entropy(rng).generator()
        low, rest = np.divmod(positions, self.program.steps)
        up = generator.binomial(truth, rest / self.program.steps)
        nodes = np.zeros(self.cells + 2, dtype=np.int64)
        np.add.at(nodes, low, truth - up)
        np.add.at(nodes, low + 1, up)
        return self._counts(self._reports_of(nodes[:-1], generator), int(truth.sum()))
