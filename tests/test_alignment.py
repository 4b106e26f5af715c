"""One number a category by its label, and answers that are numbers beside labels of digits."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.figure import Figure

import sudare as sd
from sudare import location, mechanisms, poisoning
from sudare.alignment import align, find_label, hold_numbers, spell
from sudare.files.reports import read_reports, write_reports
from sudare.mechanisms import (
    SHIPPED,
    FrequencyOracle,
    HierarchicalHistogram,
    Mechanism,
    SquareWave,
)
from sudare.mechanisms.registry import registered
from sudare.models import linear, logistic
from tests.cases import cases

ORACLES = [
    getattr(mechanisms, name) for family in ("frequency", "repeated") for name in SHIPPED[family]
]
CODES = ["3", "1", "2"]
HELD = [1, 1, 2, 3, 2, 1, 3, 3, 3]
COLUMNS = {
    "list": HELD,
    "tuple": tuple(HELD),
    "numpy scalars": [np.int8(one) for one in HELD],
    "zero-dimensional": [np.array(one) for one in HELD],
    "array": np.array(HELD),
    "small array": np.array(HELD, dtype=np.uint8),
    "float array": np.array(HELD, dtype=np.float32),
    "floats": [float(one) for one in HELD],
    "objects": np.array(HELD, dtype=object),
    "decimals": [Decimal(one) for one in HELD],
    "fractions": [Fraction(one) for one in HELD],
    "texts": list(map(str, HELD)),
    "texts and numbers": ["1", 1, 2.0, *HELD[3:]],
    "pandas": pd.Series(HELD, index=range(9, 0, -1)),
    "pandas floats": pd.Series(HELD, dtype="float64"),
    "pandas nullable": pd.Series(HELD, dtype="Int64"),
    "pandas arrow": pd.Series(HELD, dtype="int64[pyarrow]"),
    "pandas objects": pd.Series(HELD, dtype=object),
    "pandas categorical": pd.Series(pd.Categorical(HELD, categories=[2, 3, 1])),
    "polars": pl.Series(HELD),
    "polars floats": pl.Series(HELD, dtype=pl.Float64),
    "arrow": pa.array(HELD),
    "arrow dictionary": pa.array(HELD).dictionary_encode(),
    "arrow chunks": pa.chunked_array([HELD[:4], HELD[4:]]),
}


def made(cls: type[Any], k: Any) -> Any:
    return cls(**cls.example_arguments()[0] | {"k": k})


def seed() -> sd.Entropy:
    return sd.Entropy.seeded(b"labels")


@cases("cls", ORACLES)
def test_numbers_are_the_labels_that_they_are_written_like(cls: type[Any]) -> None:
    m, plain = made(cls, CODES), made(cls, 3)
    places = [CODES.index(str(one)) for one in HELD]
    reports = plain.perturb(places, rng=seed())
    for name, column in COLUMNS.items():
        assert np.array_equal(m.perturb(column, rng=seed()), reports), name
    for one in (2, 2.0, np.int64(2), np.float64(2), Decimal(2), "2"):
        alone = m.perturb_one(one, entropy=seed())
        assert np.array_equal(alone, plain.perturb_one(2, entropy=seed())), repr(one)
    if hasattr(m, "perturb_rounds"):
        rounds = m.perturb_rounds([[1, 3], [2, 2]], rng=seed())
        numbered = plain.perturb_rounds([[1, 0], [2, 2]], rng=seed())
        assert all(np.array_equal(a, b) for a, b in zip(rounds, numbered, strict=True))
        report = m.report(3, m.remember(entropy=seed()), entropy=seed())[0]
        again = plain.report(0, plain.remember(entropy=seed()), entropy=seed())[0]
        assert np.array_equal(report, again)


SECRET = 8_675_309


def test_numbers_that_no_label_is_written_like_are_refused() -> None:
    cases = [
        (["1", "2", "3"], [1, SECRET], sd.DomainError),
        (["1", "2", "3"], np.array([1, 0]), sd.DomainError),
        (["01", "02"], [1, 2], sd.DomainError),
        (["1", "2"], [1.5, 1.0], sd.DomainError),
        (["1", "2"], [True, False], sd.WrongTypeError),
        (["1", "0"], [1, True], sd.WrongTypeError),
        (["1", "0"], np.array([True, False]), sd.WrongTypeError),
        (["1", "0"], pd.Series([True, False]), sd.WrongTypeError),
        (["1", "2"], [b"1", b"2"], sd.WrongTypeError),
        (["no", "1-2", "3"], [0, 3], sd.DomainError),
    ]
    for labels, column, error in cases:
        for refused in (sd.GRR(labels, 1.0).perturb, sd.LGRR(labels, 1.0, permanent=2.0).perturb):
            with pytest.raises(error, match=r"\.astype\(str\)") as caught:
                refused(column)
            assert str(SECRET) not in str(caught.value)
    for missing in ([1, None], [1.0, np.nan], pd.Series([1, None], dtype="Int64")):
        with pytest.raises(sd.WrongTypeError, match="must not be missing; look at position 1"):
            sd.GRR(["1", "2"], 1.0).perturb(missing)
    for value in (0, 1.5, True, 7):
        with pytest.raises(sd.SudareError, match=r"\.astype\(str\)"):
            sd.GRR(["1", "2"], 1.0).perturb_one(value)
    with pytest.raises(sd.DomainError, match="position 600000"):
        sd.GRR(["1", "2"], 1.0).perturb(np.repeat([1, SECRET], [600_000, 1]))


def test_whole_numbers_stay_indices_where_no_label_reads_as_a_number() -> None:
    for labels in (["tea", "mate"], ["18-24", "25+"], ["nan", "inf"]):
        assert not hold_numbers(labels)
        m, plain = sd.GRR(labels, 1.0), sd.GRR(2, 1.0)
        column = [1, 0, 1, 1]
        assert np.array_equal(m.perturb(column, rng=seed()), plain.perturb(column, rng=seed()))
        for wrong in ([1.0, 0.0], [True, False]):
            with pytest.raises(sd.WrongTypeError, match=r"\.astype\(str\)"):
                m.perturb(wrong)
    for labels in (["tea", "0"], ["1.5", "x"], ["-1", "x"], ["1e3", "x"], ["01", "x"]):
        assert hold_numbers(labels)


@settings(max_examples=60)
@given(st.lists(st.integers(-99, 10**20), min_size=2, max_size=6, unique=True), st.data())
def test_every_code_is_its_label(codes: list[int], data: st.DataObject) -> None:
    labels = list(map(str, codes))
    column = data.draw(st.lists(st.sampled_from(codes), min_size=1))
    m, plain = sd.GRR(labels, 1.0), sd.GRR(len(labels), 1.0)
    expected = plain.perturb([codes.index(one) for one in column], rng=seed())
    assert np.array_equal(m.perturb(column, rng=seed()), expected)
    assert np.array_equal(m.perturb(list(map(str, column)), rng=seed()), expected)


def test_a_number_is_written_as_text() -> None:
    places = {"1": 0, "1.0": 1, "-2": 2, "0.5": 3}
    found = [find_label(one, places) for one in (1, 1.0, -2.0, 0.5, Fraction(1, 2), 2, True)]
    assert found == [0, 1, 2, 3, None, None, None]
    assert spell(float("inf")) == spell(float("nan")) == spell(None) == spell([1]) == ()


def test_analysts_name_categories_alike() -> None:
    m = sd.GRR(CODES, 2.0)
    est = m.estimate(sd.Counts((600, 250, 150), 1000))
    assert est.difference(3, 1).value == est.difference("3", "1").value
    for wrong in (0, "0", 1.5):
        with pytest.raises(sd.DomainError, match=r"must be one of \['3', '1', '2'\]"):
            est.difference(wrong, "1")
    rng = np.random.default_rng(1)
    x = {"x": rng.normal(size=4000)}
    reports = m.perturb(np.repeat([1, 2, 3, 3], 1000), rng=seed())
    fits = [logistic(reports, m, x, category=one) for one in ("3", 3)]
    assert np.array_equal(fits[0].coefficients, fits[1].coefficients)


def test_regressions_number_categories_by_their_labels() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=3000)
    smokes = (rng.random(3000) < 1 / (1 + np.exp(-x))).astype(int)
    turned, plain = sd.GRR(["1", "0"], 3.0), sd.GRR(2, 3.0)
    fits = [
        logistic(reports, m, {"x": x})
        for m, reports in (
            (turned, turned.perturb(smokes, rng=seed())),
            (plain, 1 - plain.perturb(1 - smokes, rng=seed())),
        )
    ]
    assert np.allclose(fits[0].coefficients, fits[1].coefficients)
    assert fits[0].coefficients[1] > 0.5
    reports = turned.perturb(smokes, rng=seed())
    fit = logistic(smokes, None, None, randomised={"smokes": (reports, turned)})
    assert fit.names == ("const", "smokes[1]")
    assert fit.coefficients[1] > 0
    other = sd.GRR(["1", "2"], 3.0)
    with pytest.raises(sd.DomainError, match=r"must have the labels 0 to 1 .*; say category="):
        logistic(other.perturb(1 + smokes), other, {"x": x})


TEAS = ["tea", "coffee", "mate"]
COUNTS, SHARES, SCORES = [600, 250, 150], [0.6, 0.25, 0.15], [1.0, 2.0, 4.0]


def numbers(labels: list[str], values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Return all that says one number of each label."""
    pairs = dict(zip(labels, values, strict=True))
    turned = {label: pairs[label] for label in labels[::-1]}
    yield "list", values
    yield "tuple", tuple(values)
    yield "array", np.array(values)
    yield "polars", pl.Series(values)
    yield "arrow", pa.array(values)
    yield "dict", pairs
    yield "permuted dict", turned
    yield "Series", pd.Series(pairs)
    yield "permuted Series", pd.Series(turned)
    yield "categorical index", pd.Series(values, index=pd.CategoricalIndex(labels)).sort_index()
    yield "sorted Series", pd.Series(pairs).sort_values()
    if labels != CODES:
        yield "default index", pd.Series(values)
        yield "permuted default index", pd.Series(values)[::-1]
        yield "permuted indices", {2: values[2], 0: values[0], 1: values[1]}
    else:
        codes = {int(label): value for label, value in turned.items()}
        yield "codes", codes
        yield "Series of codes", pd.Series(codes)
        yield "Series of floats", pd.Series({float(code): one for code, one in codes.items()})


