"""Whole distributions, with negative controls. Fresh entropy; one false alarm in 1e7 a test."""

from __future__ import annotations

import numpy as np

import sudare as sd
from tests.cases import cases

ALPHA = 1e-8


def test_wide_grr_words_follow_the_law() -> None:
    m = sd.GRR(10_000, 5)
    assert m.program.width == 64
    reports = m.perturb(np.full(2_000_000, 77))
    p, q = (float(x) for x in m.support_probabilities)
    law = np.full(10_000, q)
    law[77] = p
    counts = np.bincount(reports, minlength=10_000)
    assert sd.testing.chi_square_pvalue(counts, law) > ALPHA


@cases("k", [2, 7, 8, 9, 43, 128, 1000])
def test_packed_reports_are_packed_and_padded(k: int) -> None:
    for cls in (sd.OUE, sd.SUE, sd.DyadicUnary):
        m = cls(k, 1.0)
        reports = m.perturb(np.arange(100) % k)
        assert reports.shape == (100, (k + 7) // 8)
        assert reports.dtype == np.uint8
        bits = np.unpackbits(reports, axis=1, bitorder="little")
        assert not bits[:, k:].any()
        np.testing.assert_array_equal(m.aggregate(reports).support, bits[:, :k].sum(axis=0))


def test_neighbouring_bits_are_independent() -> None:
    for cls in (sd.OUE, sd.DyadicUnary):
        bits = np.unpackbits(
            cls(16, 1.0).perturb(np.zeros(200_000, dtype=int)), axis=1, bitorder="little"
        )
        correlation = np.corrcoef(bits.T.astype(float)) - np.eye(16)
        assert np.abs(correlation).max() < 6.5 / np.sqrt(200_000)


def test_seeds_repeat_and_fresh_entropy_does_not(mechanism_class: type[sd.GRR]) -> None:
    m = mechanism_class(min(43, mechanism_class.max_k), 1.0)
    values = np.arange(1000) % m.k
    seeded = [m.perturb(values, rng=sd.Entropy.seeded(b"x")) for _ in range(2)]
    assert np.array_equal(*seeded)
    assert not np.array_equal(m.perturb(values), m.perturb(values))


@cases("dtype", [np.uint8, np.int16, np.int64, np.uint64])
def test_any_integer_dtype_gives_the_same_reports(
    mechanism_class: type[sd.GRR], dtype: type
) -> None:
    m = mechanism_class(min(43, mechanism_class.max_k), 1.0)
    values = np.arange(5000) % m.k
    expected = m.perturb(values, rng=sd.Entropy.seeded(b"d"))
    got = m.perturb(values.astype(dtype), rng=sd.Entropy.seeded(b"d"))
    assert np.array_equal(got, expected)
    swapped = values.astype(np.dtype(dtype).newbyteorder())
    assert np.array_equal(m.perturb(swapped, rng=sd.Entropy.seeded(b"d")), expected)
    strided = np.repeat(values, 2)[::2]
    assert np.array_equal(m.perturb(strided, rng=sd.Entropy.seeded(b"d")), expected)
