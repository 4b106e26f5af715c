"""The study grr-oue on a coarser grid and with few repetitions, run once for all tests of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from sudare.studies import Report, Setting, study
from sudare.studies.grr_oue import maps, small


@pytest.fixture(scope="session")
def coarse() -> Iterator[None]:
    """Fewer ε and sizes; a full run is a slow test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small, "EPSILONS", (0.1, 0.2, 0.3, 0.5, 0.7, 1.0))
        patch.setattr(maps, "SIZES", (2, 5, 43))
        patch.setattr(maps, "EPSILONS", (0.5, 1.0, 2.0, 4.0))
        yield


@pytest.fixture(scope="session")
def report(coarse: None) -> Report:
    """The report of the coarse study."""
    return study("grr-oue").build(Setting(2, "tests"))
