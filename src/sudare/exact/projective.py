"""Points and hyperplanes over a small finite field, numbered so that either is found by digits.

The field has q elements: the remainders of a prime q, or the four elements of GF(4), added as bits.
A *point* of t coordinates stands for its q - 1 multiples; the one that is written has a last
coordinate other than 0 that is 1. With that 1 at place l and the digits x below it, its number is::

    (q^l - 1) / (q - 1) + x,    x = x_0 + x_1 q + ... + x_{l-1} q^(l-1)

A *plane* is what is orthogonal to a vector; the vector that is written has a first coordinate other
than 0 that is 1. With l coordinates behind that 1, which are the digits x, its number is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Integers

Places = int | npt.NDArray[np.integer[Any]]

_FOUR = np.array([[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]])
_FEW = 32  # elements up to which sums are taken one by one
_MOST_ROUNDED = 1 << 40
_CHUNK = 256  # digits are multiplied by a table in groups of at most so many numbers


def is_field(q: int) -> bool:
    """Tell whether there is arithmetic for q elements here: a prime, or 4."""
    return q == 4 or (q > 1 and all(q % d for d in range(2, int(q**0.5) + 1)))


@dataclass(frozen=True)
class Geometry:
    """The points and the planes of t coordinates over q elements.

    Examples:
        >>> fano = Geometry(2, 3)
        >>> fano.points, fano.on_plane, fano.on_two
        (7, 3, 1)
    """

    q: int
    t: int

    def first(self, places: int) -> int:
        """Return how many points have their last 1 before that place."""
        return int((self.q**places - 1) // (self.q - 1))

    @property
    def points(self) -> int:
        """Number of points, and of planes."""
        return self.first(self.t)

    @property
    def on_plane(self) -> int:
        """Number of points on one plane; ``q^(t-1)`` are not on it."""
        return self.first(self.t - 1)

    @property
    def on_two(self) -> int:
        """Number of points on two planes."""
        return self.first(self.t - 2)

    def length(self, number: int) -> int:
        """Return l of a point or a plane."""
        return next(i for i in range(self.t) if number < self.first(i + 1))

    def times(self, a: int, b: int) -> int:
        """Multiply two elements."""
        return int(_FOUR[a, b]) if self.q == 4 else a * b % self.q

    def minus(self, a: Any, b: Any) -> Any:
        """Subtract elements, or arrays of them."""
        return a ^ b if self.q == 4 else (a - b) % self.q

    def dot(self, x: int, y: int) -> int:
        """Return the product of two lists of digits."""
        out = 0
        while x and y:
            (x, a), (y, b) = divmod(x, self.q), divmod(y, self.q)
            product = self.times(a, b)
            out = out ^ product if self.q == 4 else (out + product) % self.q
        return out

    def dots(self, x: Integers, y: Integers, digits: int) -> Integers:
        """Return the product of each two of so many digits; both arrays are used up."""
        out = np.zeros(x.size, dtype=np.int64)
        group = max(1, int(np.log(_CHUNK) / np.log(self.q) + 1e-9))
        table = _products(self.q, group) if self.q <= _CHUNK else None
        unit = self.q**group
        for _ in range(0, digits, group):
            (rest_x, a), (rest_y, b) = (_divided(one, unit) for one in (x, y))
            if table is None:
                out += a * b % self.q
            elif self.q == 4:
                out ^= table.take(a * unit + b)
            else:
                out += table.take(a * unit + b)
            x, y = rest_x, rest_y
        return out if self.q == 4 else np.asarray(out % self.q)

    def on(self, planes: Integers, points: Integers) -> npt.NDArray[np.bool_]:
        """Return which of these points lie on which of these planes, [plane, point]."""
        at, vectors = self._vectors(points, last=True), self._vectors(planes, last=False)
        out = np.zeros((planes.size, points.size), dtype=np.int64)
        for a, b in zip(vectors, at, strict=True):
            if self.q == 4:
                out ^= _FOUR[np.ix_(a, b)]
            else:
                out += np.multiply.outer(a, b)
        return np.asarray(out % self.q == 0)

    def in_span(self, i: Places, j: Places, third: Places) -> npt.NDArray[np.bool_]:
        """Tell whether the vector of a third plane is a sum of multiples of those of two others."""
        wide = np.broadcast_arrays(*(np.asarray(one) for one in (i, j, third)))
        shape = wide[0].shape
        u, w, v = (self._vectors(one.reshape(-1), last=False) for one in wide)
        each = np.arange(u.shape[1])
        pivot = (u != 0).argmax(axis=0)  # there u is 1: take as much of it away
        w, v = (self.minus(one, self._scaled(u, one[pivot, each])) for one in (w, v))
        pivot = (w != 0).argmax(axis=0)
        left = self._scaled(v, w[pivot, each]) == self._scaled(w, v[pivot, each])
        return np.asarray(left.all(axis=0).reshape(shape))

    def _scaled(self, vectors: Integers, by: Integers) -> Integers:
        """Multiply each column by an element."""
        product = _FOUR[vectors, by] if self.q == 4 else vectors * by % self.q
        return np.asarray(product)

    def _vectors(self, numbers: Integers, *, last: bool) -> Integers:
        """Return the coordinates, (t, n): of points, whose 1 comes last, or of planes."""
        firsts = np.array([self.first(i) for i in range(self.t + 1)])
        length = np.searchsorted(firsts, numbers, side="right") - 1
        unit = self.q**length
        rest = numbers - firsts[length]
        value = rest + unit if last else (1 + self.q * rest) * self.q ** (self.t - 1 - length)
        return np.stack([value // self.q**i % self.q for i in range(self.t)])


def _divided(numbers: Integers, unit: int) -> tuple[Integers, Integers]:
    whole = numbers // unit
    return whole, numbers - whole * unit


@lru_cache(64)
def _products(q: int, group: int) -> Integers:
    """Return the products of all two lists of so many digits, one after the other."""
    numbers, field = np.arange(q**group), Geometry(q, 2)
    out = np.zeros((numbers.size, numbers.size), dtype=np.int64)
    one = _FOUR if q == 4 else np.multiply.outer(np.arange(q), np.arange(q)) % q
    for i in range(group):
        digit = numbers // q**i % q
        out = field.minus(out, field.minus(0, one[np.ix_(digit, digit)]))
    return out.reshape(-1)


def sums_on_planes(geometry: Geometry, tally: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return, for each plane, the sum of what its points count.

    Coordinate after coordinate of the points is replaced by one of the planes, and what it adds to
    the product is carried along: about ``t q points`` steps (Feldman et al. 2022, section 4).

    Args:
        tally: (points,) numbers.
    """
    t, out = geometry.t, []
    everywhere = tally.dtype.type(0)  # of points that lie on all planes that are left
    for _ in range(t):
        out.append(sums_beside(geometry, tally) + everywhere)
        everywhere += tally[0]
        tally = tally[1:].reshape(-1, geometry.q).sum(axis=1)
    return np.asarray(np.concatenate(out[::-1]))


