"""The public suite over every mechanism found by name, and broken ones that it must refuse."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.registry import lookup


@pytest.mark.parametrize("name", names(FrequencyOracle))
@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.001), (3, 2), (43, 1), (10_000, 10), (300, 20)])
def test_every_registered_mechanism_conforms(name: str, k: int, epsilon: float) -> None:
    assert len(sd.testing.check_mechanism(lookup(name, FrequencyOracle)(k, epsilon)).passed) == 12


class Spends(sd.GRR):
    """Spends a tenth more than it is asked for."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        return sd.GRR._compile(k, epsilon * Fraction(11, 10))


class Shy(sd.GRR):
    """Leaves the last category untouched by noise."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return np.where(np.asarray(values) == self.k - 1, self.k - 1, reports)


class OffByOne(sd.GRR):
    """Moves every report by one."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return (super().perturb(values, rng=rng) + 1) % self.k


class Weak(sd.GRR):
    """Perturbs with a tenth more ε than its program states."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return sd.GRR(self.k, self.requested_epsilon * Fraction(11, 10)).perturb(values, rng=rng)


class Biased(sd.OUE):
    """Estimates with probabilities that are not its own."""

    @property
    def support_probabilities(self) -> tuple[Fraction, Fraction]:
        p, q = super().support_probabilities
        return p * Fraction(99, 100), q


class Trusting(sd.GRR):
    """Lets everything in."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return np.zeros(len(values), dtype=np.uint8)


class Noiseless(sd.GRR):
    """Simulates no noise at all, at ten times the scale of the truth's last category."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        support = super()._simulate(truth, generator)
        moved = support.sum() // 50
        support[0] -= moved
        support[-1] += moved
        return support


@pytest.mark.parametrize(
    ("cls", "rule"),
    [
        (Spends, "must not spend more"),
        (Shy, "must perturb by its law"),
        (OffByOne, "must perturb by its law"),
        (Weak, "must perturb by its law"),
        (Biased, "support_probabilities"),
        (Trusting, "must perturb by its law"),
        (Noiseless, "must simulate"),
    ],
)
def test_broken_mechanisms_are_found(cls: type[sd.GRR], rule: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("sudare.testing.conformance.from_json", lambda data, _: cls(data["k"], 3))
    with pytest.raises(sd.ConformanceError, match=rule):
        sd.testing.check_mechanism(cls(4, 3))


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
