"""The study grr-oue on a coarser grid and with few repetitions, run once for all tests of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from sudare.studies import Report, study
from sudare.words import Text

COARSE: dict[str, Any] = {
    "exact": (0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
    "sizes": (2, 5, 43),
    "map": (0.5, 1.0, 2.0, 4.0),
}
"""Fewer ε and sizes; a full run is a slow test."""


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one test run the study coarsely."""
    chosen = study("grr-oue")
    monkeypatch.setattr(
        "sudare.studies.catalogue.study",
        lambda name: replace(chosen, setting=partial(chosen.setting, **COARSE)),
    )


@pytest.fixture(scope="session")
def report() -> Report:
    """The report of the coarse study."""
    chosen = study("grr-oue")
    return chosen.build(chosen.setting(2, "tests", **COARSE))


@pytest.fixture(scope="session")
def texts() -> Callable[[object], list[Text]]:
    """Return every text of a report, of a part of it, of a part of that."""

    def walk(part: object) -> Iterator[Text]:
        if isinstance(part, Text):
            yield part
        elif is_dataclass(part):
            for field in fields(part):
                yield from walk(getattr(part, field.name))
        elif isinstance(part, tuple):
            for one in part:
                yield from walk(one)

    return lambda part: list(walk(part))
