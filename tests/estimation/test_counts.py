import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.estimation import histogram, packed_sums
from tests.cases import cases


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 300), st.integers(0, 3000), st.integers(0, 2**32))
def test_histogram_equals_bincount(k: int, n: int, seed: int) -> None:
    reports = np.random.default_rng(seed).integers(0, k, n).astype(np.min_scalar_type(k - 1))
    np.testing.assert_array_equal(histogram(reports, k), np.bincount(reports, minlength=k))


@cases("n", [1 << 18, (1 << 18) + 1, (1 << 19) + 12_345])
@cases("k", [2, 100, 256])
def test_long_histograms_count_every_report(n: int, k: int) -> None:
    reports = np.random.default_rng(n).integers(0, k, n).astype(np.uint8)
    np.testing.assert_array_equal(histogram(reports, k), np.bincount(reports, minlength=k))
    turned = np.repeat(reports, 2)[::2]
    np.testing.assert_array_equal(histogram(turned, k), np.bincount(reports, minlength=k))


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 200), st.integers(0, 700), st.integers(0, 2**32))
def test_packed_sums_equal_unpacked_ones(k: int, n: int, seed: int) -> None:
    bits = np.random.default_rng(seed).integers(0, 2, (n, k)).astype(bool)
    packed = np.packbits(bits, axis=1, bitorder="little")
    np.testing.assert_array_equal(packed_sums(packed, k), bits.sum(axis=0))


def test_packed_sums_of_many_rows() -> None:
    rows = np.full((100_003, 3), 0xFF, dtype=np.uint8)
    rows[:, 2] = 0x0F
    assert packed_sums(rows, 20).tolist() == [100_003] * 20


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_counts_merge_like_numbers(rows: list[list[int]]) -> None:
    a, b, c = (sd.Counts(row, 30) for row in rows)
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a


def test_counts_of_different_mechanisms_do_not_merge() -> None:
    a, b = sd.GRR(3, 1.0).aggregate([0, 1]), sd.GRR(3, 2.0).aggregate([0, 1])
    with pytest.raises(sd.EstimationError, match="one mechanism"):
        a + b
    with pytest.raises(sd.EstimationError, match="same shape"):
        a + sd.GRR(4, 1.0).aggregate([0])
    with pytest.raises(TypeError):
        a + 3
    anonymous = sd.Counts((1, 1, 0), 2)
    assert (a + anonymous).mechanism == a.mechanism


def test_counts_through_json() -> None:
    counts = sd.OUE(9, 1.0).aggregate(sd.OUE(9, 1.0).perturb([0, 8]))
    again = sd.Counts.from_json(counts.to_json())
    assert again == counts
    assert again.support.dtype == np.int64


@cases(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format":"sudare-counts/1"}',
        '{"format":"other","mechanism":null,"n":1,"support":[1]}',
        '{"format":"sudare-counts/1","mechanism":null,"n":1,"support":["x"]}',
        '{"format":"sudare-counts/1","mechanism":null,"n":1,"support":[2]}',
        '{"format":"sudare-counts/1","mechanism":null,"n":null,"support":[1]}',
        '{"format":"sudare-counts/1","mechanism":5,"n":1,"support":[1]}',
        "[" * 100_000,
        json.dumps({"format": "sudare-counts/1", "mechanism": None, "n": 1, "support": [[1], []]}),
    ],
)
def test_broken_json_is_refused(text: str) -> None:
    with pytest.raises(sd.SudareError):
        sd.Counts.from_json(text)


def test_counts_cannot_be_changed() -> None:
    counts = sd.Counts((1, 2), 3)
    with pytest.raises(ValueError, match="read-only"):
        counts.support[0] = 9


def test_an_array_that_can_change_is_copied() -> None:
    given = np.array([1, 2, 3])
    view = given[:2]
    view.flags.writeable = False
    counts, of_view = sd.Counts(given, 6), sd.Counts(view, 6)
    given[:] = 0
    assert counts.support.tolist() == [1, 2, 3]
    assert of_view.support.tolist() == [1, 2]
    fixed = np.array([1, 2, 3])
    fixed.flags.writeable = False
    assert sd.Counts(fixed, 6).support is fixed
