"""Shared by all tests."""

from __future__ import annotations

import os

# Set before numpy is loaded: a worker is one processor's work, and threads that wait for one
# another on a processor that others use cost many times what they compute.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

import sudare as sd

settings.register_profile("sudare", deadline=None)  # a busy machine is not a failing one
settings.load_profile("sudare")


@pytest.fixture
def rng() -> sd.Entropy:
    """A repeatable stream; statistical tests with fresh entropy say so by not using it."""
    return sd.Entropy.seeded(b"tests")


MECHANISMS = (sd.GRR, sd.OUE, sd.SUE, sd.DyadicUnary)


@pytest.fixture(params=MECHANISMS, ids=lambda cls: cls.name)
def mechanism_class(request: pytest.FixtureRequest) -> type[sd.GRR]:
    return request.param
