"""Each broken mechanism is refused by the check that fits, whatever the entropy."""

from __future__ import annotations

import broken_borders
import broken_claims
import broken_leaks
import broken_simulations
import pytest
from broken import BROKEN

import sudare as sd
from sudare.mechanisms import FrequencyOracle, registry

THEMES = (broken_borders, broken_claims, broken_leaks, broken_simulations)


@pytest.mark.parametrize(
    ("cls", "k", "epsilon", "check"), BROKEN, ids=[cls.__name__ for cls, *_ in BROKEN]
)
def test_a_broken_mechanism_is_refused(
    cls: type[FrequencyOracle],
    k: int,
    epsilon: float,
    check: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(registry._MECHANISMS, cls.name, cls)
    if hasattr(cls, "calls"):
        cls.calls = 0
    with pytest.raises(sd.ConformanceError, match=f"the check is {check}$"):
        sd.testing.check_mechanism(cls(k, epsilon))


def test_every_theme_is_listed() -> None:
    modules = {cls.__module__ for cls, *_ in BROKEN}
    assert modules == {theme.__name__ for theme in THEMES}


def test_every_check_finds_something() -> None:
    ran = sd.testing.check_mechanism(sd.GRR(3, 1)).passed
    assert {check for *_, check in BROKEN} == {*ran, "subjects"}
