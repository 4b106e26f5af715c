"""Every structured channel against its dense matrix."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.channels import (
    Channel,
    Dense,
    Kronecker,
    Symmetric,
    kronecker,
    symmetric as symmetric_channel,
)
from tests.cases import cases

F = Fraction


@st.composite
def symmetric(draw: st.DrawFn) -> Symmetric:
    k = draw(st.integers(2, 9))
    weight = draw(st.integers(2, 1000))
    total = weight + k - 1
    return Symmetric(k, Fraction(weight, total), Fraction(1, total))


def dense_of(channel: Channel) -> Dense:
    matrix = [[Fraction(cell) for cell in row] for row in channel.dense()]
    fixed = [list(row) for row in matrix]
    for j in range(len(fixed[0])):  # floats do not sum to 1 exactly: put the rest in one cell
        fixed[-1][j] += 1 - sum(row[j] for row in fixed)
    return Dense.from_matrix(fixed)


channels = st.one_of(symmetric(), st.lists(symmetric(), min_size=1, max_size=3).map(
    lambda parts: Kronecker(tuple(parts))
))  # fmt: skip


@settings(deadline=None)
@given(channels, st.integers(0, 2**32))
def test_fast_paths_equal_the_dense_matrix(channel: Channel, seed: int) -> None:
    matrix = channel.dense()
    x = np.random.default_rng(seed).dirichlet(np.ones(matrix.shape[1]))
    inverse = np.linalg.inv(matrix)
    scale = np.abs(inverse).max()
    assert matrix.shape == channel.shape
    np.testing.assert_allclose(matrix.sum(axis=0), 1, atol=1e-12)
    np.testing.assert_allclose(channel.apply(x), matrix @ x, atol=1e-13)
    np.testing.assert_allclose(channel.adjoint(x), matrix.T @ x, atol=1e-13)
    np.testing.assert_allclose(channel.solve(x), inverse @ x, atol=1e-11 * scale)
    np.testing.assert_allclose(channel.solve_squared(x), inverse**2 @ x, atol=1e-10 * scale**2)
    noise = inverse**2 @ matrix @ x
    np.testing.assert_allclose(channel.noise(x), noise, atol=1e-10 * scale**2)


def test_large_tables_are_worked_on_in_slabs(monkeypatch: pytest.MonkeyPatch) -> None:
    erasing = Dense.from_matrix([[F(1, 2), F(0)], [F(0), F(1, 2)], [F(1, 2), F(1, 2)]])
    whole = Symmetric(3, F(1, 3), F(1, 3))  # nothing stays
    parts = (Symmetric(7, F(2, 5), F(1, 10)), erasing, whole, Symmetric(2, F(3, 4), F(1, 4)))
    square = (parts[0], Symmetric(4, F(1, 2), F(1, 6)), parts[3])
    x = np.random.default_rng(1).random(7 * 2 * 3 * 2)
    z = np.random.default_rng(2).random((7, 4, 2))
    actions = ("apply", "adjoint", "solve", "solve_squared", "solve_cubed", "noise")

    def results() -> list[np.ndarray]:
        of_square = [getattr(Kronecker(square), action)(z) for action in actions]
        return [Kronecker(parts).apply(x), Kronecker(parts[::-1]).apply(x), *of_square]

    before = x.copy(), z.copy()
    at_once = results()
    for size in (1, 100, 200, 500):  # bytes: of one row, of several, the last slab shorter
        monkeypatch.setattr(kronecker, "SLAB_BYTES", size)
        for one, other in zip(results(), at_once, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)
    assert np.array_equal(x, before[0])
    assert np.array_equal(z, before[1])
    np.testing.assert_allclose(at_once[0], Kronecker(parts).dense() @ x, rtol=1e-13)


@settings(deadline=None)
@given(channels)
def test_epsilon_is_the_largest_log_ratio(channel: Channel) -> None:
    matrix = channel.dense()
    largest = math.log((matrix.max(axis=1) / matrix.min(axis=1)).max())
    assert channel.epsilon == pytest.approx(largest, rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(symmetric())
def test_dense_agrees_with_structure(channel: Symmetric) -> None:
    dense = dense_of(channel)
    x = np.linspace(1, 2, channel.k)
    np.testing.assert_allclose(dense.solve(x), channel.solve(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        dense.solve_squared(x), channel.solve_squared(x), rtol=1e-8, atol=1e-8
    )
    np.testing.assert_allclose(dense.apply(x), channel.apply(x), rtol=1e-12)
    np.testing.assert_allclose(dense.adjoint(x), channel.adjoint(x), rtol=1e-12)


def test_a_product_with_a_channel_that_tells_nothing_and_what_it_is_given_stays() -> None:
    half = Fraction(1, 2)
    parts = (Symmetric(3, half, Fraction(1, 4)), Symmetric(2, half, half), Symmetric(2, half, half))
    x = np.arange(12.0).reshape(3, 2, 2)
    for order in ((0, 1, 2), (1, 0, 2), (1, 2, 0)):
        product, cells = Kronecker(tuple(parts[i] for i in order)), x.transpose(order).copy()
        given = cells.copy()
        expected = product.dense() @ cells.reshape(-1)
        np.testing.assert_allclose(product.apply(cells).reshape(-1), expected, atol=1e-13)
        np.testing.assert_allclose(product.apply(given.astype(np.int64)), product.apply(cells))
        assert np.array_equal(cells, given)


def test_kronecker_counts_cells_in_row_major_order() -> None:
    parts = tuple(Symmetric(k, Fraction(9, 8 + k), Fraction(1, 8 + k)) for k in (5, 3, 2))
    assert np.unravel_index(7, (5, 3, 2)) == (1, 0, 1)
    cell = np.zeros(30)
    cell[7] = 1
    shaped = Kronecker(parts).apply(cell.reshape(5, 3, 2))
    expected = np.einsum("i,j,k", *(p.dense()[:, v] for p, v in zip(parts, (1, 0, 1), strict=True)))
    np.testing.assert_allclose(shaped, expected, atol=1e-15)


def test_a_rectangular_channel_estimates_without_bias_inside_a_product() -> None:
    third = Fraction(1, 3)
    erasing = Dense.from_matrix(
        [[Fraction(1, 2), Fraction(1, 6)], [Fraction(1, 6), Fraction(1, 2)], [third, third]]
    )
    pair = Kronecker((erasing, Symmetric(3, Fraction(1, 2), Fraction(1, 4))))
    matrix = pair.dense()
    assert pair.shape == matrix.shape == (9, 6)
    x = np.arange(1.0, 7.0) / 21
    np.testing.assert_allclose(pair.apply(x), matrix @ x, atol=1e-15)
    np.testing.assert_allclose(pair.solve(pair.apply(x)), x, atol=1e-12)
    y = np.arange(9.0)
    np.testing.assert_allclose(pair.adjoint(y), matrix.T @ y, atol=1e-13)
    inverse = np.kron(np.linalg.pinv(erasing.dense()), np.linalg.inv(pair.parts[1].dense()))
    np.testing.assert_allclose(pair.solve_squared(y), inverse**2 @ y, atol=1e-9)


def test_a_channel_without_privacy_says_so() -> None:
    assert Symmetric(2, Fraction(1), Fraction(0)).epsilon == math.inf
    assert Dense.from_matrix([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]).epsilon == (
        math.inf
    )


def test_a_symmetric_channel_may_prefer_to_move() -> None:
    moving = Symmetric(3, Fraction(1, 5), Fraction(2, 5))
    assert moving.epsilon == pytest.approx(math.log(2))


def test_vectors_of_another_length_are_refused() -> None:
    one = Symmetric(3, Fraction(1, 2), Fraction(1, 4))
    for channel in (one, Kronecker((one, one)), dense_of(one)):
        for act in (channel.apply, channel.adjoint, channel.solve, channel.solve_squared):
            with pytest.raises(sd.DomainError, match="vector must"):
                act(np.ones(4))


def test_broken_channels_are_refused() -> None:
    with pytest.raises(sd.DomainError, match="own"):
        Symmetric(3, Fraction(1, 2), Fraction(1, 2))
    with pytest.raises(sd.DomainError, match="sum to exactly 1"):
        Dense.from_matrix([[Fraction(1, 2)], [Fraction(1, 3)]])
    with pytest.raises(sd.DomainError, match="probabilities >= 0"):
        Symmetric(2, Fraction(2), Fraction(-1))
    with pytest.raises(sd.DomainError, match="k >= 2"):
        Symmetric(1, Fraction(1), Fraction(0))
    with pytest.raises(sd.DomainError, match="probabilities >= 0"):
        Dense.from_matrix([[Fraction(2)], [Fraction(-1)]])
    with pytest.raises(sd.DomainError, match="rational"):
        Dense(((0.5,), (0.5,)))
    with pytest.raises(sd.DomainError, match="one length"):
        Dense(())
    with pytest.raises(sd.DomainError, match="at least one"):
        Kronecker(())
    with pytest.raises(sd.DomainError, match="to be written out"):
        sd.GRR(100_000, 1.0).channel.dense()


def test_a_table_of_another_shape_is_refused() -> None:
    pair = Kronecker(
        (Symmetric(2, Fraction(3, 4), Fraction(1, 4)), Symmetric(3, Fraction(1, 2), Fraction(1, 4)))
    )
    for wrong in (
        np.ones((3, 2)),
        np.ones((6, 1)),
        np.ones((1, 2, 3)),
        np.ones(5),
        np.ones((2, 2)),
    ):
        with pytest.raises(sd.DomainError, match="vector"):
            pair.solve(wrong)


@cases("few", [1, 700, 1 << 16])
def test_sums_are_taken_in_products_of_few_numbers(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(symmetric_channel, "_FEW", few)
    cells = np.random.default_rng(1).random((7, 5, 300, 2))
    for axis in range(4):
        mine = symmetric_channel._sums(cells, axis)
        np.testing.assert_allclose(mine, cells.sum(axis=axis, keepdims=True), rtol=1e-13)
        flat = symmetric_channel._sums(cells[:, 0, 0, 0].copy(), 0)
        np.testing.assert_allclose(flat, cells[:, 0, 0, 0].sum(keepdims=True), rtol=1e-13)
