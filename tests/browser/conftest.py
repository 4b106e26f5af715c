"""A real collector and a real Chromium."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import serving  # noqa: E402 - from this folder
from surveys import all_collections  # noqa: E402

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Debian's Chromium, driven by Playwright; its event loop must not outlive the module."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium on the path")
    from playwright import sync_api as api

    api.expect.set_options(timeout=90_000)  # it returns as soon as what it says holds
    with api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[str]:
    """Serve a collector of its own for each test; yields its origin."""
    with serving.serve(all_collections(), tmp_path / "collector.sqlite3") as address:
        yield address


@pytest.fixture
def watched(browser: object, origin: str) -> Iterator[serving.Watched]:
    """A page in a fresh profile; afterwards nothing may have gone elsewhere or been refused."""
    with serving.fresh(browser, origin) as page:
        yield page
