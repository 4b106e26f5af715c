"""Several questions for one price: split as stated, paid at once or not at all."""

from __future__ import annotations

import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.errors import DomainError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, batch
from sudare.release.ask import listed, quoted
from sudare.release.publication import question_text
from sudare.release.queries import KINDS
from tests.cases import cases

FRAME = {
    "score": np.arange(10_000) % 101,
    "sex": np.where(np.arange(10_000) % 3 == 0, "f", "m"),
    "vip": [True, False] * 5_000,
    "gap": ["a", None, "b", float("nan")] * 2_500,
}
ALL = [
    "count:sex=f",
    "missing:gap",
    "present:gap",
    "sum:score",
    "mean:score",
    "variance:score",
    "median:score",
    "quantile:score=0.9",
    "max:score",
    "min:score",
    "histogram:sex=f,m",
    "mode:sex=f,m",
    "count@sex=f,m",
    "sum:score@sex=f,m",
    "mean:score@sex=f,m",
    "count:vip=true",
    "count:score=1",
]


def data(**options: Any) -> Dataset:
    rng = sd.Entropy.seeded(b"batch")
    return Dataset(FRAME, bounds={"score": (0, 100)}, rng=rng, **options)


def truth(text: str) -> Any:
    score, sex = np.asarray(FRAME["score"]), np.asarray(FRAME["sex"])
    groups = {"f": score[sex == "f"], "m": score[sex == "m"]}
    of = {
        "count:sex=f": groups["f"].size,
        "missing:gap": 5_000,
        "present:gap": 5_000,
        "sum:score": score.sum(),
        "mean:score": score.mean(),
        "variance:score": score.var(),
        "histogram:sex=f,m": {"f": groups["f"].size, "m": groups["m"].size, None: 0},
        "count@sex=f,m": {key: one.size for key, one in groups.items()},
        "sum:score@sex=f,m": {key: one.sum() for key, one in groups.items()},
        "mean:score@sex=f,m": {key: one.mean() for key, one in groups.items()},
        "count:vip=true": 5_000,
        "count:score=1": (score == 1).sum(),
    }
    return of.get(text)


def test_every_question_as_text() -> None:
    """At ε = 100 each, bounds of 99.99 % hold: 20 numbers, a false alarm in 500 runs."""
    db = data(budget=1500)
    answers = batch(db, ALL, Cost.of(epsilon=1500))
    assert db.remaining == 0
    for text, answer in zip(ALL, answers, strict=True):
        true = truth(text)
        if true is None:
            continue
        pairs = (
            [(answer.value[key], true[key]) for key in true]
            if isinstance(true, dict)
            else [(answer.value, true)]
        )
        for value, wanted in pairs:
            assert abs(value - wanted) <= answer.bound(0.9999) + 1e-9, text
    kinds = {text: one.bound_in for text, one in zip(ALL, answers, strict=True)}
    assert kinds["mean:score"] == "value"
    assert kinds["max:score"] == "ranks"
    assert kinds["mode:sex=f,m"] == "rows"


def test_a_stated_split() -> None:
    answers = batch(data(), ["mean:score", "sum:score"], Cost.of(epsilon=0.3), split=[1, 2])
    assert [one.cost.amount for one in answers] == [Fraction(1, 10), Fraction(1, 5)]


def test_all_or_nothing_in_memory() -> None:
    db = data(budget=1)
    with pytest.raises(sd.DomainError):
        batch(db, ["mean:score", "count:nobody=1"], Cost.of(epsilon=1))
    assert db.spent == 0
    batch(db, ["mean:score"], Cost.of(epsilon=0.5))
    with pytest.raises(sd.BudgetExceeded) as refused:
        batch(db, ["mean:score", "sum:score"], Cost.of(epsilon=0.6))
    assert (refused.value.requested, refused.value.remaining) == ("0.6", "0.5")
    assert db.spent == Fraction(1, 2)


