"""Oracles shared by the tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import sudare as sd

sys.path.insert(0, str(Path(__file__).parent))  # helper modules: tests are collected by importlib


@pytest.fixture
def exact_covariance() -> Callable[[sd.GRR, np.ndarray, str], np.ndarray]:
    """What the whole law of one report says."""
    return _exact_covariance


def _exact_covariance(m: sd.GRR, shares: np.ndarray, target: str) -> np.ndarray:
    """n times the covariance of the estimated shares, from the whole law of one report."""
    law = np.array([[float(cell) for cell in row] for row in m.program.matrix()])
    sent = np.flatnonzero(law.any(axis=1)).tolist()
    law = law[sent]
    reports = [m.program.decode(i.to_bytes(m.report_bytes, "little")) for i in sent]
    supports = np.array([m.aggregate(r).support for r in reports], dtype=float)
    p, q = (float(x) for x in m.support_probabilities)
    total = np.zeros((m.k, m.k))
    for value, share in enumerate(shares):
        mean = law[:, value] @ supports
        second = (supports * law[:, [value]]).T @ supports
        total += share * (second - np.outer(mean, mean))
    total /= (p - q) ** 2
    if target == "population":
        total += np.diag(shares) - np.outer(shares, shares)
    return total
