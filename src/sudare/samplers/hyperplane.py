"""``hyperplane``: a point of a geometry, on the value's plane or beside it by one threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Integers
from sudare.errors import CollectionError
from sudare.exact.bernoulli import bernoulli
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.projective import Geometry, is_field
from sudare.exact.uniform import uniform, uniform_one
from sudare.samplers import base
from sudare.samplers.fields import WIDTH, Field, threshold, whole

MOST_VECTORS = 1 << 28
_BLOCK = 1 << 17


@dataclass(frozen=True, slots=True)
class Hyperplane(base.Indexed):
    """Report a point on the value's plane with ``own / 2**width``, else one that is not on it.

    The value is the number of a plane of :class:`~sudare.exact.projective.Geometry`, with a 1 at
    coordinate j and the digits x behind it. One report consumes a little-endian word of ``width``
    bits, w: the point is on the plane where w < own. Then a number u is drawn, as
    :func:`~sudare.exact.uniform.uniform_one` does, below the number of such points. The other
    coordinates of the point make up a point of t - 1 coordinates, number c, and coordinate j is
    what gives the product s with the plane::

        on it:       c = u, s = 0
        not on it:   c = (q^j - 1) / (q - 1) + v div (q - 1), s = 1 + v mod (q - 1), v = u - q^j;
                     for u < q^j the point has its last 1 at j, and the digits u before it

    Where the last 1 of c comes before j, the coordinate j is 0.

    Examples:
        >>> Hyperplane(k=7, q=2, t=3, width=8, own=192).ratio     # 3 points on a line, 4 not
        Fraction(4, 1)
    """

    kind: ClassVar[str] = "hyperplane"
    fields: ClassVar[Mapping[str, Field]] = {
        "k": whole(2, 1 << 20),
        "q": whole(2, 1 << 10),
        "t": whole(3, 28),
        "width": WIDTH,
        "own": threshold(),
    }
    k: int
    q: int
    t: int
    width: int
    own: int

    def __post_init__(self) -> None:
        base.check_width(self.width)
        if not is_field(self.q):
            raise CollectionError("program.q", "must be a prime, or 4", got=self.q)
        if self.q**self.t > MOST_VECTORS:
            raise CollectionError("program.t", f"must be so that q**t is at most {MOST_VECTORS}")
        if self.k > self.outputs:
            raise CollectionError("program.k", f"must be at most {self.outputs}, the points")
        if (
            not self.geometry.on_plane << self.width
            < self.own * self.outputs
            < (self.outputs << self.width)
        ):
            raise CollectionError("program.own", "must be above the share of a plane, and below 1")

    @property
    def geometry(self) -> Geometry:
        """Points and planes of t coordinates over q elements."""
        return Geometry(self.q, self.t)

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def outputs(self) -> int:
        """Number of points: ``(q^t - 1) / (q - 1)``."""
        return self.geometry.points

    @property
    def ratio(self) -> Fraction:
        """``p q^(t-1) / ((1 - p) m)`` with m points on a plane and ``q^(t-1)`` not on it."""
        lost = (1 << self.width) - self.own
        return Fraction(self.own * self.q ** (self.t - 1), lost * self.geometry.on_plane)

    @property
    def guess_probability(self) -> float:
        """The likeliest value is one on whose plane the point lies, or any where there is none.

        The first q + 1 planes cover all points; k <= q of them leave ``(q - k + 1) q^(t-2)``.
        """
        left = max(self.q - self.k + 1, 0) * self.q ** (self.t - 2)
        on, lost = self.outputs - left, (1 << self.width) - self.own
        right = Fraction(on * self.own, self.geometry.on_plane)
        right += Fraction(left * lost, self.q ** (self.t - 1))
        return float(right / (self.k << self.width))

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: one probability on the plane, and one beside it."""
        total, geometry = 1 << self.width, self.geometry
        own = Fraction(self.own, total * geometry.on_plane)
        lost = Fraction(total - self.own, total * self.q ** (self.t - 1))
        on = geometry.on(np.array(values, dtype=np.int64), np.arange(self.outputs))
        return [[own if held else lost for held in row] for row in on.tolist()]

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        """Randomise one value: a word, and one or a few of 32 bits."""
        g, q = self.geometry, self.q
        digits = g.length(value)
        j = self.t - 1 - digits
        if base.word(entropy, self.width) < self.own:
            c, s = uniform_one(g.on_plane, entropy), 0
        else:
            v = int(uniform_one(q ** (self.t - 1), entropy) - q**j)
            if v < 0:
                return int(g.first(j) + v + q**j)
            c, s = g.first(j) + v // (q - 1), 1 + v % (q - 1)
        length = g.length(c)
        if length < j:
            return c
        after, before = divmod(q**length + c - g.first(length), q**j)
        at = g.minus(s, g.dot(value - g.first(digits), after))
        point = (after * q + at) * q**j + before
        return int(g.first(length + 1) + point - q ** (length + 1))

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise values, those of one j at a time."""
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        if self.width not in (32, 64):
            for i, value in enumerate(values.tolist()):
                out[i] = self.draw_one(value, rng)
            return out
        for start in range(0, out.size, _BLOCK):
            part = values[start : start + _BLOCK].astype(np.int64)
            self._draw_block(out[start : start + _BLOCK], part, rng)
        return out

    def _draw_block(self, out: npt.NDArray[Any], values: Integers, rng: Entropy) -> None:
        n = values.size
        own = bernoulli(n, self.own, self.width, rng)
        on = uniform(n, self.geometry.on_plane, rng)
        beside = uniform(n, self.q ** (self.t - 1), rng)
        out[:] = self.points_of(values, own, np.where(own, on, beside).astype(np.int64))

    def points_of(self, values: Integers, own: npt.NDArray[np.bool_], drawn: Integers) -> Integers:
        """Return the points on the values' planes, or beside them, that have these numbers u."""
        g, out = self.geometry, np.empty(values.size, dtype=np.int64)
        for digits in range(self.t):
            start = g.first(digits)
            at = np.flatnonzero((values >= start) & (values < g.first(digits + 1)))
            if at.size:
                out[at] = self._points(digits, values[at] - start, own[at], drawn[at])
        return out

    def _points(
        self, digits: int, x: Integers, own: npt.NDArray[np.bool_], drawn: Integers
    ) -> Integers:
        """Return the points of planes with so many digits x, as :meth:`draw_one` does."""
        g, q, j = self.geometry, self.q, self.t - 1 - digits
        unit = q**j
        v = drawn - unit
        whole = v // (q - 1)
        c = np.where(own, drawn, g.first(j) + whole)
        s = np.where(own, 0, 1 + v - whole * (q - 1))
        done = np.where(own, c < g.first(j), v < 0)  # the last 1 comes before j, or at j
        length = np.full(c.size, j)
        for more in range(j + 1, self.t - 1):
            length += c >= g.first(more)
        firsts = np.array([g.first(i) for i in range(self.t + 1)])
        units = q ** np.arange(self.t + 1)
        vector = c + (units - firsts).take(length)
        vector[done] = 0
        after = vector // unit
        # before the coordinate stand the rest of the digits, after it those that meet x
        coordinate = g.minus(s, g.dots(x, after, digits))
        vector += after * (unit * (q - 1))
        vector += coordinate * unit
        vector += (firsts - units).take(length + 1)
        return np.where(done, drawn + ~own * g.first(j), vector) if j else vector
