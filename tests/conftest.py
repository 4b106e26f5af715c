"""Shared by all tests."""

from __future__ import annotations

import pytest

import sudare as sd


@pytest.fixture
def rng() -> sd.Entropy:
    """A repeatable stream; statistical tests with fresh entropy say so by not using it."""
    return sd.Entropy.seeded(b"tests")


MECHANISMS = (sd.GRR, sd.OUE, sd.SUE, sd.DyadicUnary)


@pytest.fixture(params=MECHANISMS, ids=lambda cls: cls.name)
def mechanism_class(request: pytest.FixtureRequest) -> type[sd.GRR]:
    return request.param
