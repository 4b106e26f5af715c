"""Every mechanism found by name passes the public suite, and mechanisms are values."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import sudare as sd
from sudare.mechanisms import FrequencyOracle, Mechanism
from sudare.mechanisms.registry import registered

# Fresh entropy throughout: one false alarm in a million a mechanism.

EXAMPLES = [cls.examples() for cls in registered(Mechanism)]
SIZES = [(2, 0.001), (2_000, 10), (60, 20)]
SLOWLY_TALLIED = (sd.LinearHashing, sd.OLH, sd.ProjectiveGeometry)
"""At larger sizes each takes half a minute of processor time or more for its tallies."""


FEW = {"DBitFlipPM", "LGRR", "LOLOHA", "LOSUE", "LSUE", "PEM"}
"""Their laws are enumerated in files of their own: of each one example passes the suite here."""

LONG = {
    "ElasticExponential", "HadamardResponse", "Hybrid", "HierarchicalHistogram",
    "JointNegativeSurvey", "LinearHashing", "OLH", "PCKVUE", "Piecewise", "PlaceChannel",
    "PlanarLaplace", "PrivKV", "PrivKVM", "ProjectiveGeometry", "SHE", "SUE", "SampledPairs",
    "SampledTables", "StateRR", "THE", "TightGrid", "Trajectories", *FEW,
}  # fmt: skip
"""Most of the time of all: they wait for the longer run. Each family keeps one that does not."""


@pytest.mark.parametrize(
    "m",
    [
        pytest.param(m, marks=[pytest.mark.slow] if m.name in LONG else [], id=m.name)
        for m, *_ in EXAMPLES
    ],
)
def test_every_mechanism_conforms(m: Any) -> None:
    sd.testing.check_mechanism(m)


@pytest.mark.slow
@pytest.mark.parametrize(
    "m", [m for own in EXAMPLES for m in own[1:] if m.name not in FEW], ids=repr
)
def test_every_example_conforms(m: Any) -> None:
    sd.testing.check_mechanism(m)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "k", "epsilon"),
    [
        (cls, k, epsilon)
        for cls in registered(FrequencyOracle)
        for k, epsilon in SIZES
        if not cls.studies_only
        and k <= cls.most_categories(Fraction(epsilon))
        and (cls not in SLOWLY_TALLIED or k < 60)
    ],
)
def test_every_frequency_oracle_conforms_at_any_size(cls: Any, k: int, epsilon: float) -> None:
    sd.testing.check_mechanism(cls(k, epsilon))


LARGE = [
    sd.SetUnary(100, 2.0, 3),
    sd.JointRR([4, 3, 5, 16], gamma=3),
    sd.MarginalRR([16, 5, 9], 2.0, "sample"),
    sd.PrivKV(100, 2.0),
    sd.PCKVGRR(50, 2.0, padding=5),
    sd.SquareWave(1.0, bins=256),
    sd.HierarchicalHistogram(1.0, 0, 100, bins=64, branching=4),
    sd.GridExponential(sd.Grid(15, 15, 115.6, 141.5), 0.02),
]


@pytest.mark.slow
@pytest.mark.parametrize("m", LARGE, ids=repr)
def test_large_ones_conform(m: Any) -> None:
    sd.testing.check_mechanism(m)


def test_a_map_too_large_to_write_out_is_refused() -> None:
    with pytest.raises(sd.DomainError, match="256 cells"):
        sd.testing.check_mechanism(sd.GridExponential(sd.Grid(20, 20, 100.0, 100.0), 0.02))


@pytest.mark.parametrize("m", [own[0] for own in EXAMPLES], ids=lambda m: m.name)
def test_every_mechanism_travels_between_processes(m: Any) -> None:
    again = pickle.loads(pickle.dumps(m))
    assert again == m
    assert hash(again) == hash(m)


def test_a_program_of_other_weights_is_another_mechanism() -> None:
    program = sd.GRR(5, 1).program
    assert replace(program) == program
    assert sd.GRR(5, 1) != sd.OUE(5, 1)
