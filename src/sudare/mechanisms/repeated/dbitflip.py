"""dBitFlipPM: d of the k categories drawn for good, and a permanent bit of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.channels import Dense
from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.support import PairLaw
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.uniform import uniform, uniform_one
from sudare.frozen import set_fields
from sudare.mechanisms.base import adds_up_to
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.labels import CATEGORIES
from sudare.mechanisms.parameters import EPSILON, Parameter
from sudare.mechanisms.registry import register
from sudare.mechanisms.repeated.base import Repeated, not_of_this
from sudare.mechanisms.repeated.memory import Memory, Permanent
from sudare.mechanisms.repeated.totals import as_rounds
from sudare.mechanisms.repeated.unary import is_packed
from sudare.mechanisms.values import as_array
from sudare.samplers import Keep, base
from sudare.samplers.packed import pack

NOT_ASKED, NO, YES = range(3)
_MOST_K = 1024


@dataclass(frozen=True, slots=True)
class SampledBits(base.Unsent):
    """Draw ``size`` of k categories, each set alike; ``part`` says of each whether it is the value.

    A report is k digits: 0 not asked, 1 no, 2 yes; on the wire a byte each.
    """

    refusal: ClassVar[tuple[str, str]] = (
        "must be of a kind that devices run",
        "DBitFlipPM is there to be compared with; use LGRR, LOSUE or LSUE instead",
    )
    k: int
    size: int
    part: Keep

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def outputs(self) -> int:
        """Sets of categories, times their bits."""
        return comb(self.k, self.size) << self.size

    @property
    def ratio(self) -> Fraction:
        """That of two bits, in which two values differ; of the one bit, where there is one."""
        return self.part.ratio ** min(self.size, 2)

    @property
    def rates(self) -> tuple[Fraction, Fraction]:
        """Probabilities that a bit tells the truth, and that it does not."""
        right, wrong = self.part.laws([0])[0]
        return right, wrong

    @property
    def guess_probability(self) -> float:
        """A yes is the best guess, then what was not asked::

        ( (1 - p^d) p / q + p^d (1, or q / p where all are asked) ) / k
        """
        p, q = (float(one) for one in self.rates)
        none = p**self.size
        return ((1 - none) * p / q + none * (1 if self.size < self.k else q / p)) / self.k

    def rows(self) -> Iterator[tuple[int, ...]]:
        """Yield all reports."""
        for asked in combinations(range(self.k), self.size):
            for bits in product((NO, YES), repeat=self.size):
                told = dict(zip(asked, bits, strict=True))
                yield tuple(told.get(i, NOT_ASKED) for i in range(self.k))

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: any set alike, then its bits."""
        right, wrong = self.rates
        share = Fraction(1, comb(self.k, self.size))

        def one(value: int, row: tuple[int, ...]) -> Fraction:
            told = ((d == YES) == (i == value) for i, d in enumerate(row) if d != NOT_ASKED)
            return share * prod((right if true else wrong for true in told), start=Fraction(1))

        return [[one(value, row) for row in self.rows()] for value in values]

    def sets(self, n: int, rng: Entropy) -> npt.NDArray[np.bool_]:
        """Draw the sets of n people, (n, k)."""
        left, out = np.full(n, self.size), np.zeros((n, self.k), dtype=np.bool_)
        for i in range(self.k):
            out[:, i] = uniform(n, self.k - i, rng) < left
            left -= out[:, i]
        return out

    def one_set(self, entropy: EntropySource) -> npt.NDArray[np.bool_]:
        """Draw the set of one person, (k,)."""
        left, out = self.size, np.zeros(self.k, dtype=np.bool_)
        for i in range(self.k):
            out[i] = uniform_one(self.k - i, entropy) < left
            left -= int(out[i])
        return out

    def bits(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.bool_]:
        """Draw a bit of each category for n values, of which k is no category."""
        held = (values[:, None] == np.arange(self.k)).astype(np.uint8)
        drawn = self.part.draw(held.reshape(-1), rng).reshape(held.shape)
        return np.asarray(drawn, dtype=np.bool_)

    def one_bits(self, value: int, entropy: EntropySource) -> npt.NDArray[np.bool_]:
        """Draw a bit of each category for one value."""
        told = [self.part.draw_one(int(i == value), entropy) for i in range(self.k)]
        return np.array(told, dtype=np.bool_)

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint8]:
        """Randomise values: (n, k) digits."""
        return digits(self.sets(values.size, rng), self.bits(values, rng))

    def draw_one(self, value: int, entropy: EntropySource) -> npt.NDArray[np.uint8]:
        """Randomise one value: its set, then a bit a category."""
        return digits(self.one_set(entropy), self.one_bits(value, entropy))

    def fits(self, rows: npt.NDArray[Any]) -> bool:
        """Whether rows are reports."""
        known = bool(((rows >= NOT_ASKED) & (rows <= YES)).all())
        return known and bool(((rows != NOT_ASKED).sum(axis=1) == self.size).all())

    @property
    def report_bytes(self) -> int:
        """One byte a category."""
        return self.k

    def encode_one(self, report: Any) -> bytes:
        """Return the digits."""
        row = np.asarray(report)
        if row.shape != (self.k,) or not self.fits(row[None]):
            raise ReportError("report", f"must be {self.k} digits, {self.size} of them not 0")
        return row.astype(np.uint8).tobytes()

    def decode(self, wire: bytes) -> npt.NDArray[np.uint8]:
        """Return (n, k) digits, each row checked."""
        rows = base.wire_rows(wire, self.report_bytes)
        if not self.fits(rows):
            raise ReportError("report", f"must be {self.k} digits, {self.size} of them not 0")
        return rows

    def wires(self) -> Iterator[bytes]:
        """Yield every report's wire form."""
        return map(bytes, self.rows())


