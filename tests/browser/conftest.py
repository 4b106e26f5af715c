"""A real collector and a real Chromium."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

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
HERE = Path(__file__).parent


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
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[str]:
    """Serve a collector of its own for each test; yields its origin."""
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    collector = pytest.importorskip("sudare.collector", reason="the collector is not installed")
    from surveys import all_collections

    app = collector.create_app(all_collections(), database=tmp_path / "collector.sqlite3")
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        if time.monotonic() > deadline or not thread.is_alive():
            pytest.fail("the collector did not start")
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=20)


class Watched:
    """A page whose requests, posts, errors and policy violations are recorded."""

    def __init__(self, page: object, origin: str) -> None:
        self.page = page
        self.origin = origin
        self.foreign: list[str] = []
        self.posts: list[dict[str, str]] = []
        self.complaints: list[str] = []
        page.on("request", self._request)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _request(self, request: object) -> None:
        if not request.url.startswith(self.origin + "/"):
            self.foreign.append(request.url)
        if request.method == "POST":
            self.posts.append(request.post_data_json)

    def _console(self, message: object) -> None:
        text = message.text
        if "Content Security Policy" in text or "Refused to" in text:
            self.complaints.append(text)

    def open(self, path: str) -> None:
        """Go to a page and wait for its heading."""
        self.page.goto(self.origin + path)
        self.page.wait_for_selector("h1")


@pytest.fixture
def watched(browser: object, origin: str) -> Iterator[Watched]:
    """A page in a fresh profile; afterwards nothing may have gone elsewhere or been refused."""
    context = browser.new_context(
        viewport={"width": 1100, "height": 900}, locale="en-GB", reduced_motion="reduce"
    )
    context.set_default_timeout(30_000)
    page = Watched(context.new_page(), origin)
    yield page
    context.close()
    assert page.foreign == []
    assert page.complaints == []