def unlabelled(values: list[Any]) -> Iterator[tuple[str, Any]]:
    yield "list", values
    yield "dict", {2: values[2], 0: values[0], 1: values[1]}
    yield "Series", pd.Series(values)
    yield "permuted Series", pd.Series(values).iloc[[1, 2, 0]]
    yield "floats", pd.Series(values, index=[0.0, 1.0, 2.0])[::-1]


def wrong(labels: list[str] | None, values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Return what must be refused."""
    names = labels or ["0", "1", "2"]
    yield "unknown", dict(zip([*names[:2], "water"], values, strict=True))
    yield "unknown too", {**dict(zip(names, values, strict=True)), "water": values[0]}
    yield "missing", dict(zip(names[:2], values[:2], strict=True))
    yield "missing in Series", pd.Series(values[:2], index=names[:2])
    yield "twice", pd.Series([*values, values[0]], index=[*names, names[0]])
    yield "no label", pd.Series(values, index=[names[0], names[1], None])
    yield "rows of a frame", pd.Series(values, index=[0, 5, 7])
    yield "pairs", pd.Series(values, index=pd.MultiIndex.from_tuples([(0, i) for i in range(3)]))
    if labels == CODES:
        yield "default index", pd.Series(values)
    if labels is None:
        yield "labels without labels", dict(zip(names, values, strict=True))


def of_mechanism(k: Any) -> dict[str, tuple[list[Any], Callable[[Any], Any]]]:
    """Return each argument that takes one number a category: an example, and what it gives."""
    m, oue = sd.GRR(k, 2.0), sd.OUE(k, 1.0)
    est = m.estimate(sd.Counts((600, 250, 150), 1000))
    reports = m.perturb_one, m.program.draw(np.arange(300) % 3, seed())
    x = {"x": np.random.default_rng(1).normal(size=300)}
    attack = poisoning.MGA(targets=[k[0] if isinstance(k, list) else 0])
    levels = sd.Levels([sd.GRR(k, 0.5), m])

    return {
        "simulate": (COUNTS, lambda v: m.simulate(v, rng=seed()).support),
        "OUE": (COUNTS, lambda v: oue.simulate(v, rng=seed()).support),
        "linear": (SCORES, lambda v: est.linear(v).value),
        "mean": (SCORES, lambda v: est.mean(v).value),
        "expected_mse": (SHARES, lambda v: m.expected_mse(100, v)),
        "shrunk": (SHARES, lambda v: m.expected_mse(100, v, method="shrunk")),
        "variance": (SHARES, lambda v: m.variance(v, 100)),
        "supports": (COUNTS, m.supports),
        "replicates": (COUNTS, lambda v: m.replicates(v, "projected", rng=seed())),
        "replicates of two": (COUNTS, lambda v: m.replicates([v, v], "unbiased", rng=seed())),
        "band": (SHARES, lambda v: poisoning.manipulation_band(est, v)),
        "sample_size": (SHARES, lambda v: sd.sample_size(m, half_width=0.01, shares=v)),
        "rmse": (SHARES, lambda v: sd.sample_size(m, rmse=0.01, shares=v)),
        "levels": (
            COUNTS,
            lambda v: levels.simulate([v, [1, 2, 3]], rng=seed()).support,
        ),
        "levels' shares": (SHARES, lambda v: levels.expected_mse(100, v)),
        "counts": (COUNTS, lambda v: sd.Counts(v, 1000, m.to_json()).support),
        "models": (SCORES, lambda v: linear(reports[1], m, x, scores=v).coefficients),
        "gain": (SHARES, lambda v: poisoning.gain(m, attack, 0.05, frequency=v).frequency),
        "alarms": (
            SCORES,
            lambda v: poisoning.alarms(m, m.aggregate(reports[1]), scores=v)["bands"],
        ),
    }


@cases("argument", of_mechanism(3))
def test_one_number_a_category(argument: str) -> None:
    anything = {"sample_size", "rmse"}  # shares alone: also of nobody's categories
    for labels in (TEAS, CODES, None):
        values, take = of_mechanism(labels or 3)[argument]
        expected = take(values)
        ways = numbers(labels, values) if labels else unlabelled(values)
        for name, one in ways:
            assert repr(take(one)) == repr(expected), (labels, name)
        for name, one in wrong(labels, values):
            if labels is None and argument in anything:
                continue
            with pytest.raises(sd.SudareError) as caught:
                take(one)
            assert "water" not in str(caught.value), name


def test_value_counts_are_taken_as_they_come() -> None:
    column = pd.Series(["mate"] * 5 + ["tea"] * 3 + ["coffee"] * 2)
    m = sd.GRR(TEAS, 2.0)
    drawn = m.simulate(column.value_counts(), rng=seed())
    assert drawn == m.simulate([3, 2, 5], rng=seed())
    assert drawn == m.simulate({"coffee": 2, "tea": 3, "mate": 5}, rng=seed())
    with pytest.raises(sd.DomainError, match=r"'coffee' too; 0 where nobody is"):
        m.simulate(column[column != "coffee"].value_counts())
    assert m.simulate(column.value_counts().astype("Int64"), rng=seed()) == drawn
    for bad in ({"tea": True, "coffee": 2, "mate": 5}, {"tea": "3", "coffee": 2, "mate": 5}):
        with pytest.raises(sd.WrongTypeError):
            m.simulate(bad)
    scores = {"mate": None, "tea": 1, "coffee": 2}
    est = m.estimate(drawn)
    assert est.mean(scores).value == est.mean([1, 2, None]).value
    assert est.mean(pd.Series(scores, dtype="Int64")).value == est.mean([1, 2, None]).value


def test_true_shares_are_drawn_by_label() -> None:
    est = sd.GRR(CODES, 2.0).estimate(sd.Counts((600, 250, 150), 1000))
    canvas = Figure().subplots()
    est.plot(canvas, true_shares=pd.Series(SHARES, index=[3, 1, 2]).sort_index())
    assert [bar.get_height() for bar in canvas.patches] == SHARES
    with pytest.raises(sd.DomainError, match="true_shares must name the labels"):
        est.plot(canvas, true_shares=pd.Series(SHARES))


def test_an_index_of_rows_is_refused_where_it_could_mean_two_things() -> None:
    m = sd.GRR(["1", "0"], 2.0)
    with pytest.raises(sd.DomainError, match=r"\.set_axis\(labels\)"):
        m.simulate(pd.Series([900, 100]))
    by_code = m.simulate(pd.Series([1] * 900 + [0] * 100).value_counts().sort_index(), rng=seed())
    assert by_code == m.simulate([900, 100], rng=seed())


@settings(max_examples=40)
@given(st.permutations(range(6)), st.sampled_from([list("abcdef"), list("543210"), None]))
def test_the_order_of_a_series_never_matters(order: list[int], labels: list[str] | None) -> None:
    counts = pd.Series([5, 10, 20, 40, 80, 160], index=labels or range(6))
    shuffled = counts.iloc[order]
    m = sd.GRR(labels or 6, 1.0)
    assert m.simulate(shuffled, rng=seed()) == m.simulate(counts.to_numpy(), rng=seed())


def test_plans_and_comparisons_do_not_depend_on_the_order() -> None:
    for labels in (TEAS, CODES, [0, 1, 2]):
        counts = pd.Series(COUNTS, index=labels)
        first, second, third = (
            sd.compare(["GRR"], one, epsilons=[1.0], repetitions=2, rng=seed())
            for one in (counts, counts[::-1], counts.to_dict())
        )
        errors = {one.rows[0].measured_mse for one in (first, second, third)}
        assert len(errors) == 1
        assert len({sd.sample_size(
            k=3, epsilon=1.0, mechanism="GRR", rmse=0.01, shares=one / 1000
        ) for one in (counts, counts[::-1])}) == 1  # fmt: skip
    shares = pd.Series(SHARES, index=TEAS)
    plans = [sd.plan(3, 100, 1.0, shares=one) for one in (shares, dict(shares[::-1]), SHARES)]
    assert plans[0].options == plans[1].options
    assert [one.mechanism for one in plans[0]] == [one.mechanism for one in plans[2]]
    table = pd.DataFrame([[300, 100], [50, 150], [200, 200]])
    turned = table.iloc[[2, 0, 1], [1, 0]]
    errors = {
        sd.compare(["JointRR"], one, epsilons=[1.0], repetitions=2, order=1, rng=seed())
        .rows[0]
        .measured_mse
        for one in (table, turned, table.to_numpy())
    }
    assert len(errors) == 1


def test_tables_of_several_attributes() -> None:
    rows = np.array([[30, 10, 5], [20, 40, 15]])
    m = sd.JointRR([2, 3], epsilon=[1.0, 1.0])
    expected = m.simulate(rows, rng=seed())
    frame = pd.DataFrame(rows)
    given = (
        frame,
        frame.iloc[[1, 0], [2, 0, 1]],
        {(i, j): int(rows[i, j]) for j in (2, 0, 1) for i in (1, 0)},
        frame.stack()[::-1],
        {1: rows[1].tolist(), 0: {2: 5, 0: 30, 1: 10}},
        [frame.loc[0][::-1], rows[1].tolist()],
    )
    for one in given:
        assert m.simulate(one, rng=seed()) == expected, one
    est = m.estimate(expected)
    assert est.linear(frame.iloc[[1, 0]]).value == est.linear(rows).value
    for bad in (frame.rename(index={0: "a"}), frame[[0, 1]], {(0, 0): 1}, {(0,): 1, (1,): 2}):
        with pytest.raises(sd.SudareError):
            m.simulate(bad)


def test_every_mechanism_takes_counts_by_their_number() -> None:
    """Of each that simulates from one number a category: a dict of indices, turned around."""
    seen = set()
    for cls in registered(Mechanism):
        if "true_counts" not in [*inspect.signature(getattr(cls, "simulate", len)).parameters][:2]:
            continue
        for m in cls.examples()[:1]:
            shape = m.cells if isinstance(m, mechanisms.Place) else None
            size = shape or getattr(m, "bins", None) or getattr(m, "k", None)
            if not isinstance(size, int):
                continue
            counts, more = [3 + i for i in range(size)], ()
            if cls is sd.SetUnary:
                more = (sum(counts),)
            turned = pd.Series(counts)[::-1]
            for one in (turned, turned.to_dict()):
                assert m.simulate(one, *more, rng=seed()) == m.simulate(counts, *more, rng=seed())
            with pytest.raises(sd.SudareError):
                m.simulate(turned.rename(lambda i: f"label {i}"), *more)
            seen.add(cls.name)
    assert {"GRR", "LGRR", "SetUnary", "GridExponential", SquareWave.name} <= seen
    assert HierarchicalHistogram.name in seen
    assert {c.name for c in registered(Mechanism) if issubclass(c, FrequencyOracle)} <= seen


def test_numbers_of_pairs_follow_their_values() -> None:
    m = sd.Piecewise(1.0, low=0, high=9)
    expected = m.simulate([1, 5, 9], [30, 20, 10], rng=seed())
    frame = pd.DataFrame({"value": [1, 5, 9], "n": [30, 20, 10]}, index=[7, 8, 9])
    for counts in ({9: 10, 1: 30, 5: 20}, pd.Series({9: 10, 5: 20, 1: 30})):
        assert m.simulate([1, 5, 9], counts, rng=seed()) == expected
    assert m.simulate(frame.value, frame.n, rng=seed()) == expected
    assert m.simulate(frame.value, frame.n[::-1], rng=seed()) == expected
    rows = frame.n.reset_index(drop=True)
    assert m.simulate([3, 5, 9], rows, rng=seed()) == m.simulate(
        [3, 5, 9], [30, 20, 10], rng=seed()
    )
    for refused in (rows, frame.n):  # row 1, or the value 1? and no value is 7
        with pytest.raises(sd.DomainError, match=r"\.to_numpy\(\)"):
            m.simulate([1, 5, 9], refused)
    with pytest.raises(sd.DomainError, match="index of the values"):
        m.simulate(frame.value, frame.n.reset_index(drop=True))


def test_people_of_mesh_squares_follow_their_codes() -> None:
    grid = sd.Grid.from_mesh(533936, "3rd", rows=2, columns=2)
    codes, people = [533936001, 533936004, 533936011], [1, 2, 4]
    expected = location.sum_squares(grid, codes, people)
    series = pd.Series(people, index=codes)
    for one in (series[::-1], {str(code): n for code, n in zip(codes, people, strict=True)}):
        assert np.array_equal(location.sum_squares(grid, codes, one), expected)
    assert np.array_equal(location.sum_squares(grid, codes, pd.Series(people)), expected)


SURVEY = """
[collection]
name = "tea"
epsilon = 4
[[question]]
id = "kind"
type = "choice"
mechanism = "GRR"
text = "Which?"
choices = ["3", "1", "2"]
prefer_not_to_say = false
[[question]]
id = "all"
type = "choices"
text = "Which of these?"
choices = ["tea", "coffee", "mate"]
prefer_not_to_say = false
[[question]]
id = "both"
type = "crosstab"
text = "And?"
[[question.attributes]]
id = "age"
text = "Age?"
choices = ["young", "old"]
prefer_not_to_say = false
[[question.attributes]]
id = "often"
text = "How often?"
choices = ["daily", "weekly", "seldom"]
prefer_not_to_say = false
"""


def test_a_survey_is_simulated_by_the_names_of_choices() -> None:
    survey = sd.Collection.from_toml(SURVEY)
    table = pd.DataFrame(
        [[0.3, 0.1, 0.1], [0.2, 0.2, 0.1]],
        index=["young", "old"],
        columns=["daily", "weekly", "seldom"],
    )
    truth = {"kind": SHARES, "all": [0.5, 0.25, 0.125], "both": table.to_numpy()}
    turned = {
        "kind": pd.Series(SHARES, index=[3, 1, 2])[::-1],
        "all": {"mate": 0.125, "tea": 0.5, "coffee": 0.25},
        "both": table.iloc[::-1, [1, 2, 0]],
    }
    stacked = {**turned, "kind": {"2": 0.15, "1": 0.25, "3": 0.6}, "both": table.stack()[::-1]}
    expected = sd.simulate(survey, 1000, truth, rng=seed())
    for one in (turned, stacked):
        made = sd.simulate(survey, 1000, one, rng=seed())
        assert all(made[name].counts == expected[name].counts for name in expected)
    for name, bad in (("kind", {"tea": 1.0}), ("all", {"tea": 0.5}), ("both", table.T)):
        with pytest.raises(sd.SudareError, match=f"truth of {name}"):
            sd.simulate(survey, 1000, {name: bad})


def test_populations_of_weights_come_as_series() -> None:
    strata = pd.Series(["n"] * 30 + ["s"] * 10)
    population = pd.Series({"s": 500, "n": 500})
    first = sd.weights.poststratify(strata, population)
    again = sd.weights.poststratify(strata, {"n": 500, "s": 500})
    assert np.array_equal(first.values, again.values)
    with pytest.raises(sd.DomainError, match="once"):
        sd.weights.poststratify(strata, pd.Series([1, 2, 3], index=["n", "s", "s"]))


def test_labels_never_stand_beside_answers_that_are_encoded() -> None:
    with pytest.raises(sd.DomainError, match="labels that are numbers"):
        sd.JointRR.of([sd.GRR(["1", "0"], 1.0), sd.GRR(3, 1.0)])
    with pytest.raises(sd.DomainError, match="name their categories alike"):
        sd.Levels([sd.GRR(["1", "0"], 1.0), sd.GRR(["0", "1"], 2.0)])
    levels = sd.Levels([sd.GRR(["1", "0"], 1.0), sd.GRR(["1", "0"], 2.0)])
    numbered = sd.Levels([sd.GRR(2, 1.0), sd.GRR(2, 2.0)])
    reports = levels.perturb([1, 0, 1], [0, 1, 1], rng=seed())
    assert np.array_equal(reports, numbered.perturb([0, 1, 0], [0, 1, 1], rng=seed()))
    assert levels.estimate(levels.aggregate(reports)).labels == ("1", "0")
    question = sd.Collection.from_toml(SURVEY).questions[0]
    from dataclasses import replace

    with pytest.raises(sd.CollectionError, match="no labels of its own"):
        replace(question, mechanism=sd.GRR(CODES, 4.0))


def test_what_has_no_labels_is_returned_as_it_is() -> None:
    for one in ([1, 2], (1, 2), np.array([1, 2]), pl.Series([1, 2]), pa.array([1, 2]), None, "a"):
        assert align(one, (2,), "shares") is one


def test_estimates_are_compared_where_their_labels_agree() -> None:
    def estimated(k: Any) -> sd.Estimate:
        m = sd.GRR(k, 6.0)
        return m.estimate(m.aggregate(m.perturb(["1"] * 90 + ["0"] * 10, rng=seed())))

    first, turned = estimated(["1", "0"]), estimated(["0", "1"])
    other = sd.GRR(["cat", "dog"], 6.0).estimate(sd.Counts((90, 10), 100))
    unnamed = sd.GRR(2, 6.0).estimate(sd.Counts((90, 10), 100))
    ways: list[Callable[[Any, Any], Any]] = [
        sd.change,
        lambda a, b: a - b,
        lambda a, b: sd.combine([a, b], independent=True),
    ]
    for way in ways:
        for one, two in ((first, turned), (first, other), (unnamed, first), (first, unnamed)):
            with pytest.raises(sd.EstimationError, match="labels"):
                way(one, two)
    assert np.abs(sd.change(first, estimated(["1", "0"])).value).max() < 1e-9


def test_reports_that_are_read_keep_the_names_of_their_categories(tmp_path: Path) -> None:
    m = sd.GRR(2, 8.0)
    parts = [m.perturb([0] * 90 + [1] * 10, rng=seed())]
    expected = m.estimate(m.aggregate(parts[0])).shares[0]
    for name in ("r.csv", "r.jsonl", "r.parquet"):
        path = tmp_path / name
        write_reports(path, m, parts, categories=["1", "0"])
        sources: list[Any] = [path, [path], str(path)]
        if name == "r.parquet":
            sources += [ds.dataset(path), pq.read_table(path)]
        for source in sources:
            for mechanism in (None, m):
                est = sd.estimate_from(source, mechanism)
                assert isinstance(est, sd.Estimate)
                assert est.labels == sd.Estimate.from_json(est.to_json()).labels == ("1", "0")
                ways: list[Any] = [{1: 1, 0: 0}, {"0": 0, "1": 1}, pd.Series({1: 1, 0: 0}), [1, 0]]
                assert {round(est.mean(one).value, 9) for one in ways} == {round(expected, 9)}
    plain = tmp_path / "plain.csv"
    write_reports(plain, m, parts)
    assert sd.estimate_from(plain).labels is None
    turned = tmp_path / "turned.csv"
    write_reports(turned, m, parts, categories=["0", "1"])
    for mechanism in (None, m):
        with pytest.raises(sd.ReportError, match="the same categories"):
            sd.estimate_from([tmp_path / "r.csv", turned], mechanism)
    labelled = tmp_path / "labelled.csv"
    done = write_reports(labelled, sd.GRR(["1", "0"], 8.0), parts)
    assert done.parameters["categories"] == ["1", "0"]
    assert sd.estimate_from(labelled).labels == read_reports([labelled]).categories == ("1", "0")


def test_counts_without_a_mechanism_have_no_labels() -> None:
    for support in ({"tea": 1, "coffee": 2}, pd.Series({"tea": 1, "coffee": 2})):
        with pytest.raises(sd.DomainError, match="the categories have no labels"):
            sd.Counts(support, 3)
        m = sd.GRR(["coffee", "tea"], 1.0)
        assert sd.Counts(support, 3, m.to_json()).support.tolist() == [2, 1]


def test_tables_are_compared_however_they_are_named() -> None:
    table = pd.DataFrame({"u": [10, 30], "v": [20, 40]}, index=["x", "y"])
    nested = {"y": {"v": 40, "u": 30}, "x": {"u": 10, "v": 20}}

    def compared(truth: Any) -> Any:
        return sd.compare(None, truth, epsilons=[1.0], repetitions=2, rng=seed()).truth.tolist()

    assert compared([[10, 20], [30, 40]]) == [[10, 20], [30, 40]]
    series = {name: pd.Series(row)[::-1] for name, row in nested.items()}
    for one in (table, table.iloc[::-1, ::-1], nested, series, table.stack()[::-1]):
        assert compared(one) == [[10, 20], [30, 40]]
    pairs = table.stack().to_dict()
    assert compared(dict(reversed(pairs.items()))) == [[10, 20], [30, 40]]
    for wrong in (
        {"x": {"u": 1, "v": 2}, "y": {"u": 3, "w": 4}},
        {"x": {"u": 1, "v": 2}, "y": {"u": 3}},
        {"x": {"u": 1, "v": 2}, "y": [3, 4]},
        {"x": {"u": 1, "v": 2}, "y": pd.Series([3, 4], index=["u", "u"])},
    ):
        with pytest.raises(sd.SudareError):
            compared(wrong)


def test_targets_of_attacks_are_named_as_categories_are() -> None:
    shares = {"3": 0.6, "1": 0.25, "2": 0.15}
    for kind in (poisoning.MGA, poisoning.RIA):
        for cls in (sd.GRR, sd.OUE):
            m, plain = cls(CODES, 2.0), cls(3, 2.0)
            expected = poisoning.gain(plain, kind([1, 2]), 0.05, SHARES).frequency
            targets: list[Any] = [[1, 2], ["1", "2"], np.array([1, 2]), pd.Series(["1", "2"])]
            for named in (*targets, ["1", 2], ("2", "1")):
                found = poisoning.gain(m, kind(named), 0.05, shares).frequency
                turned = isinstance(named, tuple)
                assert np.array_equal(found[::-1] if turned else found, expected), named
            drawn = kind(["1"]).reports(m, 50, rng=seed())
            assert np.array_equal(drawn, kind([1]).reports(plain, 50, rng=seed()))
            est = m.estimate(m.simulate(COUNTS, rng=seed()))
            same = plain.estimate(plain.simulate(COUNTS, rng=seed()))
            assert np.array_equal(
                poisoning.recover(m, est, kind(["1"]), 0.05),
                poisoning.recover(plain, same, kind([1]), 0.05),
            )
            for wrong in ([0], ["0"], ["tea"], ["1", 1]):
                with pytest.raises(sd.SudareError, match="targets"):
                    poisoning.gain(m, kind(wrong), 0.05)
            with pytest.raises(sd.EstimationError):
                poisoning.recover(cls(["1", "2", "3"], 2.0), est, None, 0.05)
    with pytest.raises(sd.SudareError, match="targets"):
        poisoning.gain(sd.GRR(3, 2.0), poisoning.MGA(["tea"]), 0.05)
    with pytest.raises(sd.SudareError, match="targets"):
        poisoning.MGA(["1", "1"])
    by_label = poisoning.MGA(["mate"]).law(sd.GRR(TEAS, 2.0)).rates
    assert np.array_equal(by_label, poisoning.MGA([2]).law(sd.GRR(TEAS, 2.0)).rates)


def test_columns_of_respondents_with_other_indices_are_refused() -> None:
    m, n, random = sd.GRR(2, 4.0), 400, np.random.default_rng(3)
    held = np.arange(n) % 2
    own = pd.DataFrame(
        {"r": m.perturb(held, rng=seed()), "x": random.random(n), "s": random.integers(0, 2, n)},
        index=[f"person {i}" for i in range(n)],
    )
    r, x, s = own.r, own.x, own.s
    cell, person = {0: 1, 1: 1}, np.zeros((n, 2), dtype=bool)
    keys = sd.PrivKV(2, 1.0)
    weights = sd.weights
    grid = sd.Grid.from_mesh(533936, "3rd", rows=2, columns=2)
    places = sd.PlaceLevels([sd.GridExponential(grid, one) for one in (0.001, 0.002)])

    def raked(a: Any, base: Any = None) -> Any:
        return weights.rake({"a": a, "s": s}, {"a": cell, "s": cell}, base=base)

    ways: dict[str, Callable[[Any], Any]] = {  # of the column x, or what is numbered as it is
        "logistic": lambda t: logistic(r, m, {"x": t(x)}),
        "logistic frame": lambda t: logistic(r, m, t(own[["x"]])),
        "category": lambda t: logistic(r, m, {"x": t(x)}, category=1),
        "columns": lambda t: logistic(r.to_list(), m, {"x": x, "y": t(x) ** 2}),
        "formula": lambda t: logistic(r, m, {"x": t(x)}, formula="x"),
        "randomised": lambda t: logistic(s, None, {"x": x}, randomised={"z": (t(r), m)}),
        "linear": lambda t: linear(x, None, {"s": t(s)}),
        "scores": lambda t: linear(r, m, {"x": t(x)}, scores=[0, 1]),
        "poststratified": lambda t: weights.poststratify(t(s), cell).estimate(m, r),
        "crossed weights": lambda t: weights.poststratify(t(s), cell).cross([m, m], [r, r]),
        "raked": lambda t: raked(t(s)),
        "raked reports": lambda t: raked(s).estimate(m, t(r)),
        "base": lambda t: raked(s, weights.design(weights=t(1 + x))),
        "base list": lambda t: weights.poststratify(
            list(s), cell, base=weights.design(strata=t(s))
        ).estimate(m, r),
        "design": lambda t: weights.design(weights=1 + x, clusters=t(x)),
        "cross": lambda t: sd.cross([m, m], [r, t(r)]),
        "cross lists": lambda t: sd.cross([m, m, m], [r, list(r), t(r)]),
        "levels": lambda t: sd.Levels([sd.GRR(2, 1.0), m]).perturb(s, t(s)),
        "mesh": lambda t: mechanisms.place.mesh.encode(35 + x, t(135 + x)),
        "place levels": lambda t: places.perturb(s, t(s)),
        "keys": lambda t: keys.perturb(
            pd.DataFrame(person, index=own.index), t(pd.DataFrame(person * 1.0, index=own.index))
        ),
    }
    others: list[Callable[[Any], Any]] = [
        lambda c: c.iloc[::-1],
        lambda c: c.reset_index(drop=True),
        lambda c: c.sort_index(),
    ]
    for name, way in ways.items():
        way(lambda c: c)
        way(lambda c: c.iloc[::-1].reindex(own.index))
        for other in others:
            with pytest.raises(sd.DomainError, match="must have the same index") as caught:
                way(other)
            assert "person" not in str(caught.value), name
    for free in (list, np.asarray, pl.Series):
        sd.cross([m, m], [r, free(r)])
        weights.poststratify(free(s), cell).estimate(m, r)
        logistic(r, m, {"x": free(x)})
