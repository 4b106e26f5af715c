"""Every mechanism found by name passes the public suite, and mechanisms are values."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sudare as sd
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.registry import lookup


@pytest.mark.parametrize("name", names(FrequencyOracle))
@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.001), (3, 2), (43, 1), (10_000, 10), (300, 20)])
def test_every_registered_mechanism_conforms(name: str, k: int, epsilon: float) -> None:
    # Fresh entropy: one false alarm in a million.
    sd.testing.check_mechanism(lookup(name, FrequencyOracle)(k, epsilon))


def test_a_program_of_other_weights_is_another_mechanism() -> None:
    program = sd.GRR(5, 1).program
    assert replace(program) == program
    assert sd.GRR(5, 1) != sd.OUE(5, 1)