def digits(asked: npt.NDArray[np.bool_], told: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return 0 where not asked, 1 for no, 2 for yes."""
    return np.asarray(asked * (1 + told.astype(np.uint8)), dtype=np.uint8)


@dataclass(frozen=True)
class BitLaw(PairLaw):
    """The law of a number a category: p for a yes, -q for a no, 0 where it was not asked.

    Its mean is (d / k) (p - q) for the true category and 0 for the others, so that no two are
    correlated.

    Attributes:
        own, other: variance and third central moment of the number, over its mean, of the true
            category and of another one.
    """

    own: tuple[Fraction, Fraction]
    other: tuple[Fraction, Fraction]
    counted: ClassVar[bool] = False

    @classmethod
    def of(cls, program: SampledBits) -> BitLaw:
        """Return the law of a program, in its integers."""
        (right, wrong), width = program.rates, 1 << program.part.width
        asked = Fraction(program.size, program.k)
        mean = asked * (right - wrong)

        def moments(yes: Fraction, center: int) -> tuple[Fraction, Fraction]:
            values = ((asked * yes, right), (asked * (1 - yes), -wrong), (1 - asked, Fraction(0)))
            second, third = (
                sum((chance * (x / mean - center) ** j for chance, x in values), Fraction(0))
                for j in (2, 3)
            )
            return second, third

        zero = Fraction(0)
        return cls(mean * width, zero, zero, zero, moments(right, 1), moments(wrong, 0))

    def cells(self, shares: Floats) -> Floats:
        """n times the variance of each estimated share, the respondents fixed."""
        return np.asarray(shares * float(self.own[0]) + (1 - shares) * float(self.other[0]))

    def third_of_cells(self, shares: Floats, sampled: bool) -> Floats:
        """As every law, and exact."""
        x = shares
        out: Floats = x * float(self.own[1]) + (1 - x) * float(self.other[1])
        if not sampled:
            return out
        apart = 3 * float(self.own[0] - self.other[0]) + 1 - 2 * x
        return np.asarray(out + x * (1 - x) * apart)


_SIZE = Parameter(
    name="d",
    read=lambda d, m: m.k if d is None else as_integer(d, "d", low=1, high=m.k),
    examples=(None, 1, 2),
    bad=((0, DomainError), (4, DomainError), (1.5, WrongTypeError), ("1", WrongTypeError)),
)


@register
class DBitFlipPM(Repeated):
    """d of the k categories drawn once, and a permanent bit of each: told as it is in each round.

    ::

        p = e^(ε/2) / (e^(ε/2) + 1),  q = 1 - p      (one bit alone: e^ε)
        share_j = k / (n d) Σ over those asked about j of (bit - q) / (p - q)

    There is no second step: the first report is the permanent answer, and whoever sees two rounds
    sees that an answer changed, unless both answers are among those not asked about.

    Args:
        k: number of categories, 2 to 1,024; of a number its bins.
        epsilon: of the permanent answer, and so of one report and of any number about one answer.
        d: how many are asked about; default all, which errs least.

    Guarantee: all reports about one answer ``epsilon``; answers that change: none beyond the first
    report. Reports: (n, k) digits, 0 not asked, 1 no, 2 yes. Source: Ding, Kulkarni, Yekhanin 2017,
    section 3.2 and 4 (one bit alone spends all of ε here).

    Integers: those of :class:`~sudare.GRR` of two values; sets are drawn exactly uniformly.

    Examples:
        >>> import sudare as sd
        >>> m = sd.DBitFlipPM(k=8, epsilon=2.0, d=2)
        >>> m.states, round(m.steady_epsilon(1000), 4), m.total_epsilon(2)
        (3, 2.0, inf)
    """

    name: ClassVar[str] = "DBitFlipPM"
    parameters: ClassVar[tuple[Parameter, ...]] = (CATEGORIES, EPSILON, _SIZE)
    max_k: ClassVar[int] = _MOST_K
    __slots__ = ("d",)
    d: int
    program: SampledBits

    def __init__(
        self, k: int | Sequence[str], epsilon: float | Fraction, d: int | None = None
    ) -> None:
        self._take(k=k, epsilon=epsilon, d=d)

    def _build(self) -> None:
        self._check_k()
        epsilon = self.requested_epsilon
        part = GRR(2, epsilon if self.d == 1 else epsilon / 2).program
        program = SampledBits(self.k, self.d, part)
        set_fields(
            self, permanent=program, instant=None, program=program, requested_permanent=epsilon
        )

    @property
    def states(self) -> int:
        """``min(d + 1, k)``: one a category that is asked about, and one for all others."""
        return min(self.d + 1, self.k)

    def steady_ratio(self, rounds: int) -> Fraction:
        """Return the exact largest ratio of two constant answers: that of one report."""
        as_rounds(rounds)
        return self.program.ratio

    def total_ratio(self, rounds: int) -> Fraction | None:
        """Return that of one report; of more there is none, for who changes is seen to."""
        return self.program.ratio if as_rounds(rounds) == 1 else None

    # -- the analyst's side ------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """``(k, 3)``: how often each category was not asked about, denied, affirmed."""
        return self.k, 3

    def _adds_up(self, counts: Counts) -> bool:
        return all(adds_up_to(own, counts.n) for own in counts.support)

    def _supports(self, tally: Integers) -> Integers:
        """Return the sum of each category's numbers, (k,)."""
        right, wrong = (int(one * (1 << self.program.part.width)) for one in self.program.rates)
        return np.asarray(tally @ np.array([0.0, -wrong, right]))

    @property
    def law(self) -> BitLaw:
        """Means and moments of the numbers, from the integers."""
        return BitLaw.of(self.program)

    @property
    def channel(self) -> Dense:
        """One row a report, one column a category, of a few (ReportError beyond)."""
        return Dense.from_matrix(self.program.matrix())

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the digits of each category; reports: (n, k) whole numbers."""
        array = as_array(reports)
        if array is None or array.dtype.kind not in "iu":
            raise WrongTypeError("reports", "must be whole numbers from 0 to 2")
        if array.ndim != 2 or array.shape[1] != self.k or not self.program.fits(array):
            rule = f"must be rows of {self.k} digits, {self.d} of them not 0"
            raise ReportError("reports", rule, "use this mechanism's reports")
        columns = [(array == digit).sum(axis=0) for digit in (NOT_ASKED, NO, YES)]
        return self._counts(np.stack(columns, axis=1).astype(np.int64), array.shape[0])

    def _simulate(self, truth: Integers, generator: np.random.Generator) -> Integers:
        """Draw respondent by respondent."""
        rng = Entropy.seeded(generator.bytes(32))
        values = np.repeat(np.arange(self.k), truth)
        return np.asarray(self.aggregate(self.program.draw(values, rng)).support)

    # -- the respondent's side ---------------------------------------------------------------

    def _drawn(self, entropy: EntropySource) -> bytes:
        return pack(self.program.one_set(entropy)[None]).tobytes()

    def _drawn_many(self, n: int, rng: Entropy) -> npt.NDArray[np.bool_]:
        return self.program.sets(n, rng)

    def _check_drawn(self, memory: Memory) -> None:
        drawn = memory.drawn
        if not isinstance(drawn, bytes) or not is_packed(drawn, self.k):
            raise not_of_this()
        if _bits_of(drawn, self.k).sum() != self.d:
            raise not_of_this()

    def _is_settled(self, one: Permanent, drawn: Any) -> bool:
        asked = int.from_bytes(drawn, "little")
        return (
            isinstance(one, bytes)
            and is_packed(one, self.k)
            and not int.from_bytes(one, "little") & ~asked
        )

    def _key(self, value: int, drawn: Any) -> int:
        return value if _bits_of(drawn, self.k)[value] else self.k

    def _keys(self, values: npt.NDArray[Any], drawn: Any) -> npt.NDArray[Any]:
        own = drawn[np.arange(values.size), values]
        return np.where(own, values.astype(np.int64), self.k)

    def _settle(self, key: int, drawn: Any, entropy: EntropySource) -> bytes:
        told = self.program.one_bits(key, entropy) & _bits_of(drawn, self.k)
        return pack(told[None]).tobytes()

    def _settle_many(self, keys: npt.NDArray[Any], drawn: Any, rng: Entropy) -> npt.NDArray[Any]:
        return digits(drawn, self.program.bits(keys, rng))

    def _tell(self, settled: Any, drawn: Any, entropy: EntropySource) -> npt.NDArray[np.uint8]:
        return digits(_bits_of(drawn, self.k), _bits_of(settled, self.k))

    def _tell_many(self, settled: npt.NDArray[Any], drawn: Any, rng: Entropy) -> npt.NDArray[Any]:
        return settled.copy()


def _bits_of(packed: bytes, k: int) -> npt.NDArray[np.bool_]:
    row = np.frombuffer(packed, dtype=np.uint8)
    return np.unpackbits(row, count=k, bitorder="little").astype(np.bool_)
