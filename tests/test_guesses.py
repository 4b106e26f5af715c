"""Names that people guess: each leads to one that exists."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sudare as sd
from sudare import guesses
from sudare.collection.questions import question_types
from sudare.errors import CollectionError
from sudare.guesses import MEANT, QUESTIONS, TYPES, Guessed
from sudare.mechanisms import Mechanism
from sudare.release.queries.base import Methods
from tests.cases import cases

CLASSES = {
    "Estimate": sd.Estimate,
    "Mechanism": sd.GRR,
    "Counts": sd.Counts,
    "Plan": sd.Plan,
    "Comparison": sd.planning.Comparison,
    "Released": sd.release.Released,
    "Methods": sd.release.Dataset,
    "Collection": sd.Collection,
    "Client": sd.Client,
}
ESTIMATE = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))


def known(cls: type) -> set[str]:
    fields = getattr(cls, "__dataclass_fields__", {})
    return set(dir(cls)) | set(fields)


def test_every_guess_is_of_a_class_that_answers() -> None:
    assert set(MEANT) == {"sudare", *CLASSES}
    assert all(issubclass(cls, Guessed) for cls in CLASSES.values())
    assert issubclass(sd.GRR, Mechanism)
    assert issubclass(sd.release.Dataset, Methods)


@cases("line", MEANT)
def test_no_guess_is_a_name_that_exists(line: str) -> None:
    there = set(sd.__all__) if line == "sudare" else known(CLASSES[line])
    assert not set(MEANT[line]) & there


@cases("line, text", sorted({(one, text) for one in MEANT for text in MEANT[one].values()}))
def test_what_is_to_be_written_exists(line: str, text: str) -> None:
    for path in re.findall(r"\bsudare((?:\.[A-Za-z_]+)+)", text):
        found = sd
        for name in path.split(".")[1:]:
            found = getattr(found, name)
    for name, given in re.findall(r"\bsudare\.([A-Z]\w+)\(([\w, ]+)\)", text):
        taken = list(inspect.signature(getattr(sd, name)).parameters)
        assert given.split(", ") == taken[: given.count(",") + 1], name
    if line != "sudare":
        for name in re.findall(r"(?<![\w)\]])\.([A-Za-z_]+)", text):
            assert name in known(CLASSES[line]), name


@cases(
    "name, words",
    [
        ("RAPPOR", "write sudare.SUE(k, epsilon)"),
        ("Laplace", "write sudare.release.Dataset(frame, bounds=...).mean"),
        ("load_dataset", "write sudare.data.adult_table()"),
        ("WGridE", "write sudare.GridExponential(grid"),
        ("grr", "did you mean 'GRR'?"),
        ("Estimat", "did you mean 'Estimate'?"),
        ("nothing_like_it", ""),
    ],
)
def test_a_name_of_the_package(name: str, words: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(sd, name)
    text = f"module 'sudare' has no attribute {name!r}"
    assert str(caught.value).startswith(text)
    assert words in str(caught.value)
    if not words:
        assert str(caught.value) == text
    assert not hasattr(sd, name)


def test_names_that_were_missing_and_are_there() -> None:
    assert sd.OLH(4, 1.0).k == 4
    assert callable(sd.simulate)
    assert sd.data.adult_table().sum() > 0


def test_a_name_of_an_object() -> None:
    for one, name, words in (
        (ESTIMATE, "to_pandas", 'write .to_frame("pandas")'),
        (ESTIMATE, "stder", "did you mean 'stderr'?"),
        (sd.GRR(3, 1.0), "privatize", "write .perturb(values)"),
        (sd.PrivKV(3, 1.0), "privatize", "write .perturb(values)"),
        (sd.plan(3, 100, 1.0), "winner", "write .best"),
    ):
        with pytest.raises(AttributeError) as caught:
            getattr(one, name)
        assert words in str(caught.value)


def test_a_fault_within_a_property_is_told_as_it_is() -> None:
    class Faulty(Guessed):
        @property
        def broken(self) -> int:
            return [].absent

    with pytest.raises(AttributeError, match="'list' object has no attribute 'absent'"):
        _ = Faulty().broken


def test_objects_that_answer_guesses_travel() -> None:
    m = sd.GRR(3, 1.0)
    assert pickle.loads(pickle.dumps(m)) == copy.deepcopy(m) == m
    for again in (
        copy.copy(ESTIMATE),
        copy.deepcopy(ESTIMATE),
        pickle.loads(pickle.dumps(ESTIMATE)),
    ):
        assert again.shares.tolist() == ESTIMATE.shares.tolist()
    assert not hasattr(ESTIMATE, "__array__")
    assert not hasattr(m, "_repr_pretty_")


def test_the_table_is_read_when_a_name_is_missing() -> None:
    code = "import sys, sudare; print('sudare.guesses' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


DB = sd.release.Dataset({"score": [1, 2, 3] * 100}, bounds={"score": (0, 5)}, budget=1)


@cases("name", QUESTIONS)
def test_an_argument_that_no_question_takes(name: str) -> None:
    asks = (
        DB.mean if name == "rho" else DB.median,
        DB.group_by("score", [1, 2]).mean,
        DB.where("score > 1").mean,
        DB.dry_run().mean,
    )
    if name == "rho":
        asks = (DB.median, DB.where("score > 1").median)
    for ask in asks:
        with pytest.raises(sd.WrongTypeError) as caught:
            ask("score", epsilon=0.1, **{name: 1})
        assert f"takes no {name!r}; {QUESTIONS[name]}; it is m" in str(caught.value)


def test_a_question_that_is_asked_wrongly() -> None:
    with pytest.raises(sd.WrongTypeError, match=r"mean cannot be asked: missing .*'column'"):
        DB.mean(epsilon=1)
    with pytest.raises(sd.WrongTypeError, match="too many positional"):
        DB.mean("score", 3, epsilon=1)
    with pytest.raises(sd.PrivacyError, match="epsilon or rho must be given"):
        DB.median("score")
    assert DB.spent == 0


MISSING = {
    "None": [0, 1, None],
    "NaN": np.array([0, 1, np.nan]),
    "masked": np.ma.array([0, 1, 2], mask=[0, 0, 1]),
    "pandas": pd.Series([0, 1, pd.NA], dtype="Int64"),
    "pandas NaN": pd.Series([0, 1, None]),
    "polars": pl.Series([0, 1, None]),
    "arrow": pa.array([0, 1, None]),
    "chunks": pa.chunked_array([[0, 1], [None]]),
}


@cases("values", MISSING.values())
def test_missing_values_are_called_so(values: object) -> None:
    with pytest.raises(sd.WrongTypeError) as caught:
        sd.GRR(3, 1.0).perturb(values)
    assert str(caught.value) == (
        "values must not be missing; look at position 2; fill missing values with a category of "
        "their own, which is randomised like the others, or leave these people out"
    )


@cases("value", [None, float("nan"), pd.NA, pd.NaT])
def test_one_missing_value(value: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="value must not be missing; fill"):
        sd.GRR(3, 1.0).perturb_one(value)


def test_guesses_are_few_words() -> None:
    assert all(len(text) < 200 for one in MEANT.values() for text in one.values())
    assert guesses.__doc__


def test_question_types_of_other_tools_lead_to_what_is_asked_here() -> None:
    """One table is in the errors and on the page; what it names exists."""
    page = (Path(__file__).parents[1] / "docs" / "question-types.md").read_text("utf-8")
    every, survey = [word for words, _ in TYPES for word in words], 'id = "q"\ntext = "x"\n'
    assert len(set(every)) == len(every)
    assert not set(every) & set(question_types())
    wanted = "ranking matrix likert checkbox radio slider date nps dropdown quota yesno textarea"
    assert set(wanted.split()) | {"multiselect", "email", "file"} <= set(every)
    for words, told in TYPES:
        assert f"| {', '.join(f'`{one}`' for one in words)} | {told} |" in page
        fields = set(re.findall("`([a-z_]+)`", told)) - set(question_types())
        assert fields <= {"most", "scores", "low", "high", "ask_if", "intro", "text"}, fields
        for word in (words[0], words[-1].replace("_", "-").upper()):
            text = f'[collection]\nname = "t"\nepsilon = 2\n[[question]]\ntype = "{word}"\n{survey}'
            with pytest.raises(CollectionError, match=r"docs/question-types\.md") as refused:
                sd.Collection.from_toml(text)
            assert told.replace("`", "'") in str(refused.value)
            assert "did you mean" not in str(refused.value)
