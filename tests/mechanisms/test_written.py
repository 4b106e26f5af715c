"""How mechanisms are written, in ``written.json``: shown, as data, and what refuses bad parameters.

    python tests/mechanisms/test_written.py

writes the file again. A change of it changes what definitions and ledgers hold.
"""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np

import sudare as sd
from sudare.collection.canonical import canonical_json
from sudare.mechanisms import SHIPPED, Mechanism, from_json
from tests.cases import cases

FILE = Path(__file__).with_name("written.json")

GRID = "sd.Grid(2, 3, 100.0, 120.0)"
ORACLES = [name for name in SHIPPED["frequency"] if not getattr(sd, name).studies_only]
MECHANISMS = [
    *(
        f"sd.{name}({k}, {epsilon})"
        for name in ORACLES
        for k, epsilon in ((2, "0.001"), (3, 2), (43, "1.5"), (5, "Fraction(1, 3)"), (300, 20))
        if k <= getattr(sd, name).max_k
    ),
    "sd.NegativeSurvey(2)",
    "sd.NegativeSurvey(k=43)",
    "sd.SetUnary(4, 2.0)",
    "sd.SetUnary(17, 0.5, 3)",
    "sd.SetUnary(k=5, epsilon=Decimal('1.25'), most=5)",
    "sd.JointRR([16, 5], gamma=10)",
    "sd.JointRR((2,), epsilon=[0.3])",
    "sd.JointRR([3, 2, 4], gamma=[2, 3.5, Fraction(7, 3)])",
    "sd.JointRR([3, 2, 4], gamma=3).subset([2, 0])",
    "sd.JointNegativeSurvey([16, 5])",
    "sd.JointNegativeSurvey([16, 5, 2]).subset([2, 1])",
    "sd.MarginalRR([3, 2], 2.0)",
    "sd.MarginalRR([3, 2], 1, 'sample')",
    "sd.MarginalRR((4, 3, 2), epsilon=0.3, strategy='fake')",
    "sd.SampledPairs([3, 2], 2.0)",
    "sd.SampledPairs((4, 3, 2), epsilon=0.3, oracle='OUE')",
    "sd.SampledPairs([5] * 4, 4, 'GRR')",
    "sd.PrivKV(2, 1.0)",
    "sd.PrivKV(300, 0.7, split='half')",
    "sd.StateRR(d=3, epsilon=2)",
    "sd.PrivKVM(3, 4.0)",
    "sd.PrivKVM(3, 1, rounds=5)",
    "sd.PCKVUE(3, 2.0)",
    "sd.PCKVUE(3, 2.0, padding=2)",
    "sd.PCKVGRR(5, 0.4, 3)",
    "sd.Duchi(1.0)",
    "sd.Duchi(epsilon=0.25, low=0, high=100)",
    "sd.Piecewise(2, -1e-3, 1e20)",
    "sd.Hybrid(3, high=2)",
    "sd.Hybrid(0.4, -5.5)",
    "sd.SquareWave(1)",
    "sd.SquareWave(2.0, 0, 100, bins=4)",
    "sd.HierarchicalHistogram(1)",
    "sd.HierarchicalHistogram(2.0, 0, 100, bins=10, branching=3, oracle='OUE')",
    "sd.HierarchicalHistogram(0.5, bins=8, branching=8, oracle='GRR')",
    "sd.HierarchicalHistogram.over([0, 0.5, 2, 1e3], 2.0, 3, 'OUE')",
    f"sd.GridExponential({GRID}, 0.02)",
    f"sd.GridExponential({GRID}, 0.02, [1, 2, 0, 4, 5, 0.25])",
    f"sd.GridExponential({GRID}, Fraction(1, 70), np.eye(2, 3) + 1)",
]
ROUNDED = [  # by the machine's own logarithms and exponentials: only how they are shown is pinned
    f"sd.GridExponential({GRID}, 0.02, calibrated=True)",
    f"sd.GridExponential({GRID}, 0.02, [1, 2, 0, 4, 5, 0.25], calibrated=True)",
    f"sd.TightGrid({GRID}, 0.03)",
    f"sd.PlanarLaplace({GRID}, 0.02)",
    f"sd.PlaceChannel({GRID}, 0.03, np.full((6, 6), 1 / 6))",
    f"sd.ElasticExponential({GRID}, np.linspace(0.01, 0.03, 6))",
    f"sd.ElasticExponential({GRID}, np.full((2, 3), 0.01), [1, 2, 3, 4, 5, 0.3])",
    "sd.RoadExponential([(0, 1, 200.0), (1, 2, 300.0), (2, 3, 100.0)], 0.01)",
    "sd.RoadExponential([(0, 1, 200), (1, 2, 300)], 0.02, [1, 2, 3])",
]
EPSILONS = ("-1.0", "0", "nan", "inf", "1e4", "'1'", "None", "True", "[1]", "0.0009")
WHOLES = ("0", "-3", "2.5", "'5'", "None", "True", "nan", "2**40")
BAD = [
    *(f"sd.GRR(5, {value})" for value in EPSILONS),
    *(f"sd.OUE({value}, 1)" for value in WHOLES),
    *(f"sd.NegativeSurvey({value})" for value in WHOLES),
    *(f"sd.SetUnary(5, {value})" for value in EPSILONS),
    *(f"sd.SetUnary({value}, 1)" for value in (*WHOLES, "1025")),
    *(f"sd.SetUnary(5, 1, {value})" for value in ("0", "6", "2.5", "'1'", "True")),
    *(f"sd.JointNegativeSurvey({value})" for value in ("[]", "3", "'33'", "[3, 1]", "[2.5]")),
    *(f"sd.JointRR({value}, gamma=3)" for value in ("[]", "3", "'33'", "[3, 1]", "[2.5]")),
    *(
        f"sd.JointRR([2, 3], gamma={value})"
        for value in ("1", "nan", "None", "[2]", "'2'", "[2, 0]")
    ),
    *(f"sd.JointRR([2, 3], epsilon={value})" for value in ("1", "[1]", "[1, 0]", "[1, '1']")),
    *(f"sd.JointRR.of({value})" for value in ("3", "[]", "[sd.OUE(3, 1)]", "[1]")),
    "sd.JointRR([2, 3], gamma=3, epsilon=[1, 1])",
    *(f"sd.MarginalRR({value}, 1)" for value in ("[]", "3", "'33'", "[3, 1]", "[2.5]")),
    *(f"sd.MarginalRR([2, 3], {value})" for value in (*EPSILONS, "0.0015")),
    *(f"sd.MarginalRR([2, 3], 1, {value})" for value in ("'even'", "None", "3")),
    *(
        f"sd.{name}({value}, 1)"
        for name in ("PrivKV", "StateRR", "PrivKVM", "PCKVUE", "PCKVGRR")
        for value in WHOLES
    ),
    *(
        f"sd.{name}(3, {value})"
        for name in ("PrivKV", "StateRR", "PrivKVM", "PCKVUE", "PCKVGRR")
        for value in EPSILONS
    ),
    *(f"sd.PrivKV(3, 1, {value})" for value in ("'whole'", "None", "3")),
    *(f"sd.PrivKVM(3, 1, {value})" for value in ("0", "101", "2.5", "'2'", "None", "True")),
    "sd.PrivKVM(3, 0.01, 6)",
    *(f"sd.PCKVUE(3, 1, {value})" for value in ("0", "65537", "2.5", "'2'", "None", "True")),
    *(
        f"sd.{name}({value})"
        for name in ("Duchi", "Piecewise", "Hybrid", "SquareWave", "HierarchicalHistogram")
        for value in (*EPSILONS, "1, 0, 0", "1, 2", "1, nan", "1, '0'", "1, 0, None", "1, 0, 1e101")
    ),
    *(f"sd.SquareWave(1, 0, 1, {value})" for value in ("1", "513", "2.5", "'2'", "None", "True")),
    *(
        f"sd.HierarchicalHistogram(1, 0, 1, {value})"
        for value in ("1", "4097", "2.5", "None", "8, 1", "8, 4097", "8, '2'", "8, 2, 'SUE'")
    ),
    *(
        f"sd.{name}({value}"
        for name in ("GridExponential", "TightGrid", "PlanarLaplace")
        for value in (
            *(f"{GRID}, {epsilon})" for epsilon in (*EPSILONS, "1e-9")),
            *(f"{grid}, 0.02)" for grid in ("None", "(2, 3)", "'grid'")),
        )
    ),
    f"sd.TightGrid({GRID}, 0.0001)",
    "sd.TightGrid(sd.Grid(101, 100, 100.0, 100.0), 0.02)",
    "sd.PlanarLaplace(sd.Grid(101, 100, 100.0, 100.0), 0.02)",
    *(
        f"sd.GridExponential({GRID}, 0.02, {value})"
        for value in ("[1, 2]", "'weights'", "[0] * 6", "[-1] * 6", "[float('nan')] * 6")
    ),
    f"sd.GridExponential({GRID}, 0.02, calibrated='yes')",
    *(f"sd.PlaceChannel({GRID}, {value}, np.full((6, 6), 1 / 6))" for value in EPSILONS[:4]),
    *(
        f"sd.PlaceChannel({GRID}, 0.02, {value})"
        for value in ("np.eye(6)", "None", "np.ones((6, 6))", "np.eye(5)", "-np.eye(6)")
    ),
    *(
        f"sd.ElasticExponential({GRID}, {value})"
        for value in ("None", "0.02", "[0.02]", "[0] * 6", "[1] * 6", "[1e-9] * 6")
    ),
    "sd.ElasticExponential(None, [0.01] * 6)",
    f"sd.ElasticExponential({GRID}, [0.01] * 6, [1, 2])",
    *(
        f"sd.RoadExponential({value}, 0.01)"
        for value in ("None", "[]", "'road'", "[(0, 1)]", "[(0, 1, -3)]", "[(0, 1, 3), (2, 3, 3)]")
    ),
    *(f"sd.RoadExponential([(0, 1, 200)], {value})" for value in EPSILONS),
    "sd.RoadExponential([(0, 1, 200)], 0.01, [1])",
]
NAMES = {"sd": sd, "np": np, "nan": float("nan"), "inf": float("inf")}


