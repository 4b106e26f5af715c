"""Points and planes over finite fields: incidence from the definition, sums and spans from it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from sudare.exact.projective import Geometry, is_field, sums_at_points, sums_on_planes
from tests.cases import cases

SMALL = [(2, 3), (3, 3), (4, 3), (5, 3), (2, 5), (3, 4), (4, 4)]
MULTIPLIED = {(2, 2): 3, (2, 3): 1, (3, 2): 1, (3, 3): 2}
"""Products of GF(4), x = 2 with x² = x + 1; those with 0 and 1 are as of numbers."""


def vectors(q: int, t: int, *, last: bool) -> list[tuple[int, ...]]:
    """Points (their last coordinate other than 0 is 1) or planes (their first), by number."""
    out = []
    for length in range(t):
        for high in product(range(q), repeat=length):
            x = high[::-1]
            zeros = (0,) * (t - 1 - length)
            out.append((*x, 1, *zeros) if last else (*zeros, 1, *x))
    return out


def orthogonal(q: int, a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    if q != 4:
        return sum(x * y for x, y in zip(a, b, strict=True)) % q == 0
    total = 0
    for x, y in zip(a, b, strict=True):
        total ^= MULTIPLIED.get((x, y), x * y)
    return total == 0


def test_fields() -> None:
    assert [q for q in range(30) if is_field(q)] == [2, 3, 4, 5, 7, 11, 13, 17, 19, 23, 29]


@cases("q, t", SMALL)
def test_points_on_planes_are_those_of_the_definition(q: int, t: int) -> None:
    g = Geometry(q, t)
    points, planes = vectors(q, t, last=True), vectors(q, t, last=False)
    assert len(points) == g.points
    on = np.array([[orthogonal(q, a, b) for b in points] for a in planes])
    every = np.arange(g.points)
    assert np.array_equal(g.on(every, every), on)
    assert (on.sum(axis=1) == g.on_plane).all()
    both = on.astype(int) @ on.T
    assert (both[~np.eye(g.points, dtype=bool)] == g.on_two).all()
    tally = np.random.default_rng(q).integers(0, 10**15, g.points)
    assert np.array_equal(sums_on_planes(g, tally), on @ tally)
    assert np.array_equal(sums_at_points(g, tally), tally @ on)
    places = np.random.default_rng(t).integers(0, g.points, (3, 2, 50))
    i, j, k = places[:, :, i_is_not_j(places)]
    three = (on[i] & on[j] & on[k]).sum(axis=-1)
    spans = g.in_span(i, j, k)
    assert np.array_equal(three, np.where(spans, g.on_two, g.first(t - 3)))
    assert g.in_span(0, 1, np.array([0, 1])).all()


def i_is_not_j(places: np.ndarray) -> np.ndarray:
    return (places[0] != places[1]).all(axis=0)


@cases("q, t", [(4, 7), (53, 3), (2, 12), (263, 3)])
def test_large_sums_are_those_of_single_planes(q: int, t: int) -> None:
    g = Geometry(q, t)
    some = np.array([0, 1, q, g.points // 2, g.points - 1])
    on = g.on(some, np.arange(g.points))
    for most in (1000, 10**12):  # the second are too many to be rounded
        tally = np.random.default_rng(q).integers(-most if most > 1000 else 0, most, g.points)
        assert np.array_equal(on @ tally, sums_on_planes(g, tally)[some])
    tally[:] = 0
    tally[[1, -1]] = (1 << 40) - 9, 9  # the most that is rounded
    assert np.array_equal(on @ tally, sums_on_planes(g, tally)[some])
    assert sums_on_planes(g, tally.astype(float))[some] == pytest.approx(on @ tally, rel=1e-9)


@cases("q", [2, 3, 4, 17, 257, 401])
def test_products_of_digits(q: int) -> None:
    g, rng = Geometry(q, 3), np.random.default_rng(q)
    digits = {2: 20, 4: 10}.get(q, 3)
    x, y = rng.integers(0, q**digits, (2, 40))
    one_by_one = [g.dot(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert g.dots(x, y, digits).tolist() == one_by_one
