from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms import FrequencyOracle, registry
from tests.cases import cases


def test_a_curve_says_what_plans_say() -> None:
    c = sd.planning.curve(43, 5000, epsilons=[0.5, 1.0, 3.0])
    for row in c.rows():
        for option in sd.plan(43, 5000, row["epsilon"]):
            assert row[option.mechanism.name] == pytest.approx(option.half_width)
    assert len(c) == 3
    assert round(c.crossing or 0, 3) == 2.818


def test_confidence_and_target() -> None:
    one = sd.planning.curve(4, 100, epsilons=[1.0], confidence=0.6827, target="respondents")
    assert one.half_widths["GRR"][0] == pytest.approx(
        math.sqrt(sd.GRR(4, 1.0).expected_mse(100, target="respondents")), rel=1e-3
    )
    assert one.crossing is None


def test_it_falls_and_is_a_table() -> None:
    c = sd.planning.curve(10, 1000)
    assert c.epsilons[0] == 0.1
    assert c.epsilons[-1] == 8.0
    for name in ("GRR", "OUE", "SUE"):  # DyadicUnary moves in steps of its few bits
        assert (np.diff(c.half_widths[name]) < 0).all()
    frame = c.to_frame("pyarrow")
    assert frame.column_names == ["epsilon", *registry.names(FrequencyOracle, plugins=False)]
    assert frame.num_rows == len(c)


@cases(
    "arguments, name",
    [
        ({"k": 1}, "k"),
        ({"n": 0}, "n"),
        ({"epsilons": []}, "epsilons"),
        ({"epsilons": [2, 1]}, "epsilons"),
        ({"epsilons": [1, 1]}, "epsilons"),
        ({"epsilons": [1, math.nan]}, "epsilons"),
        ({"epsilons": [0.0]}, "epsilons"),
        ({"epsilons": 1.0}, "epsilons"),
        ({"epsilons": "1"}, "epsilons"),
        ({"epsilons": ["1"]}, "epsilons"),
        ({"epsilons": [None]}, "epsilons"),
        ({"epsilons": [[1.0]]}, "epsilons"),
        ({"epsilons": np.ma.masked_equal([1.0, 2.0], 2.0)}, "epsilons"),
        ({"target": "all"}, "target"),
        ({"confidence": 0}, "confidence"),
    ],
)
def test_bad_curves(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(sd.SudareError) as caught:
        sd.planning.curve(**{"k": 5, "n": 10, **arguments})
    assert caught.value.argument == name
