"""``hash``: a drawn linear hash function, and where some hashes begin that hold the value's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError
from sudare.exact.bernoulli import bernoulli
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.linear_hash import LinearHash
from sudare.exact.projective import is_field
from sudare.exact.uniform import uniform, uniform_one
from sudare.samplers import base
from sudare.samplers.fields import WIDTH, Field, threshold, whole

MOST_REPORTS = 1 << 31
_BLOCK = 1 << 17


@dataclass(frozen=True, slots=True)
class Hash(base.Indexed):
    """Name ``size`` of g hashes: the value's is among them with ``own / 2**width``.

    The functions are those of :class:`~sudare.exact.linear_hash.LinearHash` but the one that gives
    all values the same hash. One report consumes a little-endian word of ``width`` bits, w; then,
    as :func:`~sudare.exact.uniform.uniform_one` does, a number a below ``g^t - 1``, of the function
    a + 1; then x: below ``size`` where w < own, else ``size`` more than a number below
    ``g - size``. With h the value's hash, the report is ``a g + y``, ``y = (h - x) mod g``. It
    names the hashes y, y + 1, ..., ``size`` of them.

    Examples:
        >>> Hash(k=4, g=5, size=2, width=8, own=192).ratio    # 3 to 1, and 2 hashes of 5
        Fraction(9, 2)
    """

    kind: ClassVar[str] = "hash"
    fields: ClassVar[Mapping[str, Field]] = {
        "k": whole(2, 1 << 20),
        "g": whole(2, 1 << 12),
        "size": whole(1, 1 << 12),
        "width": WIDTH,
        "own": threshold(),
    }
    k: int
    g: int
    size: int
    width: int
    own: int

    def __post_init__(self) -> None:
        base.check_width(self.width)
        if not is_field(self.g) or self.g == 4:
            raise CollectionError("program.g", "must be a prime", got=self.g)
        if self.outputs > MOST_REPORTS:
            raise CollectionError("program.g", f"must give at most {MOST_REPORTS} reports")
        if not 1 <= self.size < self.g:
            raise CollectionError("program.size", "must be a whole number from 1 to g - 1")
        if not self.size << self.width < self.own * self.g < self.g << self.width:
            raise CollectionError("program.own", "must be above size / g of 2**width, and below it")

    @property
    def family(self) -> LinearHash:
        """The functions."""
        return LinearHash(self.k, self.g)

    @property
    def first(self) -> int:
        """The number of the first function that is drawn."""
        return 1

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def outputs(self) -> int:
        """``(g^t - 1) g``."""
        return (self.family.functions - 1) * self.g

    @property
    def ratio(self) -> Fraction:
        """``p (g - d) / ((1 - p) d)``: of hashes of which the report names d."""
        lost = (1 << self.width) - self.own
        return Fraction(self.own * (self.g - self.size), lost * self.size)

    @property
    def guess_probability(self) -> float:
        """Any value of a hash that is named is as good a guess as another, or any where none is."""
        on = self.family.covered(self.size) - self.size
        lost = (1 << self.width) - self.own
        right = Fraction(on * self.own, self.size)
        right += Fraction((self.outputs - on) * lost, self.g - self.size)
        return float(right / ((self.family.functions - 1) * self.k << self.width))

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: one probability where it names the hash, else another."""
        total = (self.family.functions - 1) << self.width
        own = Fraction(self.own, total * self.size)
        lost = Fraction((1 << self.width) - self.own, total * (self.g - self.size))
        functions, starts = np.divmod(np.arange(self.outputs), self.g)
        each = [(self.family.hashes(functions + 1, v) + self.g - starts) % self.g for v in values]
        return [[own if x < self.size else lost for x in row.tolist()] for row in each]

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        """Randomise one value: a word, and two or a few of 32 bits."""
        own = base.word(entropy, self.width) < self.own
        function = uniform_one(self.family.functions - 1, entropy)
        x = (
            uniform_one(self.size, entropy)
            if own
            else self.size + uniform_one(self.g - self.size, entropy)
        )
        hashed = int(self.family.hashes(function + 1, value))
        return function * self.g + (hashed - x) % self.g

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise values in blocks that stay in cache."""
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        if self.width not in (32, 64):
            out[:] = [self.draw_one(value, rng) for value in values.tolist()]
            return out
        for start in range(0, out.size, _BLOCK):
            part = values[start : start + _BLOCK]
            own = bernoulli(part.size, self.own, self.width, rng)
            functions = uniform(part.size, self.family.functions - 1, rng)
            x = uniform(part.size, self.g - self.size, rng) + np.uint32(self.size)
            within = uniform(part.size, self.size, rng)
            np.copyto(x, within, where=own)
            told = self.family.hashes(functions + np.uint32(1), part) + np.uint32(self.g) - x
            told -= np.uint32(self.g) * (told >= self.g)
            out[start : start + _BLOCK] = functions.astype(np.int64) * self.g + told
        return out
