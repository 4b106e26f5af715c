"""What the browser tests share: a collector, a page that is watched, crowds, and what must hold."""

from __future__ import annotations

import base64
import re
import secrets
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sudare.collection import Collection

UNNAMED = """() => [...document.querySelectorAll("a, button, input, summary")]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.textContent.trim() || one.labels?.length
    || one.getAttribute("aria-label") || one.querySelector("img[alt]:not([alt=''])")))
  .map((one) => one.outerHTML)"""

REFERENCES = """() => ["labelledby", "describedby", "errormessage", "details"].flatMap((kind) =>
  [...document.querySelectorAll(`[aria-${kind}]`)].filter((one) => one.checkVisibility())
    .flatMap((one) => one.getAttribute(`aria-${kind}`).split(" "))
    .filter((id) => !document.getElementById(id)?.checkVisibility()))"""
"""What names or describes an element that is shown, and is not there or not shown itself."""

IDENTIFIERS = "[...document.querySelectorAll('[id]')].map((one) => one.id)"

CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = rgb(color).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((rgb(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !one.checkVisibility() || one.closest("svg")) continue;
    const a = light(getComputedStyle(one).color), b = light(behind(one));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${one.tagName}.${one.className} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""


@contextmanager
def serve(collections: tuple[Collection, ...], database: Path) -> Iterator[str]:
    """Serve a collector on a free port; yields its origin."""
    from sudare import collector

    with running(collector.create_app(collections, database=database)) as origin:
        yield origin


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Serve an application on a free port; yields its origin."""
    import uvicorn

    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
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

    def __init__(self, page: Any, origin: str) -> None:
        self.page = page
        self.origin = origin
        self.foreign: list[str] = []
        self.posts: list[dict[str, str]] = []
        self.complaints: list[str] = []
        page.on("request", self._request)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _request(self, request: Any) -> None:
        if not request.url.startswith(self.origin + "/"):
            self.foreign.append(request.url)
        if request.method == "POST":
            self.posts.append(request.post_data_json)

    def _console(self, message: Any) -> None:
        text = message.text
        if "Content Security Policy" in text or "Refused to" in text:
            self.complaints.append(text)

    def open(self, path: str) -> None:
        """Go to a page and wait for its heading."""
        self.page.goto(self.origin + path)
        self.page.wait_for_selector("h1")

    def draw_few(self) -> None:
        """Have results pages draw what few answers say too: how that is shown is tried."""

        def told(route: Any) -> None:
            answer = route.fetch()
            route.fulfill(
                response=answer,
                body=re.sub(r'"least_answers":\d+', '"least_answers":1', answer.text()),
            )

        self.page.route("**/results?*confidence*", told)

    def tab(self) -> Watched:
        """Open the same page in another tab; all that it sends is recorded with this one's."""
        other = Watched(self.page.context.new_page(), self.origin)
        other.foreign, other.posts, other.complaints = self.foreign, self.posts, self.complaints
        other.open(self.page.url.removeprefix(self.origin))
        return other

    def send(self) -> None:
        """Send the form and wait until the collector has taken the report."""
        self.page.locator("button[type=submit]").click()
        self.page.wait_for_selector(".outcome-sent")

    def api(self, name: str, path: str = "") -> Any:
        """Return what the API says of a collection."""
        return self.page.request.get(f"{self.origin}/api/v1/collections/{name}{path}").json()

    def counts(self, name: str) -> Any:
        return self.api(name, "/counts")

    def results(self, name: str, target: str = "population") -> Any:
        return self.api(name, f"/results?target={target}&confidence=0.95")

    def deliver(self, name: str, wires: Iterable[bytes], **more: int) -> Any:
        """Send many reports to a collection, of a round where it has some; return its results."""
        texts = (base64.urlsafe_b64encode(wire).decode().rstrip("=") for wire in wires)
        reports = [{"id": secrets.token_hex(16), "report": text} for text in texts]
        body = {"fingerprint": self.api(name)["fingerprint"], "reports": reports, **more}
        url = f"{self.origin}/api/v1/collections/{name}/reports/batch"
        answer = self.page.request.post(url, data=body)
        assert answer.status == 202, answer.text()
        return self.results(name)

    def compiled(self, name: str) -> Collection:
        return Collection.from_compiled(self.api(name))

    def check_names(self) -> None:
        """A screen reader finds every reference, and a name for every control."""
        assert self.page.evaluate(UNNAMED) == []
        identifiers = self.page.evaluate(IDENTIFIERS)
        assert len(identifiers) == len(set(identifiers))
        assert self.page.evaluate(REFERENCES) == []

    def check_small(self) -> None:
        """On a phone the page fits, and can be read in the light and in the dark."""
        page, size = self.page, self.page.viewport_size
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert page.evaluate(CONTRAST) == [], scheme
        self.check_names()
        page.set_viewport_size(size)


@contextmanager
def fresh(browser: Any, origin: str, **device: Any) -> Iterator[Watched]:
    """A page in a fresh profile; afterwards nothing may have gone elsewhere or been refused."""
    usual = {"viewport": {"width": 1100, "height": 900}, "locale": "en-GB"}
    context = browser.new_context(**{**usual, "reduced_motion": "reduce", **device})
    context.set_default_timeout(90_000)
    page = Watched(context.new_page(), origin)
    yield page
    context.close()
    assert page.foreign == []
    assert page.complaints == []


def payload(sent: dict[str, str]) -> bytes:
    """Return the bytes of a posted report."""
    report = sent["report"]
    return base64.urlsafe_b64decode(report + "=" * (-len(report) % 4))
