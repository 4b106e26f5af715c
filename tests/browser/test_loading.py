"""How much a page loads, how often it asks, and how soon it can be answered on a slow line."""

from __future__ import annotations

import pytest

SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Slow 3G: 400 ms for each journey, 400 kbit a second."""


class Line:
    """A page's line, slowed down, with all that comes over it."""

    def __init__(self, page: object) -> None:
        self.page = page
        self.tools = page.context.new_cdp_session(page)
        self.tools.send("Network.enable")
        self.tools.send("Network.emulateNetworkConditions", SLOW)
        self.requests = 0
        self.bytes = 0
        self.tools.on("Network.requestWillBeSent", self._asked)
        self.tools.on("Network.loadingFinished", self._came)

    def _asked(self, event: dict[str, object]) -> None:
        self.requests += 1

    def _came(self, event: dict[str, float]) -> None:
        self.bytes += int(event["encodedDataLength"])

    def seconds(self, selector: str) -> float:
        """Return how long after the beginning there was something to answer."""
        self.page.wait_for_selector(selector)
        return self.page.evaluate("performance.now() / 1000")


@pytest.mark.parametrize(
    ("path", "selector", "most"),
    [
        ("/tea", "form input", 75_000),
        ("/bath", "form input", 90_000),
        ("/walk", "form", 100_000),
        ("/", ".collections", 60_000),
    ],
)
def test_little_is_loaded_on_a_slow_line(
    watched: object, path: str, selector: str, most: int
) -> None:
    """The seconds allow for a busy machine: an idle one needs under 3 for the first two."""
    line = Line(watched.page)
    watched.page.goto(watched.origin + path, wait_until="commit")
    assert line.seconds(selector) < 6
    watched.page.wait_for_load_state("networkidle")
    assert line.requests <= 7
    assert line.bytes <= most


def test_a_page_seen_before_asks_for_little(watched: object) -> None:
    """What has its hash in its address is kept; the rest is asked for, and mostly unchanged."""
    watched.open("/tea")
    line = Line(watched.page)
    watched.page.reload()
    line.seconds("form input")
    assert line.bytes <= 8_000
