"""Draw the pictures of the docs: survey, results, operator's page, demonstration, curve, map.

    python docs/make_images.py

Needs ``pip install ".[dev]"`` and Chromium (its path in ``SUDARE_CHROMIUM``). It starts a
collector, lets 4,000 simulated devices answer, and drives the pages as a person would.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from sudare.cli import main
from sudare.cli.demo import load
from sudare.collection import Client, Collection, send_batch
from sudare.collector import BackgroundCollector
from sudare.collector.operator_api.opening import open_register
from sudare.data import find
from sudare.operators import Tokens

IMAGES = Path(__file__).parent / "images"
LARGEST = 200_000
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WINDOW: ViewportSize = {"width": 1180, "height": 1130}
SHORT: ViewportSize = {"width": 1180, "height": 1040}
ANSWERS = {
    "oi-ocha": 1310,
    "iyemon": 880,
    "ayataka": 790,
    "nama-cha": 610,
    "meidai-cha": 150,
    "prefer-not-to-say": 260,
}


def answer(survey: Collection, url: str) -> None:
    """Let one device a respondent answer."""
    question = survey.questions[0].id
    chosen = [choice for choice, count in ANSWERS.items() for _ in range(count)]
    send_batch(url, [Client(survey).answer({question: choice}) for choice in chosen])


def picture_survey(browser: Browser, url: str) -> None:
    """Choose an answer and photograph the page before it is sent."""
    page = browser.new_page(viewport=SHORT, locale="en-GB")
    page.goto(f"{url}/tea")
    page.get_by_label("Ayataka").check()
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=IMAGES / "survey.png")
    page.close()


def picture_results(browser: Browser, url: str) -> None:
    """Photograph the results."""
    page = browser.new_page(viewport=WINDOW, locale="en-GB")
    page.goto(f"{url}/tea/results")
    page.wait_for_selector("tbody tr")
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / "results.png")
    page.close()


def picture_operator(browser: Browser, url: str, token: str) -> None:
    """Sign in as an operator would, and photograph a collection's page."""
    page = browser.new_page(viewport=WINDOW, locale="en-GB")
    page.goto(f"{url}/operator/c/tea")
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(".qr svg")
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=IMAGES / "operator.png")
    page.close()


def picture_demo(folder: str) -> None:
    """Run the demonstration and keep its picture."""
    main(["demo", "--exit", "--port", "0", "--json", "--out", folder])
    shutil.copy(Path(folder) / "demo.png", IMAGES / "demo.png")


def picture_curve(folder: str) -> None:
    """Draw ε against the width of an interval."""
    main(["plan", "-k", "43", "-n", "49742", "--epsilon", "2", "--json", "--out", folder])
    shutil.copy(Path(folder) / "curve.png", IMAGES / "curve.png")


def picture_map(folder: str) -> None:
    """Draw Tokyo Bay under even weights, where the coast is here (``SUDARE_DATA``)."""
    window = ["--mesh", "53391560", "--level", "1/2", "--rows", "50", "--columns", "48"]
    if find("tokyo_bay_land.geojson.gz") is not None:
        where = ["--epsilon", "0.002", "--land", "tokyo"]
        main(["map", *window, *where, "--json", "--out", folder])
        shutil.copy(Path(folder) / "map-posterior.png", IMAGES / "map.png")


def run() -> None:
    """Write the pictures; refuse a heavy one."""
    IMAGES.mkdir(exist_ok=True)
    survey = load("tea.toml")
    with (
        tempfile.TemporaryDirectory() as folder,
        BackgroundCollector([survey], database := Path(folder) / "tea.sqlite3") as collector,
        sync_playwright() as playwright,
    ):
        answer(survey, collector.url)
        with open_register(database) as register:
            token = Tokens(register).issue("ann", ["read", "run", "export", "admin"])
        chromium = os.environ.get("SUDARE_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        picture_survey(browser, collector.url)
        picture_results(browser, collector.url)
        picture_operator(browser, collector.url, token)
        browser.close()
        picture_demo(folder)
        picture_curve(folder)
        picture_map(folder)
    for path in sorted(IMAGES.glob("*.png")):
        size = path.stat().st_size
        print(f"{path.name}: {size:,} bytes")
        if size >= LARGEST:
            raise SystemExit(f"{path.name} must stay below {LARGEST:,} bytes")


if __name__ == "__main__":
    run()
