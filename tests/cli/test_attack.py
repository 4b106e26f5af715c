"""``sudare attack``: the gains of Python, in a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import sudare as sd
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]
M2GA = ("m2ga", "--split", "half", "-d", 50, "--epsilon", 1, "--frequency", 0.3, "--mean", 0.2)
MGA = ("mga", "-k", 43, "--epsilon", 1, "--mechanism", "OUE", "--targets", 2, "--frequency", 0.01)


def test_key_value_data(sudare: Run) -> None:
    status, text, err = sudare("attack", *M2GA, "--json", "--seed", "a")
    assert (status, err) == (0, "")
    data = json.loads(text)
    assert data["parameters"]["mechanism"]["split"] == "half"
    assert data["entropy"] == "seeded('a')"
    gains = {(one["index_control"], one["clipped"]): one for one in data["gains"]}
    assert len(gains) == 4
    golden = {(False, False): 1.624, (False, True): 0.700, (True, False): 0.112}
    for which, frequency in golden.items():
        assert gains[which]["frequency"] == pytest.approx(frequency, abs=5e-4)
    assert gains[False, False]["mean"] == pytest.approx(0.917, abs=5e-4)
    assert gains[True, False]["mean"] == pytest.approx(0.418, abs=5e-4)
    for which, one in gains.items():
        if which != (False, True):  # where clipping hides the noise, its limit is only near
            apart = abs(one["simulated_frequency"] - one["frequency"])
            assert apart < 4 * one["stderr_frequency"]
    assert sudare("attack", *M2GA, "--json", "--seed", "a")[1] == text


def test_one_answer(sudare: Run) -> None:
    status, text, _ = sudare("attack", *MGA, "--json", "--trials", 2, "-n", 1000)
    assert status == 0
    data = json.loads(text)
    shares = [0.01, 0.01, *[0.98 / 41] * 41]
    exact = sd.poisoning.gain(sd.OUE(43, 1.0), sd.poisoning.MGA([0, 1]), 0.05, shares)
    assert data["gains"][0]["frequency"] == exact.total_frequency
    assert {one["index_control"] for one in data["gains"]} == {False}
    assert data["gains"][0]["mean"] is data["gains"][0]["simulated_mean"] is None


def test_on_the_terminal(sudare: Run) -> None:
    status, out, err = sudare("attack", *M2GA, "--trials", 2)
    assert (status, err) == (0, "")
    assert "1.6243" in out
    assert out.count("collector") == 2
    status, out, _ = sudare("attack", *MGA, "--trials", 2)
    assert status == 0
    assert "G_m" not in out


@cases(
    "given",
    [
        ("rma", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--mechanism", "StateRR"),
        ("rkva", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--mechanism", "PCKVGRR",
         "--padding", 2),
        ("m2ga", "-d", 5, "--epsilon", 4, "--frequency", 0.3, "--mechanism", "PrivKVM",
         "--rounds", 3),
        ("rpa", "-k", 5, "--epsilon", 1),
        ("ria", "-k", 5, "--epsilon", 1, "--method", "mle", "--targets", 5, "--frequency", 0.2),
        ("mga", "-k", 16, "--epsilon", 1, "--mechanism", "HierarchicalHistogram",
         "--branching", 4, "--oracle", "OUE", "--targets", 2),
        ("ria", "-k", 8, "--epsilon", 1, "--mechanism", "HierarchicalHistogram"),
    ])  # fmt: skip
def test_every_attack(sudare: Run, given: tuple[Any, ...]) -> None:
    status, out, err = sudare("attack", *given, "--trials", 2, "-n", 2000)
    assert (status, err) == (0, "")
    assert "±" in out


@cases(
    "given",
    [
        ("mga", "-d", 5, "--epsilon", 1),
        ("mga", "-k", 5, "-d", 5, "--epsilon", 1),
        ("m2ga", "-k", 5, "--epsilon", 1, "--frequency", 0.3),
        ("m2ga", "-d", 5, "--frequency", 0.3),
        ("m2ga", "-d", 5, "--epsilon", 1),
        ("m2ga", "-d", 1, "--epsilon", 1, "--frequency", 0.3),
        ("m2ga", "-d", 5, "--epsilon", 0, "--frequency", 0.3),
        ("m2ga", "-d", 5, "--epsilon", "x", "--frequency", 0.3),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", "nan"),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 2),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--mean", 2),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--padding", 2),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--split", "third"),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--beta", 1),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--targets", 6),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--targets", 0),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--method", "best"),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "-n", 1),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--trials", 1),
        ("m2ga", "-d", 5, "--epsilon", 1, "--frequency", 0.3, "--mechanism", "GRR"),
        ("mga", "-k", 5, "--epsilon", 1, "--mechanism", "PrivKV"),
        ("mga", "-k", 5, "--epsilon", 1, "--mean", 0.1),
        ("mga", "-k", 5, "--epsilon", 1, "--frequency", 0.3, "--targets", 4),
        ("mga", "-k", 5, "--epsilon", 1, "--frequency", 0.3, "--targets", 5),
        ("mga", "-k", 5, "--epsilon", 1, "--rounds", 2),
        ("nothing", "-k", 5, "--epsilon", 1),
        ("mga", "-k", 5, "--epsilon", 1, "--mechanism", "SampledPairs"),
        ("mga", "-k", 5, "--epsilon", 1, "--mechanism", "SquareWave"),
        ("mga", "-k", 5, "--epsilon", 1, "--branching", 2),
        ("mga", "-k", 5, "--epsilon", 1, "--mechanism", "HierarchicalHistogram", "--oracle", "SUE"),
    ],
)
def test_bad_input(sudare: Run, given: tuple[Any, ...]) -> None:
    status, out, err = sudare("attack", *given)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
