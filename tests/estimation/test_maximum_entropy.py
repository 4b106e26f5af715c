"""A joint table from tables of pairs: the most even one that has them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import sudare as sd
from sudare.estimation.maximum_entropy import maximum_entropy, possible

SIZES = (3, 2, 4)
PAIRS = tuple(combinations(range(3), 2))


def tables(joint: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
    axes = range(joint.ndim)
    return {
        pair: joint.sum(axis=tuple(i for i in axes if i not in pair))
        for pair in combinations(axes, 2)
    }


def joint_of(seed: bytes, sizes: tuple[int, ...] = SIZES) -> np.ndarray:
    dice = sd.Entropy.seeded(seed).generator()
    return dice.dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes)


def entropy(x: np.ndarray) -> float:
    positive = x[x > 0]
    return -float((positive * np.log(positive)).sum())


def test_its_pairs_are_those_that_were_given_and_nothing_is_more_even() -> None:
    for seed in (b"a", b"b", b"c"):
        true = joint_of(seed)
        found = maximum_entropy(SIZES, tables(true))
        assert found.distance < 1e-8
        for pair, table in tables(found.shares).items():
            assert table == pytest.approx(tables(true)[pair], abs=1e-7)
        assert found.shares.sum() == pytest.approx(1)
        assert entropy(found.shares) > entropy(true)
        for t in (0.01, -0.01):  # towards another table with these pairs
            other = found.shares + t * (true - found.shares)
            assert entropy(other) < entropy(found.shares)


def test_what_pairs_can_tell_is_told() -> None:
    """A chain: the first and third attribute depend on each other through the second alone."""
    first, given = joint_of(b"d", (3, 2)), joint_of(b"e", (2, 4))
    given /= given.sum(axis=1, keepdims=True)
    true = first[:, :, None] * given
    assert maximum_entropy(SIZES, tables(true)).shares == pytest.approx(true, abs=1e-7)


def test_what_three_attributes_have_beyond_pairs_is_not_seen() -> None:
    parity = np.indices((2, 2, 2)).sum(axis=0) % 2 / 4
    assert maximum_entropy((2, 2, 2), tables(parity)).shares == pytest.approx(1 / 8)


def test_shares_below_0_are_made_possible_first() -> None:
    true = joint_of(b"f") ** 4
    true /= true.sum()
    raw = {}
    for i, (pair, table) in enumerate(tables(true).items()):
        noise = sd.Entropy.seeded(f"noise {i}".encode()).generator().normal(0, 0.05, table.shape)
        noise -= noise.mean(axis=0)
        raw[pair] = table + noise - noise.mean(axis=1, keepdims=True)  # its margins stay
    assert min(table.min() for table in raw.values()) < -0.01
    wanted = possible(SIZES, raw)
    margins: dict[int, list[np.ndarray]] = {0: [], 1: [], 2: []}
    for pair, table in wanted.items():
        assert table.min() >= 0
        assert table.sum() == pytest.approx(1)
        for place, axis in enumerate(pair):
            margins[axis].append(table.sum(axis=1 - place))
    for one, other in margins.values():
        assert one == pytest.approx(other, abs=1e-6)
    found = maximum_entropy(SIZES, raw)
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1)
    nearest = max(abs(raw[pair] - t).max() for pair, t in tables(found.shares).items())
    assert found.distance == pytest.approx(nearest)


def test_tables_that_no_joint_table_has_are_said_to_be_away() -> None:
    """Of three attributes each two are always different: of two values that cannot be."""
    apart = np.array([[0.0, 0.5], [0.5, 0.0]])
    found = maximum_entropy((2, 2, 2), dict.fromkeys(PAIRS, apart))
    assert found.distance > 0.1
    for table in tables(found.shares).values():  # all of them alike
        assert table == pytest.approx(np.array([[1, 2], [2, 1]]) / 6, abs=0.01)
    with pytest.raises(sd.DomainError, match="cells"):
        maximum_entropy([2] * 21, {})
