"""Signing in at another service, in a browser: there, back to the page, and what failures say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import serving
from playwright.sync_api import expect
from surveys import TEA
from test_axe import AXE, FOUND

from sudare.collection import Collection
from sudare.collector import create_app
from sudare.collector.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1] / "collector"))

from providing import ANN, CLIENT, SECRET, provided


def test_there_and_back_by_keyboard(browser: Any, tmp_path: Path) -> None:
    with provided() as provider:
        provider.asks = True
        settings = Settings(
            oidc_issuer=provider.issuer,
            oidc_client=CLIENT,
            oidc_secret=SECRET,
            oidc_rights=["staff: run"],
            oidc_name="Example",
        )
        app = create_app([Collection.from_toml(TEA)], tmp_path / "desk.sqlite3", settings=settings)
        with serving.running(app) as origin, serving.fresh(browser, origin) as watched:
            page = watched.page
            watched.open("/operator/c/tea?lang=de")
            button = page.get_by_role("button", name="Mit Example anmelden")
            button.wait_for()
            watched.check_small()
            if AXE.exists():
                page.evaluate(AXE.read_text("utf-8"))
                assert page.evaluate(FOUND) == []

            provider.error = "access_denied"
            button.focus()
            page.keyboard.press("Enter")
            page.get_by_role("link", name="Continue as Ann").click()
            page.get_by_role("alert").filter(has_text="abgelehnt").wait_for()
            expect(page.locator(".desk-bar")).to_have_count(0)
            assert "code" not in page.url

            provider.error = ""
            page.get_by_role("button", name="Mit Example anmelden").click()
            page.get_by_role("link", name="Continue as Ann").click()
            page.get_by_text("Angemeldet als ann@example.org").wait_for()
            assert page.url == f"{origin}/operator/c/tea?lang=de"
            page.reload()
            page.get_by_text("Angemeldet als ann@example.org").wait_for()
            page.locator("#leave").click()
            page.get_by_role("button", name="Mit Example anmelden").wait_for()

            provider.person = {**ANN, "groups": []}
            page.get_by_role("button", name="Mit Example anmelden").click()
            page.get_by_role("link", name="Continue as Ann").click()
            page.get_by_role("alert").filter(has_text="keine Rechte").wait_for()

            assert {one.partition("?")[0] for one in watched.foreign} == {
                f"{settings.oidc_issuer}/authorize"
            }
            watched.foreign.clear()