def sums_at_points(geometry: Geometry, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return, for each point, the sum of the values of the planes that it lies on.

    Coordinates in reverse order make planes of points, and points of planes.
    """
    q, parts = geometry.q, []
    for places in range(geometry.t):
        numbers = np.arange(q**places).reshape((q,) * places).T.reshape(-1)
        parts.append(geometry.first(places) + numbers)
    reversed_ = np.concatenate(parts)
    return np.asarray(sums_on_planes(geometry, values[reversed_])[reversed_])


def sums_beside(geometry: Geometry, tally: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the sums on the planes whose first coordinate is 1, the last ``q^(t-1)`` of all.

    ``ended[x, s]`` counts the points that have no coordinates left and the product s with the
    planes of the digits x; ``open_[x, r, s]`` those of which the point r of the coordinates that
    are left remains.
    """
    q, elements = geometry.q, np.arange(geometry.q)
    ended = np.zeros((1, q), dtype=tally.dtype)
    ended[0, 1] = tally[0]
    open_ = tally[1:].reshape(1, -1, q)
    while open_.shape[1]:
        digits, last = len(ended), open_.shape[1] == 1
        wanted = elements[: 1 if last else q]  # in the end the product 0 alone
        final = np.empty((q, digits, wanted.size), dtype=tally.dtype)
        rest = open_[:, 1:].reshape(digits, -1, q, q)  # [x, r, coordinate, s]
        then = np.empty((q, digits, rest.shape[1], q), dtype=tally.dtype)
        for a in range(q):
            final[a] = ended[:, wanted] + open_[:, 0, geometry.minus(wanted, a)]
        if rest.size:
            _turn(geometry, rest, then)
        ended, open_ = final.reshape(q * digits, -1), then.reshape(q * digits, -1, q)
    return ended[:, 0]


def _turn(geometry: Geometry, table: npt.NDArray[Any], out: npt.NDArray[Any]) -> None:
    """Write ``out[a, x, r, s] = Σ_b table[x, r, b, s - a b]``.

    Of large fields by Fourier transforms: that of ``out`` at (a, w) is that of ``table`` at
    (a w, w). Whole numbers up to 2^40 come out within a thousandth, and are rounded.
    """
    q, elements = geometry.q, np.arange(geometry.q)
    whole = table.dtype.kind in "iu"
    if q > _FEW and (not whole or (table.min() >= 0 and table.sum() <= _MOST_ROUNDED)):
        w = np.fft.fft2(table, axes=(2, 3))[:, :, elements[:, None] * elements % q, elements]
        turned = np.fft.ifft(w, axis=3).real
        out[:] = np.moveaxis(np.rint(turned) if whole else turned, 2, 0)
        return
    flat = table.reshape(*out.shape[1:3], q * q)
    for a in range(q):
        added = np.array([geometry.times(a, b) for b in range(q)])
        before = geometry.minus(elements, added[:, None])
        flat.take(elements[:, None] * q + before, axis=2).sum(axis=2, out=out[a])
