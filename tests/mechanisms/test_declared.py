"""What the declarations of parameters say of themselves is true, for every mechanism."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sudare as sd
from sudare import mechanisms
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered
from tests.cases import cases

CLASSES = registered(Mechanism)
FINE = {"alphabet": ("x", "1/0"), "fold": (True,)}
"""Of the values that no other parameter takes, those that one does."""
EXAMPLES = [m for cls in CLASSES for m in cls.examples()]


@cases("cls", CLASSES)
def test_the_constructor_takes_what_is_declared(cls: type[Any]) -> None:
    declared = {one.name for one in cls.arguments or cls.parameters}
    signature = inspect.signature(cls)
    assert declared <= set(signature.parameters)
    needed = {n for n, one in signature.parameters.items() if one.default is one.empty}
    assert needed <= declared
    for one in cls.arguments or cls.parameters:
        assert one.examples, one.name
        assert one.bad, one.name


@cases("cls", CLASSES)
def test_examples_are_mechanisms_and_values(cls: type[Any]) -> None:
    examples = cls.examples()
    assert len(examples) > 1
    for i, m in enumerate(examples):
        assert type(m) is cls
        again = cls.examples()[i]
        assert m == again
        assert hash(m) == hash(again)
        if not any(word in repr(m) for word in ("...", "places", "from")):
            assert eval(repr(m), {one: getattr(mechanisms, one) for one in mechanisms.__all__}) == m
        assert all(m != other for other in examples[:i])
        for parameter in cls.parameters:
            with pytest.raises(AttributeError, match="frozen"):
                setattr(m, parameter.kept_as, getattr(m, parameter.kept_as))


@cases("m", EXAMPLES)
def test_it_travels(m: Any) -> None:
    data = json.loads(json.dumps(m.to_json()))
    for again in (type(m).from_json(data), pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert again == m
        assert (hash(again), repr(again)) == (hash(m), repr(m))
        assert again.program == m.program
        assert again.requested_epsilon == m.requested_epsilon
        assert again.to_json() == data


@cases("m", EXAMPLES)
def test_broken_data_are_refused(m: Any) -> None:
    data = m.to_json()
    for broken in (None, [], "x", 3, {}, data | {"other": 1}, data | {"name": "XYZ"}):
        with pytest.raises(sd.CollectionError, match="mechanism must have"):
            type(m).from_json(broken)
    for parameter in m.parameters:
        name = parameter.written_as
        for value in (None, -1, 1.5, True, "x", "1/0", [], {}, [[]], [{}], ["x"]):
            if not (parameter.optional and value is None) and value not in FINE.get(name, ()):
                with pytest.raises(sd.SudareError):
                    type(m).from_json(data | {name: value})
        if not parameter.optional:
            with pytest.raises(sd.CollectionError, match="mechanism must have"):
                type(m).from_json({key: one for key, one in data.items() if key != name})


@cases("cls, bad", [(cls, bad) for cls in CLASSES for bad in cls.bad_values()], parts=2)
def test_what_is_declared_bad_is_refused(cls: type[Any], bad: Any) -> None:
    with pytest.raises(bad.error, match=f"{bad.wrong} (must|or epsilon must)") as caught:
        cls(**bad.arguments)
    assert caught.value.argument == bad.wrong
    assert caught.value.rule
    assert isinstance(caught.value, ValueError | TypeError)


@cases("cls", CLASSES)
def test_estimates_of_lists_say_what_to_write(cls: type[Any]) -> None:
    m = cls.examples()[0]
    for given in ([1, 2, 3], np.array([1, 2, 3]), {"a": 1}, pd.Series([1, 2, 3]), (1, 2), None):
        with pytest.raises(sd.EstimationError, match=r"estimate\(m.aggregate\(reports\)\)|find"):
            m.estimate(given)
