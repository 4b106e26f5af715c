"""Labels in the place of k: of every frequency oracle, in and out."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sudare as sd
from sudare import mechanisms
from sudare.mechanisms import SHIPPED, FrequencyOracle, from_json
from tests.cases import cases

TEAS = ["tea", "coffee", "mate"]
CLASSES = [
    getattr(mechanisms, name) for family in ("frequency", "repeated") for name in SHIPPED[family]
]
INDICES = [0, 2, 1, 1, 0, 2, 2]
WORDS = [TEAS[i] for i in INDICES]
COLUMNS = {
    "list": WORDS,
    "tuple": tuple(WORDS),
    "array": np.array(WORDS),
    "objects": np.array(WORDS, dtype=object),
    "pandas": pd.Series(WORDS),
    "pandas frame": pd.DataFrame({"drink": WORDS}, index=range(3, 10))["drink"],
    "pandas categorical": pd.Categorical(WORDS, categories=["mate", "tea", "coffee"]),
    "pandas categories": pd.Series(WORDS, dtype="category"),
    "pandas string": pd.Series(WORDS, dtype="string"),
    "polars": pl.Series(WORDS),
    "polars frame": pl.DataFrame({"drink": WORDS})["drink"],
    "polars categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars enum": pl.Series(WORDS, dtype=pl.Enum(["mate", "coffee", "tea"])),
    "arrow": pa.array(WORDS),
    "arrow dictionary": pa.array(WORDS).dictionary_encode(),
    "arrow chunks": pa.chunked_array([WORDS[:3], WORDS[3:]]).dictionary_encode(),
    "arrow table": pa.table({"drink": WORDS})["drink"],
}


def made(cls: type[Any], k: Any) -> Any:
    return cls(**cls.example_arguments()[0] | {"k": k})


def test_there_are_oracles() -> None:
    assert len(CLASSES) > 14


@cases("cls", CLASSES)
def test_an_oracle_with_labels(cls: type[Any]) -> None:
    m, plain = made(cls, TEAS), made(cls, 3)
    assert (m.k, m.labels, plain.labels) == (3, tuple(TEAS), None)
    assert m.program == plain.program  # nothing on the wire knows of labels
    assert m.epsilon == plain.epsilon
    assert m != plain
    assert "labels" not in plain.to_json()
    assert plain.to_json()["k"] == 3
    assert m.to_json()["k"] == TEAS
    data = json.loads(json.dumps(m.to_json()))
    again = (cls.from_json(data), pickle.loads(pickle.dumps(m)), copy.deepcopy(m))
    for one in (*again, eval(repr(m), {cls.__name__: cls})):
        assert one == m
        assert hash(one) == hash(m)
        assert one.labels == m.labels
    assert made(cls, TEAS[::-1]) != m
    with pytest.raises(AttributeError, match="frozen"):
        m.domain = 3


@cases("cls", CLASSES)
def test_reports_of_labels_are_those_of_indices(cls: type[Any]) -> None:
    m, plain = made(cls, TEAS), made(cls, 3)
    reports = [
        one.perturb(values, rng=sd.Entropy.seeded(7))
        for one, values in ((plain, INDICES), (m, INDICES), (m, WORDS))
    ]
    assert np.array_equal(reports[0], reports[1])
    assert np.array_equal(reports[0], reports[2])
    one = [o.perturb_one(v, entropy=sd.Entropy.seeded(7)) for o, v in ((plain, 2), (m, "mate"))]
    assert np.array_equal(*one)
    if hasattr(m, "perturb_rounds"):
        rounds = m.perturb_rounds([WORDS[:2], WORDS[2:4]], rng=sd.Entropy.seeded(7))
        numbered = plain.perturb_rounds([INDICES[:2], INDICES[2:4]], rng=sd.Entropy.seeded(7))
        assert all(np.array_equal(a, b) for a, b in zip(rounds, numbered, strict=True))
    estimate = m.estimate(m.aggregate(reports[2]))
    assert estimate.labels == tuple(TEAS)
    assert np.array_equal(estimate.shares, plain.estimate(plain.aggregate(reports[0])).shares)


@cases("values", COLUMNS.values())
def test_columns_of_labels(values: Any) -> None:
    m = sd.GRR(TEAS, 1.0)
    reports = m.perturb(values, rng=sd.Entropy.seeded(7))
    assert np.array_equal(reports, m.perturb(INDICES, rng=sd.Entropy.seeded(7)))


def test_many_respondents_are_divided() -> None:
    m, draws = sd.GRR(TEAS, 1.0), np.random.default_rng(3).integers(0, 3, 600_000)
    words = np.array(TEAS, dtype=object)[draws]
    reports = m.perturb(pd.Series(words), rng=sd.Entropy.seeded(7))
    assert np.array_equal(reports, m.perturb(draws, rng=sd.Entropy.seeded(7)))


@cases(
    "labels",
    [
        tuple(TEAS),
        np.array(TEAS),
        pd.Index(TEAS),
        pd.Categorical(TEAS, categories=TEAS).categories,
        pd.Series(WORDS).unique()[[0, 2, 1]],
        pl.Series(TEAS),
        pa.array(TEAS),
        (one for one in TEAS),
    ],
)
def test_where_labels_come_from(labels: Any) -> None:
    assert sd.GRR(labels, 1.0) == sd.GRR(TEAS, 1.0)


@cases(
    "labels, error, words",
    [
        (["tea"], sd.DomainError, "k must name 2 to 16777216 labels, got 1"),
        ([], sd.DomainError, "k must name 2 to"),
        (["tea", "tea"], sd.DomainError, "k must name each label once"),
        (["tea", ""], sd.DomainError, "none of them empty"),
        (["tea", None], sd.WrongTypeError, "a list of labels, which are texts"),
        ([1, 2, 3], sd.WrongTypeError, "write numbers and truth values as text"),
        ([True, False], sd.WrongTypeError, "a list of labels"),
        ({"tea", "coffee"}, sd.WrongTypeError, "a list of labels"),
        ({"tea": 1, "coffee": 2}, sd.WrongTypeError, "a list of labels"),
        ("tea", sd.WrongTypeError, "k must be a whole number"),
        (b"tea", sd.WrongTypeError, "k must be a whole number"),
    ],
)
def test_wrong_labels(labels: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        sd.GRR(labels, 1.0)
    assert words in str(caught.value)


SECRET = "something that a person said"


@cases(
    "values, error, words",
    [
        (["tea", SECRET], sd.DomainError, "among the mechanism's labels; look at position 1; add"),
        (["tea", None], sd.WrongTypeError, "must not be missing; look at position 1; fill"),
        (["tea", float("nan")], sd.WrongTypeError, "must not be missing"),
        (pd.Series(["tea", pd.NA], dtype="string"), sd.WrongTypeError, "must not be missing"),
        (pd.Categorical(["tea", None]), sd.WrongTypeError, "must not be missing"),
        (pd.Categorical(["tea", SECRET]), sd.DomainError, "among the mechanism's labels"),
        (pl.Series(["tea", None]), sd.WrongTypeError, "must not be missing"),
        (pa.array(["tea", None]).dictionary_encode(), sd.WrongTypeError, "must not be missing"),
        ([None, None], sd.WrongTypeError, "must not be missing; look at position 0"),
        (["tea", 1], sd.WrongTypeError, "must all be labels, or all whole numbers"),
        ([1, "tea"], sd.WrongTypeError, "look at position 0"),
        (["tea", True], sd.WrongTypeError, "must all be labels"),
        (["tea", ["tea"]], sd.SudareError, "values must"),
        ([["tea"], ["coffee"]], sd.SudareError, "values must"),
        ([b"tea"], sd.WrongTypeError, "values must"),
        ("tea", sd.WrongTypeError, "values must"),
        ([0, 3], sd.DomainError, "values must lie in"),
        (pd.Series([0, 1, None]), sd.WrongTypeError, "must not be missing; look at position 2"),
    ],
)
def test_wrong_values(values: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        sd.GRR(TEAS, 1.0).perturb(values)
    assert words in str(caught.value)
    assert SECRET not in str(caught.value)


def test_one_wrong_value() -> None:
    m = sd.GRR(TEAS, 1.0)
    for value, words in ((SECRET, "among the mechanism's labels"), (None, "must not be missing")):
        with pytest.raises(sd.SudareError, match=words) as caught:
            m.perturb_one(value)
        assert SECRET not in str(caught.value)


def test_text_without_labels_says_how_to_give_them() -> None:
    with pytest.raises(sd.WrongTypeError, match=r'such as GRR\(\["tea", "coffee"\], 1.0\)'):
        sd.GRR(3, 1.0).perturb(WORDS)


def test_counts_know_their_labels() -> None:
    m, other = sd.GRR(TEAS, 1.0), sd.GRR(TEAS[::-1], 1.0)
    counts = m.aggregate([0, 1, 2])
    assert sd.Counts.from_json(counts.to_json()) == counts
    assert from_json(counts.mechanism, FrequencyOracle) == m
    with pytest.raises(sd.EstimationError, match="one mechanism"):
        _ = counts + other.aggregate([0, 1, 2])
    with pytest.raises(sd.EstimationError, match="must come from this mechanism"):
        other.estimate(counts)


def test_labels_of_estimates() -> None:
    m = sd.GRR(TEAS, 2.0)
    est = m.estimate(sd.Counts((600, 250, 150), 1000))
    assert est.difference("tea", "mate").value == est.difference(0, 2).value
    with pytest.raises(sd.DomainError, match=r"j must be one of \['tea', 'coffee', 'mate'\]"):
        est.difference("tea", "water")
    for library in ("pandas", "polars", "pyarrow"):
        frame = est.to_frame(library)
        label = frame["label"]
        assert list(label.to_pylist() if library == "pyarrow" else label) == TEAS
    plain = sd.GRR(3, 2.0).estimate(sd.Counts((600, 250, 150), 1000))
    assert "label" not in plain.to_frame("pandas").columns
    groups = [m.estimate(sd.Counts((6, 3, 1), 10), target="respondents") for _ in range(2)]
    assert sd.combine(groups).labels == tuple(TEAS)
    drawn = sd.bootstrap(m, sd.Counts((60, 25, 15), 100), repetitions=10, rng=sd.Entropy.seeded(7))
    assert drawn.labels == tuple(TEAS)
    with pytest.raises(sd.EstimationError, match="labels must agree"):
        _ = est - plain
    with pytest.raises(sd.EstimationError, match="labels"):
        sd.combine([est, plain], independent=True)
    weights = sd.weights.poststratify(["a", "b"] * 20, {"a": 1, "b": 1})
    assert weights.estimate(m, m.perturb(["tea", "mate"] * 20)).labels == tuple(TEAS)


def test_many_labels_are_shown_shortly() -> None:
    m = sd.GRR([f"tea {i}" for i in range(1000)], 2.0)
    assert repr(m) == "GRR(k=('tea 0', 'tea 1', 'tea 2', ... 1000 labels), epsilon=2.0)"


def test_a_frame_is_no_column() -> None:
    """It would be read as the names of its columns, which labels may be."""
    frame = pd.DataFrame({"coffee": ["x"] * 5, "tea": ["y"] * 5})
    for wrong in (frame, pl.from_pandas(frame), frame.to_numpy()):
        with pytest.raises(sd.SudareError):
            sd.GRR(["tea", "coffee"], 1.0).perturb(wrong)


def test_no_remedy_speaks_of_codes_where_there_are_labels() -> None:
    m = sd.GRR(["tea", "water", "milk"], 2.0)
    for act, given in itertools.product(
        (m.perturb_one, lambda one: m.perturb([one]), lambda one: m.perturb(["tea", one])),
        (1.5, True, None, b"tea", object(), "juice"),
    ):
        with pytest.raises(sd.SudareError) as refused:
            act(given)
        assert "0..k-1" not in str(refused.value)
