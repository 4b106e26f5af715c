"""What a simulation takes as ``rng`` is what its signature says."""

from __future__ import annotations

import inspect
import typing

import numpy as np

import sudare as sd
from sudare.exact.entropy import Entropy, Randomness, as_entropy

TAKEN = [None, 7, np.int64(7), np.random.default_rng(7), np.random.RandomState(7)]


def test_each_simulation_says_that_it_takes_seeds_and_generators_and_takes_them() -> None:
    kinds = set(typing.get_args(Randomness))
    assert {Entropy, int, np.random.Generator, np.random.RandomState, type(None)} <= kinds
    for given in [*TAKEN, Entropy.seeded(7)]:
        assert isinstance(as_entropy(given), Entropy)
    mechanisms = (sd.GRR(4, 1.0), sd.OUE(4, 1.0), sd.SquareWave(1.0, low=0, high=1))
    calls = [getattr(one, name) for one in mechanisms for name in ("perturb", "simulate")]
    for call in [*calls, sd.testing.audit]:
        assert inspect.signature(call).parameters["rng"].annotation == "Randomness", call
    for given in TAKEN:
        assert sd.GRR(4, 1.0).perturb([0, 1, 2, 3], rng=given).shape == (4,)
        assert sd.GRR(4, 1.0).simulate([5, 5, 5, 5], rng=given).n == 20