def evaluated(text: str) -> Any:
    from decimal import Decimal
    from fractions import Fraction

    return eval(text, NAMES | {"Decimal": Decimal, "Fraction": Fraction})


def written(text: str) -> dict[str, Any]:
    m = evaluated(text)
    program = hashlib.sha256(repr(m.program).encode()).hexdigest()[:16]
    return {"shown": repr(m), "data": m.to_json(), "program": program}


def refused(text: str) -> list[str]:
    try:
        evaluated(text)
    except sd.SudareError as error:
        return [type(error).__name__, error.argument]
    return ["accepted", ""]


def contents() -> dict[str, Any]:
    return {
        "mechanisms": {text: written(text) for text in MECHANISMS},
        "rounded": {text: repr(evaluated(text)) for text in ROUNDED},
        "bad": {text: refused(text) for text in BAD},
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(contents(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    raise SystemExit

PINNED = json.loads(FILE.read_text("utf-8"))
PICKLED = json.loads(FILE.with_name("pickled.json").read_text("utf-8"))


@cases("text", MECHANISMS)
def test_a_mechanism_is_written_as_before(text: str) -> None:
    assert written(text) == PINNED["mechanisms"][text]


@cases("text", ROUNDED)
def test_a_rounded_one_is_shown_as_before(text: str) -> None:
    assert repr(evaluated(text)) == PINNED["rounded"][text]


@cases("text", BAD, parts=4)
def test_a_bad_parameter_is_refused_as_before(text: str) -> None:
    assert refused(text) == PINNED["bad"][text]


@cases("text", [*MECHANISMS, *ROUNDED])
def test_it_is_read_again(text: str) -> None:
    m = evaluated(text)
    data = json.loads(json.dumps(m.to_json()))
    read = type(m).from_json(data)
    for again in (read, pickle.loads(pickle.dumps(m)), evaluated(text)):
        assert again == m
        assert hash(again) == hash(m)
        assert repr(again) == repr(m)
        assert again.program == m.program
        assert canonical_json(again.to_json()) == canonical_json(data)
    if not m.studies_only:
        assert from_json(data, Mechanism) == m
    assert m != sd.GRR(977, 1.0)


@cases("text", PICKLED)
def test_what_another_version_pickled_is_read(text: str) -> None:
    """By version 0.1.0, which handed the parameters to constructors or to ``from_json``."""
    m = pickle.loads(base64.b64decode(PICKLED[text]))
    assert repr(m) == repr(evaluated(text))
    if text in MECHANISMS:
        assert m == evaluated(text)
