"""The studies on coarser grids and with few repetitions, each run once for all tests of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import make_golden

from sudare.studies import Report, study
from sudare.words import Text

HERE = Path(__file__).parent
COARSE = make_golden.GRIDS["grr-oue"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever looks at a study's report waits for the longer run: the small ones take 20 s."""
    for item in items:
        if HERE in item.path.parents and "small" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Report]:
    """Return what runs a study in the small setting of its tests, once, without data files."""

    @cache
    def run(name: str) -> Report:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SUDARE_DATA", str(tmp_path_factory.mktemp("no data")))
            return make_golden.small_run(name)

    return run


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one test run the study coarsely."""
    chosen = study("grr-oue")
    monkeypatch.setattr(
        "sudare.studies.catalogue.study",
        lambda name: replace(chosen, setting=partial(chosen.setting, **COARSE)),
    )


@pytest.fixture
def report(small: Callable[[str], Report]) -> Report:
    """The report of the coarse study."""
    return small("grr-oue")


@pytest.fixture
def built_once(
    small: Callable[[str], Report], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], None]:
    """Let whoever writes a study's folder find its small run's report, not run the study again."""

    def stand(name: str) -> None:
        chosen, found = study(name), small(name)

        def build(setting: Any) -> Report:
            assert setting.repetitions == 2
            return found

        one = replace(chosen, build=build)
        monkeypatch.setattr("sudare.studies.catalogue.study", lambda _: one)

    return stand


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
