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


def test_mechanisms_are_values(mechanism_class: type[sd.GRR]) -> None:
    m = mechanism_class(5, 1.0)
    assert m == mechanism_class(k=5, epsilon=1)
    assert m != mechanism_class(5, 1.5)
    assert hash(m) == hash(mechanism_class(5, 1.0))
    assert repr(m) == f"{mechanism_class.name}(k=5, epsilon=1.0)"
    with pytest.raises(AttributeError, match="frozen"):
        m.k = 6  # type: ignore[misc]


def test_a_program_of_other_weights_is_another_mechanism() -> None:
    program = sd.GRR(5, 1).program
    assert replace(program) == program
    assert sd.GRR(5, 1) != sd.OUE(5, 1)


def test_mechanisms_travel_between_processes(mechanism_class: type[sd.GRR]) -> None:
    import pickle

    m = mechanism_class(7, 1.25)
    assert pickle.loads(pickle.dumps(m)) == m
