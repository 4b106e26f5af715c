"""``prefix``: a drawn length, a linear hash function of so many symbols, and their hash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, product
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from sudare.arrays import Bytes
from sudare.errors import CollectionError, ReportError
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.linear_hash import LinearHash, digits_of
from sudare.exact.projective import is_field
from sudare.exact.uniform import uniform, uniform_one
from sudare.samplers import base
from sudare.samplers.fields import Field, whole
from sudare.samplers.keep import Keep

MOST_SYMBOLS = 64
MOST_ALPHABET = 256
MOST_FUNCTIONS = 1 << 16

Reports = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Prefix(base.Program):
    """Report about the first symbols of a word, so many as are drawn.

    A value is a row of symbols below k, as long as the last one of ``lengths``; g, the ``k`` of
    ``part``, is a prime. One report consumes, as :func:`~sudare.exact.uniform.uniform_one` does, a
    number below twice the lengths but one: which length, the last one for the upper half (of one
    length below 1); then for each symbol up to there a number below ``g^t``, a function of
    :class:`~sudare.exact.linear_hash.LinearHash`; then what ``part`` does of the sum of their
    hashes of the symbols mod g. The report is the length's place, the functions, 0 behind the
    length, and the hash. On the wire each number has as many bytes as the largest one needs.

    Examples:
        >>> coin = Keep(k=3, width=8, keep=64, step=64)
        >>> Prefix(k=4, lengths=(1, 2), part=coin).ratio
        Fraction(2, 1)
    """

    kind: ClassVar[str] = "prefix"
    fields: ClassVar[Mapping[str, Field]] = {
        "k": whole(2, MOST_ALPHABET),
        "lengths": Field(whole(1, MOST_SYMBOLS).read, int, 1),
        "part": base.program(),
    }
    k: int
    lengths: tuple[int, ...]
    part: Keep

    def __post_init__(self) -> None:
        if not isinstance(self.part, Keep) or not is_field(self.part.k) or self.part.k == 4:
            raise CollectionError("program.part", "must keep one of a prime number of hashes")
        if self.part.k ** digits_of(self.k, self.part.k) > MOST_FUNCTIONS:
            raise CollectionError("program.k", f"must give at most {MOST_FUNCTIONS} functions")
        if not self.lengths or any(a >= b for a, b in pairwise(self.lengths)):
            raise CollectionError("program.lengths", "must ascend")

    @property
    def family(self) -> LinearHash:
        """Functions of one symbol; that of a prefix is a sum of one for each."""
        return LinearHash(self.k, self.part.k)

    @property
    def longest(self) -> int:
        """Symbols of a value."""
        return self.lengths[-1]

    @property
    def turns(self) -> tuple[int, ...]:
        """How often each length is drawn, of their sum: the last as often as all others."""
        others = len(self.lengths) - 1
        return (1,) * others + (max(1, others),)

    @property
    def inputs(self) -> int:
        """``k ** longest``."""
        return int(self.k**self.longest)

    @property
    def outputs(self) -> int:
        """For each length ``g^(t l)`` functions, and g hashes."""
        return int(sum(self.family.functions**length for length in self.lengths) * self.part.k)

    @property
    def ratio(self) -> Fraction:
        """That of ``part``: length and function are drawn whatever the word is."""
        return self.part.ratio

    def every(self) -> Iterator[tuple[int, ...]]:
        """Return all rows of symbols, the last one fastest."""
        return product(range(self.k), repeat=self.longest)

    def laws(self, values: Sequence[Any]) -> list[list[Fraction]]:
        """Return ``P[value][report]``, reports by length, function and hash."""
        return [list(self.law(value).values()) for value in values]

    def law(self, value: Any) -> dict[tuple[int, ...], Fraction]:
        """Return the exact probability of each report of a value."""
        row, many = np.array(value, dtype=np.int64), self.family.functions
        hashed = self.part.laws(range(self.part.k))
        out = {}
        for which, length in enumerate(self.lengths):
            drawn = Fraction(self.turns[which], sum(self.turns) * many**length)
            own = [[drawn * probability for probability in column] for column in hashed]
            behind = (0,) * (self.longest - length)
            functions = list(product(range(many), repeat=length))
            hashes = self.family.hashes(np.array(functions), row[:length]).sum(axis=1) % self.part.k
            for function, at in zip(functions, hashes.tolist(), strict=True):
                for told, probability in enumerate(own[at]):
                    out[which, *function, *behind, told] = probability
        return out

    def wires(self) -> Iterator[bytes]:
        """Yield every report's wire form."""
        for which, length in enumerate(self.lengths):
            behind = (0,) * (self.longest - length)
            for functions in product(range(self.family.functions), repeat=length):
                for told in range(self.part.k):
                    yield self.encode_one((which, *functions, *behind, told))

    def draw(self, values: Bytes, rng: Entropy) -> Reports:
        """Randomise ``(n, longest)`` rows of symbols; reports (n, longest + 2)."""
        ends = np.cumsum(self.turns)
        which = np.searchsorted(ends, uniform(len(values), int(ends[-1]), rng), side="right")
        functions = uniform(values.size, self.family.functions, rng).reshape(values.shape)
        behind = np.arange(self.longest) >= np.array(self.lengths)[which][:, None]
        functions[behind] = 0  # and 0 is the hash of any symbol
        hashes = self.family.hashes(functions, values).sum(axis=1) % self.part.k
        told = self.part.draw(hashes, rng)
        return np.column_stack([which, functions, told]).astype(np.uint16)

    def draw_one(self, value: Any, entropy: EntropySource) -> list[int]:
        """Randomise one row: a number of 32 bits for the length, and for each symbol of it; what
        ``part`` consumes."""
        drawn = uniform_one(sum(self.turns), entropy)
        which = sum(drawn >= end for end in accumulate(self.turns))
        length = self.lengths[which]
        functions = [uniform_one(self.family.functions, entropy) for _ in range(length)]
        row = np.array(value, dtype=np.int64)[:length]
        own = int(self.family.hashes(np.array(functions), row).sum()) % self.part.k
        told = self.part.draw_one(own, entropy)
        return [which, *functions, *[0] * (self.longest - length), told]

    # -- the wire --------------------------------------------------------------------------------

    @property
    def most(self) -> list[int]:
        """How many numbers there are at each place of a report."""
        return [len(self.lengths), *[self.family.functions] * self.longest, self.part.k]

    @property
    def report_bytes(self) -> int:
        """Sum of the numbers' lengths."""
        return sum(map(base.index_bytes, self.most))

    def encode_one(self, report: Sequence[int]) -> bytes:
        """Return the numbers, little-endian, one after the other."""
        given = [int(one) for one in report]
        if len(given) != len(self.most):
            raise ReportError("report", f"must have {len(self.most)} numbers")
        if not all(0 <= one < most for one, most in zip(given, self.most, strict=True)):
            raise foreign()
        if any(given[1 + self.lengths[given[0]] : -1]):
            raise foreign()
        sizes = map(base.index_bytes, self.most)
        return b"".join(one.to_bytes(n, "little") for one, n in zip(given, sizes, strict=True))

    def decode(self, wire: bytes) -> Reports:
        """Return the reports, (n, longest + 2) uint16, each checked."""
        rows, at, columns = base.wire_rows(wire, self.report_bytes), 0, []
        for size in map(base.index_bytes, self.most):
            own = rows[:, at : at + size].astype(np.uint16)
            columns.append(own[:, 0] + (own[:, 1] << 8) if size == 2 else own[:, 0])
            at += size
        return self.checked(np.stack(columns, axis=1))

    def checked(self, reports: npt.NDArray[Any]) -> Reports:
        """Return rows of whole numbers as reports; ReportError where one cannot be drawn."""
        if not ((reports >= 0) & (reports < self.most)).all():
            raise foreign()
        ends = np.array(self.lengths)[reports[:, 0].astype(np.int64)]
        behind = np.arange(self.longest) >= ends[:, None]
        if reports[:, 1:-1][behind].any():
            raise foreign("must have no function behind their length")
        return cast(Reports, reports.astype(np.uint16))


def foreign(rule: str = "must be this mechanism's") -> ReportError:
    """Return the error of a report that the program cannot have drawn."""
    return ReportError("reports", rule, "use its perturb")
