"""What the declarations of parameters say of themselves is true, for every mechanism."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import sudare as sd
from sudare import mechanisms
from sudare.mechanisms import Mechanism

CLASSES = [
    one
    for one in vars(mechanisms).values()
    if isinstance(one, type) and issubclass(one, Mechanism) and not inspect.isabstract(one)
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_the_constructor_takes_what_is_declared(cls: type[Any]) -> None:
    declared = {one.name for one in cls.arguments or cls.parameters}
    signature = inspect.signature(cls)
    assert declared <= set(signature.parameters)
    needed = {n for n, one in signature.parameters.items() if one.default is one.empty}
    assert needed <= declared
    for one in cls.arguments or cls.parameters:
        assert one.examples, one.name
        assert one.bad, one.name


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_examples_are_mechanisms_and_values(cls: type[Any]) -> None:
    examples = cls.examples()
    assert len(examples) > 1
    for i, m in enumerate(examples):
        assert type(m) is cls
        again = cls.examples()[i]
        assert m == again
        assert hash(m) == hash(again)
        assert cls.from_json(m.to_json()) == m
        assert all(m != other for other in examples[:i])
        for parameter in cls.parameters:
            with pytest.raises(AttributeError, match="frozen"):
                setattr(m, parameter.kept_as, getattr(m, parameter.kept_as))
            data = m.to_json()
            if data.pop(parameter.written_as, None) is not None and not parameter.optional:
                with pytest.raises(sd.CollectionError, match="mechanism must have"):
                    cls.from_json(data)
        with pytest.raises(sd.CollectionError, match="mechanism must have"):
            cls.from_json(m.to_json() | {"other": 1})


@pytest.mark.parametrize(
    ("cls", "bad"), [(cls, bad) for cls in CLASSES for bad in cls.bad_values()], ids=repr
)
def test_what_is_declared_bad_is_refused(cls: type[Any], bad: Any) -> None:
    with pytest.raises(bad.error, match=f"{bad.wrong} (must|or epsilon must)") as caught:
        cls(**bad.arguments)
    assert caught.value.argument == bad.wrong
    assert caught.value.rule
    assert isinstance(caught.value, ValueError | TypeError)
