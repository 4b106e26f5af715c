"""Under a path of another application, and on pages of another origin: framed, or as its own."""

from __future__ import annotations

from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import serving
from playwright.sync_api import expect

from sudare.collection import Collection

TEA = """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
languages = ["en", "ja"]
%s
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
choices = ["oi-ocha", "iyemon"]
"""
FRAME = """<!doctype html><title>Host</title><h1>Host</h1>
<script src="{collector}/embed.js" data-survey="tea" data-lang="en" data-title="A survey">
</script>"""
OWN = """<!doctype html><title>Host</title><h1>Host</h1><output></output><script type="module">
import {{ connect, openStorage }} from "/client/host.js";
const say = (text) => {{ document.querySelector("output").value = text; }};
try {{
  const storage = await openStorage();
  const survey = await connect("{collector}", "tea", {{ storage }});
  const {{ state, submission }} = await survey.answer({{ brand: "iyemon" }});
  say(`${{state}} ${{submission.id}}`);
}} catch (error) {{ say(`${{error.name}}: ${{error.message}}`); }}
</script>"""


def test_a_survey_under_a_prefix_is_answered(browser: object, tmp_path: Path) -> None:
    from starlette import applications as starlette, routing

    from sudare import collector

    survey = collector.create_app([Collection.from_toml(TEA % "")], tmp_path / "tea.sqlite3")
    outer = starlette.Starlette(
        routes=[routing.Mount("/our/surveys", survey)], lifespan=survey.lifespan
    )
    with (
        serving.running(outer) as origin,
        serving.fresh(browser, f"{origin}/our/surveys") as watched,
    ):
        page = watched.page
        watched.open("/")
        page.click("#index-answer-tea")
        page.wait_for_url("**/our/surveys/tea?lang=en")
        page.click("#languages a[lang=ja]")
        page.wait_for_selector("html[lang=ja]")
        page.click("#languages a[lang=en]")
        page.check("input[value=iyemon]")
        watched.send()
        page.click("#mine")
        page.wait_for_url("**/our/surveys/my/reports?lang=en")
        page.wait_for_selector(".report-number")
        page.click("text=Results")
        page.wait_for_url("**/our/surveys/tea/results?lang=en")
        page.get_by_text("so far").first.wait_for()
        page.click("#home")
        page.wait_for_url("**/our/surveys/?lang=en")
        page.wait_for_selector(".collections")
        assert watched.counts("tea")["n"] == 1


class Sites:
    """A page of another origin, and a collector that knows it, or does not."""

    def __init__(self) -> None:
        self.collector = ""
        from starlette import applications as starlette, responses, routing, staticfiles as static

        def shown(html: str) -> Any:
            return lambda _: responses.HTMLResponse(html.format(collector=self.collector))

        self.app = starlette.Starlette(
            routes=[
                routing.Route("/frame", shown(FRAME)),
                routing.Route("/own", shown(OWN)),
                routing.Mount(
                    "/client", static.StaticFiles(directory=str(files("sudare") / "web/js"))
                ),
            ]
        )


@contextmanager
def visiting(browser: Any, tmp_path: Path, lists: str) -> Any:
    """Yield a page, the origin of the page around, and what it shows: both are of one site."""
    sites = Sites()
    with serving.running(sites.app) as address:
        around = address.replace("127.0.0.1", "localhost")
        collection = Collection.from_toml(TEA % lists.replace("SITE", around))
        with serving.serve((collection,), tmp_path / "tea.sqlite3") as collector:
            sites.collector = collector.replace("127.0.0.1", "localhost")
            context = browser.new_context(locale="en-GB", reduced_motion="reduce")
            context.set_default_timeout(90_000)
            yield context.new_page(), around, sites
            context.close()


def test_a_framed_survey_is_answered_and_tells_nothing(browser: object, tmp_path: Path) -> None:
    """Its height is told until somebody touches it; a page that is not named gets nothing."""
    with visiting(browser, tmp_path, 'frame_ancestors = ["SITE"]') as (page, around, sites):
        collector = sites.collector
        page.goto(f"{around}/frame")
        page.evaluate("""() => {
          window.told = [];
          addEventListener("message", ({ origin, data }) => window.told.push([origin, data]));
        }""")
        frame = page.frame_locator("iframe[title='A survey']")
        frame.locator("input[value=iyemon]").wait_for()
        element = page.locator("iframe")
        page.wait_for_function("document.querySelector('iframe').style.height !== '640px'")
        inner = next(one for one in page.frames if one.url.startswith(collector))
        needed = inner.evaluate("document.documentElement.scrollHeight")
        page.wait_for_function(
            "(needed) => Math.abs(document.querySelector('iframe').offsetHeight - needed) <= 1",
            arg=needed,
        )
        expect(frame.locator(".brand")).to_be_hidden()
        frame.locator("input[value=iyemon]").check()
        before, told = element.get_attribute("style"), page.evaluate("window.told.length")
        frame.locator("button[type=submit]").click()
        frame.locator(".outcome-sent").wait_for()
        inner.evaluate("document.body.append(document.createElement('p'))")
        page.set_viewport_size({"width": 500, "height": 700})
        inner.evaluate("new Promise(requestAnimationFrame)")
        assert element.get_attribute("style") == before
        assert page.evaluate("window.told.length") == told
        assert {one for one, _ in page.evaluate("window.told")} <= {collector}
        # nobody but the frame sets its height
        page.evaluate("postMessage({ sudare: 'height', height: 5000 }, '*')")
        page.evaluate("new Promise((done) => setTimeout(done, 50))")
        assert element.get_attribute("style") == before
        # what was answered before is not told by a height either
        page.reload()
        frame.locator("#outcome-title").wait_for()
        assert "640px" in element.get_attribute("style")

        # where a browser keeps nothing for frames of another site, there is a window of its own
        sites.collector = collector.replace("localhost", "127.0.0.1")
        page.goto(f"{around}/frame")
        with page.context.expect_page() as opened:
            frame.locator("a[target=_blank]").click()
        opened.value.locator("input[value=iyemon]").wait_for()

        # a page that is not named gets nothing
        page.goto(f"{around.replace('localhost', '127.0.0.1')}/frame")
        page.wait_for_load_state("networkidle")
        expect(page.locator("iframe")).to_have_count(1)
        assert not [one for one in page.frames if "/tea" in one.url and one != page.main_frame]


def test_a_page_of_its_own_answers_where_it_is_allowed(browser: object, tmp_path: Path) -> None:
    with visiting(browser, tmp_path, 'allowed_origins = ["SITE"]') as (page, around, sites):
        said = []
        for _ in range(2):  # the same answer is the same report
            page.goto(f"{around}/own")
            page.wait_for_function("document.querySelector('output').value !== ''")
            said.append(page.locator("output").inner_text())
        assert said[0].startswith("accepted ")
        assert said[0] == said[1]
        counts = page.request.get(f"{sites.collector}/api/v1/collections/tea/counts").json()
        assert counts["n"] == 1
        page.goto(f"{around.replace('localhost', '127.0.0.1')}/own")
        page.wait_for_function("document.querySelector('output').value !== ''")
        assert page.locator("output").inner_text() == "Error: unreachable"
