"""``keep``: report the value itself, or one of the k values uniformly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError
from sudare.exact.entropy import BLOCK_BYTES, Entropy, EntropySource
from sudare.samplers import base
from sudare.samplers.fields import WIDTH, Field, threshold, whole


@dataclass(frozen=True, slots=True)
class Keep(base.Indexed):
    """Keep the value where a word is below ``keep``; else divide the rest by ``step``.

    For a uniform word ``w`` of ``width`` bits and ``keep + k * step = 2**width``::

        report = value              if w < keep
                 (w - keep) // step otherwise          (uniform over all k values)

    so the true value has weight ``keep + step`` and each other one ``step``: no rejection, no
    float. One report consumes one little-endian word.

    Examples:
        >>> Keep(k=2, width=8, keep=128, step=64).ratio
        Fraction(3, 1)
    """

    kind: ClassVar[str] = "keep"
    fields: ClassVar[Mapping[str, Field]] = {
        "k": whole(2, 1 << 24),
        "width": WIDTH,
        "keep": threshold(),
        "step": threshold(),
    }
    k: int
    width: int
    keep: int
    step: int

    def __post_init__(self) -> None:
        base.check_width(self.width)
        if self.step < 1 or self.keep < 0 or self.keep + self.k * self.step != 1 << self.width:
            raise CollectionError("program", "must satisfy keep + k * step = 2**width")

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def outputs(self) -> int:
        """Number of reports: k."""
        return self.k

    @property
    def ratio(self) -> Fraction:
        """``(keep + step) / step``."""
        return Fraction(self.keep + self.step, self.step)

    @property
    def guess_probability(self) -> float:
        """``(keep + step) / 2**width``: the guess is the report."""
        return (self.keep + self.step) / (1 << self.width)

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: the diagonal and the rest."""
        total = 1 << self.width
        own, other = Fraction(self.keep + self.step, total), Fraction(self.step, total)
        return [[own if r == v else other for r in range(self.k)] for v in values]

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise values in blocks that stay in cache.

        Words are divided from below: those of ``k * step`` and more, ``keep`` of them, keep.
        """
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.k))
        if self.width not in (32, 64):
            for i, value in enumerate(values.tolist()):
                out[i] = self.draw_one(value, rng)
            return out
        kind: Any = np.uint32 if self.width == 32 else np.uint64
        step, k = kind(self.step), kind(self.k)
        block = BLOCK_BYTES // (self.width // 8)
        moved = np.empty(out.size, dtype=np.bool_)
        for start in range(0, out.size, block):
            part = out[start : start + block]
            words = rng.block(part.size, kind)
            words //= step
            np.less(words, k, out=moved[start : start + block])
            np.copyto(part, words, casting="unsafe")
        own = values.astype(out.dtype, copy=False)
        out ^= own  # own ^ (own ^ other) * moved: a choice without a branch to mispredict
        out *= moved
        out ^= own
        return out

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        """Randomise one value: one word."""
        w = base.word(entropy, self.width)
        return value if w < self.keep else (w - self.keep) // self.step