def test_all_or_nothing_in_a_ledger(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.open("data", epsilon=1)
        db = data(ledger=ledger)
        first = db.mean("score", epsilon=0.25)
        mixed = batch(db, ["mean:score", "sum:score"], Cost.of(epsilon=0.5), reuse=True)
        assert [one.reused for one in mixed] == [True, False]
        assert mixed[0].value == first.value
        assert mixed[1].remaining == {"data": Fraction(1, 2)}
        before = len(ledger.events())
        with pytest.raises(sd.BudgetExceeded):
            batch(db, ["min:score", "max:score"], Cost.of(epsilon=0.6))
        assert len(ledger.events()) == before
        assert ledger.account("data").spent == Fraction(1, 2)


@cases(
    "asks, split",
    [
        ([], None),
        ("mean:score", None),
        (["mean:score"], [1, 2]),
        (["mean:score"], [0]),
        (["mean:score"], [-1]),
        (["mean:score"], [float("nan")]),
        (["mean:score"], ["x"]),
        (["mean"], None),
        (["nothing:score"], None),
        (["mean:score=1"], None),
        (["count:sex"], None),
        (["quantile:score=x"], None),
        (["quantile:score=1/0"], None),
        (["mean:score@sex="], None),
        (["count:score=abc"], None),
        (["count:vip=perhaps"], None),
        ([None], None),
    ],
)
def test_bad_batches_spend_nothing(asks: Any, split: Any) -> None:
    db = data(budget=1)
    with pytest.raises(sd.SudareError):
        batch(db, asks, Cost.of(epsilon=1), split=split)
    assert db.spent == 0


def test_quantiles_take_no_rho() -> None:
    db = data(budget=1)
    with pytest.raises(sd.SudareError, match="rho"):
        batch(db, ["median:score"], Cost.of(rho=0.1))
    assert db.spent == 0


def test_categories_are_of_the_columns_kind() -> None:
    db = data()
    for column, wrong in [("score", "f"), ("score", True), ("sex", 1), ("vip", "true"), ("vip", 1)]:
        with pytest.raises(sd.WrongTypeError, match="kind"):
            db.count(column, wrong, epsilon=1)
    assert Ask.parse("count:vip=true").of(db, Cost.of(epsilon=1)).bill.query["equals"] is True


def test_a_column_of_several_kinds_is_one_of_text() -> None:
    """Whether a question fits must not tell whether one such row is there."""
    for mixed in (["a", 1, True], np.array(["a", None, 2.5], dtype=object)):
        db = Dataset({"mixed": mixed})
        assert db.count("mixed", "a", epsilon=100).value == 1
        with pytest.raises(sd.WrongTypeError, match="kind"):
            db.count("mixed", 1, epsilon=1)
    days = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
    other = Dataset({"day": days, "gap": ["a", None], "n": [1.0, None]})
    with pytest.raises(sd.WrongTypeError, match="kind"):
        other.count("day", "a", epsilon=1)
    assert other.count("gap", "a", epsilon=100).value == 1


def test_every_kind_is_asked_as_it_is_advertised() -> None:
    for tag, kind in KINDS.items():
        told = kind.spelling()
        ask = Ask.parse(told)
        assert (f"group_{ask.kind}" if ask.by else ask.kind) == tag
        assert Ask.parse(question_text(ask)) == ask, told
        if (compared := kind.compares_with()) and not kind.needs(compared):
            plain = told.replace(told[told.index("=") :].partition("@")[0], "", 1)
            assert Ask.parse(plain.replace(":COLUMN", "")).values == ()  # it may be left out
    db = Dataset({"p": [1, 1, 2], "g": ["a", "b", "a"]}, unit=("p", 2))
    many = Ask.parse("persons=1@g=a,b").query(db.held)
    assert many.prepare(db.held, Cost.of(epsilon=1)).bill.query["groups"] == 1


def test_lists_that_match_nothing_are_refused_before_they_are_paid() -> None:
    """Space at a comma is none of the category; no category holds a comma unless it is quoted."""
    db = Dataset({"g": ["f", "m", "a, b", ""] * 9}, budget=10)
    for kind, of in KINDS.items():
        compared = of.compares_with()
        if compared and of.fields()[compared].holds not in ("categories", "others", "number"):
            text = of.spelling().replace("=", "=a,b", 1)
            with pytest.raises(DomainError, match="one value"):
                Ask.parse(text), kind
    for wrong in ("count:g=f,m", "count:g=", "histogram:g=f,", "histogram:g=,f", "count@g=f,,m"):
        with pytest.raises(DomainError, match=r"one value for count.*histogram:g=f,m|category"):
            db.ask(Ask.parse(wrong).query(db.held), Cost.of(epsilon=1))
    assert db.remaining == 10
    asked = 'histogram:g= f , m,"a, b",""', 'count@g=f, m , "a, b" ,""'
    assert Ask.parse(asked[0]).values == Ask.parse(asked[1]).keys == ("f", "m", "a, b", "")
    assert Ask.parse('count:g="a, b"').of(db, Cost.of(epsilon=1000)).bill.answer() == 9
    for one in ("", " f", "m ", "a, b", '"', 'a"b', "where"):
        assert listed(quoted(one)) == (one,)
