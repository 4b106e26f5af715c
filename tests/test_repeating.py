"""A run of the tests repeats: what is drawn hangs on the test's name, not on what ran before."""

from __future__ import annotations

import os

import pytest

import sudare as sd
from sudare.exact.entropy import default_entropy

pytestmark = pytest.mark.skipif(bool(os.environ.get("SUDARE_FRESH")), reason="drawn anew")


@pytest.fixture(scope="module")
def shared() -> bytes:
    return default_entropy().take(4)


def test_what_a_test_draws_hangs_on_its_name() -> None:
    assert sd.Entropy.system().take(4).hex() == "0e387020"
    assert sd.Entropy.system().take(4).hex() != "0e387020"


def test_what_a_fixture_draws_hangs_on_its_own_name(shared: bytes) -> None:
    assert shared.hex() == "d87c54c9"
    assert default_entropy().take(4) != shared
