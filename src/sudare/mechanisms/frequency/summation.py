"""Summation with histogram encoding: a noisy number a category, and their sums."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare import samplers
from sudare.arrays import Floats, Integers
from sudare.channels import Dense
from sudare.errors import DomainError, OutOfReachError, ReportError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.support import PairLaw
from sudare.exact import exp_bounds, log_bounds
from sudare.exact.entropy import Entropy, EntropySource
from sudare.mechanisms.base import adds_up_to
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.base import TOLERANCE, FrequencyOracle
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import as_array
from sudare.samplers import base

if TYPE_CHECKING:
    from sudare.samplers import Table

_WIDTH = 64
_SLACK = Fraction(3, 10**7)  # of ε, for the rounding of the weights
_REACH = 16  # the table goes to where noise has fallen to e^-8
_MOST_WRITTEN = 1 << 18  # cells of the channel
_MOST_COUNTED = 1 << 24  # numbers of all categories
_MOST_DRAWN = 1 << 22  # numbers of reports, at once


@dataclass(frozen=True)
class NumberLaw(PairLaw):
    """The law of reports that say a number of each category, independent given the value.

    ``p`` and ``q`` are the means of the number of the true category and of another one. The other
    number's law is the true one's in a mirror: of one variance, and of opposite skewness.

    Attributes:
        square: variance of a number.
        cube: third central moment of the true category's.
    """

    square: Fraction
    cube: Fraction
    counted: ClassVar[bool] = False

    def cells(self, shares: Floats) -> Floats:
        """n times the variance of each estimated share, the respondents fixed: one for all."""
        return np.full_like(shares, float(self.square / (self.p - self.q) ** 2))

    def third_of_cells(self, shares: Floats, sampled: bool) -> Floats:
        """As every law, and exact."""
        x, cube = shares, float(self.cube / (self.p - self.q) ** 3)
        out: Floats = (2 * x - 1) * cube
        return out + x * (1 - x) * (1 - 2 * x) if sampled else out


@dataclass(frozen=True, slots=True)
class NoisyHistogram(base.Unsent):
    """Send a number a category: ``part`` of 1 for the value's, of 0 for the others, in their order.

    A report is k numbers below ``part.outputs``; one report consumes k words.
    """

    refusal: ClassVar[tuple[str, str]] = (
        "must be of a kind that devices run",
        "SHE is there to be compared with; use SubsetSelection instead",
    )
    k: int
    part: Table

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def outputs(self) -> int:
        """All rows of k numbers."""
        return int(self.part.outputs**self.k)

    @property
    def ratio(self) -> Fraction:
        """That of two numbers: of the one value's and of the other's; the rows are mirrored."""
        return self.part.ratio**2

    @property
    def guess_probability(self) -> float:
        """The best guess is the category of the largest number::

        Σ_r (F(r)^k - F(r - 1)^k) P(r | 1) / P(r | 0) / k

        with F the distribution function of a number of 0.
        """
        other, own = (np.array(row, dtype=np.float64) for row in self.part.weights())
        below = np.cumsum(other) / other.sum()
        steps = np.diff(below**self.k, prepend=0.0)
        return float((steps * own / other).sum() / self.k)

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``, the last category fastest."""
        other, own = self.part.laws([0, 1])
        rows = ([own if i == v else other for i in range(self.k)] for v in values)
        return [[math.prod(cells, start=Fraction(1)) for cells in product(*row)] for row in rows]

    def wires(self) -> Iterator[bytes]:
        """Yield every report's wire form."""
        return map(self.encode_one, product(range(self.part.outputs), repeat=self.k))

    @property
    def report_bytes(self) -> int:
        """One or two bytes a category."""
        return self.k * self.part.report_bytes

    def encode_one(self, report: Any) -> bytes:
        """Return the numbers one after the other, each little-endian."""
        if len(report) != self.k:
            raise ReportError("report", f"must have {self.k} numbers")
        return b"".join(self.part.encode_one(int(number)) for number in report)

    def decode(self, wire: bytes) -> npt.NDArray[Any]:
        """Return the (n, k) numbers, each checked."""
        base.wire_rows(wire, self.report_bytes)
        return self.part.decode(wire).reshape(-1, self.k)

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise values: (n, k) numbers."""
        out = np.empty((values.shape[0], self.k), dtype=base.index_dtype(self.part.outputs))
        step = max(1, _MOST_DRAWN // self.k)
        for start in range(0, out.shape[0], step):
            some = values[start : start + step]
            held = np.zeros((some.size, self.k), dtype=np.uint8)
            held[np.arange(some.size), some] = 1
            out[start : start + step] = self.part.draw(held.ravel(), rng).reshape(held.shape)
        return out

    def draw_one(self, value: int, entropy: EntropySource) -> npt.NDArray[Any]:
        """Randomise one value."""
        numbers = [self.part.draw_one(int(i == value), entropy) for i in range(self.k)]
        return np.array(numbers, dtype=base.index_dtype(self.part.outputs))


@register
class SHE(FrequencyOracle):
    """Add noise to 1 for the true category and to 0 for the others; the noisy numbers are summed.

    ::

        P(noise = j) = a^|j| (1 - a) / (1 + a),   a = e^(-ε/2)
        share = (sum / n - mean of 0) / (mean of 1 - mean of 0)

    Numbers beyond -B and B + 1 are moved there, with B the least at which noise has fallen to
    e^-8; what that does to the means and the variance is taken from the integers. The Laplace noise
    of the source has about the same variance, 8/ε², where ε is small.

    Guarantee: ε-local differential privacy of one answer: two answers differ in two numbers, each
    of ε/2. Reports: (n, k) numbers from 0, which stands for -B. Counts: how often each number came
    for each category, (k, 2 B + 2). Source: Wang et al. 2017, section 4.2; discrete Laplace noise:
    Ghosh, Roughgarden, Sundararajan 2012.

    Integers: a table of 2^64 for 0, and its mirror image for 1.

    Examples:
        >>> import sudare as sd
        >>> m = sd.SHE(k=10, epsilon=2.0)
        >>> m.program.part.outputs, m.report_bytes, round(float(m.law.cells(np.zeros(1))[0]), 2)
        (18, 10, 1.84)
    """

    name: ClassVar[str] = "SHE"
    dominated_by: ClassVar[str] = "SubsetSelection"
    conformance: ClassVar[str] = "sudare.testing.summation"
    __slots__ = ()
    program: NoisyHistogram

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> NoisyHistogram:
        part = noisy(epsilon)
        if not 0 <= epsilon - log_bounds(part.ratio**2)[0] <= TOLERANCE:
            raise OutOfReachError("epsilon", f"is out of reach for {cls.name}", got=float(epsilon))
        return NoisyHistogram(k, part)

    @classmethod
    def most_categories(cls, epsilon: Fraction) -> int:
        """Return how many have no more than 2^24 different numbers together."""
        return min(cls.max_k, _MOST_COUNTED // noisy(epsilon).outputs)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(k, numbers)``."""
        return self.k, self.program.part.outputs

    def _adds_up(self, counts: Counts) -> bool:
        return all(adds_up_to(own, counts.n) for own in counts.support)

    def _supports(self, tally: Integers) -> Integers:
        """Return the sum of each category's numbers, (k,)."""
        return np.asarray(tally @ np.arange(self.program.part.outputs))

    @property
    def law(self) -> NumberLaw:
        """Means and moments of the numbers, from the integers."""
        return _law(self.program.part)

    @property
    def channel(self) -> Dense:
        """One row a report, one column a category, of a few (DomainError beyond)."""
        if self.k * self.program.outputs > _MOST_WRITTEN:
            rule = f"is written out up to {_MOST_WRITTEN} cells only"
            raise DomainError("channel", rule, "use law, which the estimates need", got=self.k)
        return Dense.from_matrix(self.program.matrix())

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count each number of each category; reports: (n, k) whole numbers."""
        array, outputs = as_array(reports), self.program.part.outputs
        if array is None or array.dtype.kind not in "iu":
            raise WrongTypeError("reports", f"must be whole numbers in [0, {outputs})")
        if array.ndim != 2 or array.shape[1] != self.k:
            rule = f"must have the shape (n, {self.k})"
            raise ReportError("reports", rule, "use perturb's output")
        if array.size and (array.min() < 0 or array.max() >= outputs):
            rule = f"must lie in [0, {outputs})"
            raise ReportError("reports", rule, "use this mechanism's reports")
        columns = [np.bincount(own, minlength=outputs) for own in array.T.astype(np.intp)]
        return self._counts(np.array(columns, dtype=np.int64), array.shape[0])

    def _simulate(self, truth: Integers, generator: np.random.Generator) -> Integers:
        """Draw a multinomial of the numbers of those with a category, and of the others."""
        other, own = np.array(self.program.part.weights(), dtype=np.float64) / 2.0**_WIDTH
        rest = generator.multinomial(truth.sum() - truth, other / other.sum())
        return np.asarray(rest + generator.multinomial(truth, own / own.sum()))


@lru_cache(64)
def noisy(epsilon: Fraction) -> Table:
    """Return the table of the noisy numbers of 0 and of 1, whose ratio is e^(ε/2) but for 5e-7."""
    fall = exp_bounds(-(epsilon / 2 - _SLACK / 2))[1]
    reach = math.ceil(_REACH / epsilon)
    total = 1 << _WIDTH
    scale = 2 * _WIDTH  # of the powers, in bits
    step, powers = int(fall * (1 << scale)), [1 << scale]
    for _ in range(reach + 1):
        powers.append(powers[-1] * step >> scale)
    tail = [power * (1 << scale) // ((1 << scale) - step) for power in powers]
    inner = [powers[abs(j)] for j in range(-reach + 1, reach + 1)]
    whole = sum(inner) + tail[reach] + tail[reach + 1]
    row = [total * one // whole for one in (tail[reach], *inner, tail[reach + 1])]
    row[reach] += total - sum(row)
    return samplers.Table.from_weights([row, row[::-1]], _WIDTH)


@lru_cache(64)
def _law(part: Table) -> NumberLaw:
    total, own = 1 << part.width, part.weights()[1]
    mean = Fraction(sum(i * weight for i, weight in enumerate(own)), total)
    first, second, third = (
        Fraction(sum(i**j * weight for i, weight in enumerate(own)), total) for j in (1, 2, 3)
    )
    square = second - first**2
    cube = third - 3 * first * second + 2 * first**3
    other = part.outputs - 1 - mean
    return NumberLaw(mean, other, mean * other, other * other, square, cube)
