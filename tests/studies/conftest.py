"""The study grr-oue on a coarser grid and with few repetitions, run once for all tests of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from sudare.studies import Report, Setting, study
from sudare.studies.grr_oue import maps, small
from sudare.words import Text


@contextmanager
def coarsely() -> Iterator[None]:
    """Fewer ε and sizes; a full run is a slow test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small, "EPSILONS", (0.1, 0.2, 0.3, 0.5, 0.7, 1.0))
        patch.setattr(maps, "SIZES", (2, 5, 43))
        patch.setattr(maps, "EPSILONS", (0.5, 1.0, 2.0, 4.0))
        yield


@pytest.fixture
def coarse() -> Iterator[None]:
    """Let one test run the study coarsely."""
    with coarsely():
        yield


@pytest.fixture(scope="session")
def report() -> Report:
    """The report of the coarse study."""
    with coarsely():
        return study("grr-oue").build(Setting(2, "tests"))


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
