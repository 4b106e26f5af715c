"""Each broken mechanism is refused by the check that fits. Fresh entropy: misses are rarer yet."""

from __future__ import annotations

from collections.abc import Iterator

import broken_borders
import broken_claims
import broken_dependence
import broken_leaks
import broken_simulations
import pytest
from broken import BROKEN, Broken

import sudare as sd
from sudare.mechanisms import registry
from sudare.testing import conformance, frequency

THEMES = (broken_borders, broken_claims, broken_dependence, broken_leaks, broken_simulations)


@pytest.fixture(params=BROKEN, ids=lambda broken: broken.cls.__name__)
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broken]:
    found: Broken = request.param
    monkeypatch.setitem(registry._MECHANISMS, found.cls.name, found.cls)
    if hasattr(found.cls, "calls"):
        monkeypatch.setattr(found.cls, "calls", 0)
    return found


def test_its_check_refuses_it(broken: Broken, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"exact": frequency.Frequency.exact, "sampled": frequency.Frequency.sampled}
    for kind, checks in parts.items():
        alone = tuple(check for check in checks if check.__name__ == broken.check)
        monkeypatch.setattr(frequency.Frequency, kind, alone)
    share = conformance.FALSE_ALARM / len(parts["sampled"])
    monkeypatch.setattr(conformance, "FALSE_ALARM", share)
    with pytest.raises(sd.ConformanceError, match=f"the check is {broken.check}$"):
        sd.testing.check_mechanism(broken.cls(broken.k, broken.epsilon))


@pytest.mark.slow
def test_the_whole_suite_refuses_it_there(broken: Broken) -> None:
    with pytest.raises(sd.ConformanceError, match=f"the check is {broken.first}$"):
        sd.testing.check_mechanism(broken.cls(broken.k, broken.epsilon))


def test_every_theme_is_listed() -> None:
    assert {broken.cls.__module__ for broken in BROKEN} == {theme.__name__ for theme in THEMES}


def test_every_check_finds_something() -> None:
    ran = sd.testing.check_mechanism(sd.GRR(3, 1)).passed
    assert {broken.check for broken in BROKEN} == {*ran, "subjects"}
