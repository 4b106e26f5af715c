"""The results page says what looks made up, and how far it could have moved the figures."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from playwright.sync_api import expect
from surveys import SHELF, all_collections

import sudare as sd
from sudare.collection import Collection

SURVEY = Collection.from_toml(SHELF)
TEAS, POTS = SURVEY.questions
OOLONG = 2


def payloads(teas: np.ndarray, pots: np.ndarray) -> list[bytes]:
    """Return submissions of both questions, from (n, 2) reports of each."""
    return [
        b"".join(
            question.mechanism.program.encode_one((key, state))
            for question, (key, state) in zip((TEAS, POTS), row, strict=True)
        )
        for row in zip(teas.tolist(), pots.tolist(), strict=True)
    ]


def honest(n: int) -> list[bytes]:
    rng = sd.Entropy.seeded(b"shelf")
    parts = []
    for question in (TEAS, POTS):
        d = len(question.items)
        held = np.random.default_rng(d).random((n, d)) < 0.5
        parts.append(question.mechanism.perturb(held, np.zeros((n, d)), rng=rng))
    return payloads(*parts)


def attack(n: int) -> list[bytes]:
    fakes = sd.poisoning.M2GA([OOLONG]).reports(TEAS.mechanism, n)
    spread = np.stack([np.arange(n) % 2, np.full(n, 2)], axis=1)
    return payloads(fakes, spread)


def signs(page: object) -> list[str]:
    return page.locator("[data-question=teas] .sign").all_inner_texts()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_attack_raises_the_alarm_on_the_page(watched: object, language: str) -> None:
    page = watched.page
    watched.deliver("shelf", honest(400))
    watched.open(f"/shelf/results?lang={language}")
    part = page.locator("[data-question=teas] .alarms")
    part.locator("h3").wait_for()
    assert signs(page) == []
    calm = part.locator(".signs").inner_text()
    assert calm in {"No item stands out.", "目立つ項目はありません。"}
    watched.deliver("shelf", attack(150))
    page.locator("[data-question=teas] .sign").first.wait_for()
    said = signs(page)
    assert any({"en": "Oolong", "ja": "烏龍茶"}[language] in one for one in said)
    assert not any({"en": "Green", "ja": "緑茶"}[language] in one for one in said)
    (changed,) = page.locator("[data-question=pots] .sign").all_inner_texts()
    assert {"en": "first 400", "ja": "最初の 400 件"}[language] in changed  # all of one state
    for text in (*said, part.inner_text()):
        assert "{" not in text
        assert "alarms." not in text


def test_the_band_is_that_of_the_share_chosen(watched: object) -> None:
    page = watched.page
    watched.deliver("shelf", honest(400) + attack(10))
    watched.open("/shelf/results?lang=en")
    part = page.locator("[data-question=teas] .alarms")
    part.locator("summary").click()
    bands = watched.results("shelf")["questions"][0]["alarms"]["bands"]
    seen = []
    for band in bands:
        part.locator("select").select_option(str(band["beta"]))
        rows = part.locator("tbody tr").all()
        assert len(rows) == 4
        cells = rows[OOLONG].locator("td").all_inner_texts()
        low, high = (100 * band[f"frequency_{side}"][OOLONG] for side in ("low", "high"))
        assert cells[0] == f"{low:.1f} to {high:.1f}"
        levels = [1 + 2 * (band[f"mean_{side}"][OOLONG] + 1) for side in ("low", "high")]
        assert cells[1] == "{:.2f} to {:.2f}".format(*levels)
        seen.append(high - low)
    assert part.locator("option").first.inner_text() == "1 %"
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]
    watched.deliver("shelf", honest(10))
    page.locator("#n", has_text="420 reports").wait_for()
    assert part.locator("select").input_value() == "0.1"  # the reader's choice stays


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "up to {:.1f} percentage points. By invitation, .* it would be about {:.1f}"),
        ("ja", "最大 {:.1f} ポイント.*約 {:.1f} ポイント"),
    ],
)
def test_how_strongly_fakes_count_is_said_in_the_open(
    watched: object, language: str, said: str
) -> None:
    page = watched.page
    watched.deliver("shelf", honest(400))
    watched.open(f"/shelf/results?lang={language}")
    part = page.locator("[data-question=teas] .alarms")
    part.locator("h3").wait_for()
    expect(part.locator("details[open]")).to_have_count(0)
    question = watched.results("shelf")["questions"][0]
    shown = [item["frequency"]["value"] for item in question["items"]]
    for band in question["alarms"]["bands"]:
        part.locator("select").select_option(str(band["beta"]))
        text = part.locator(".moved").inner_text()
        away = [share - low for share, low in zip(shown, band["frequency_low"], strict=True)]
        away += [high - share for share, high in zip(shown, band["frequency_high"], strict=True)]
        moved = at_most(100 * max(band["moved"], *away))
        assert re.search(said.format(moved, at_most(100 * band["moved_drawn"])), text)
        assert band["moved"] > 2 * band["moved_drawn"] > 0


@pytest.mark.parametrize(
    ("language", "end"), [("en", "{} (at the end of the scale)"), ("ja", "{}（目盛りの端）")]
)
def test_a_band_at_the_border_does_not_look_certain(
    watched: object, language: str, end: str
) -> None:
    page = watched.page
    teas = np.stack([np.arange(400) % 4, np.zeros(400, int)], axis=1)
    teas[teas[:, 0] == OOLONG, 1] = 2
    watched.deliver(
        "shelf", payloads(teas, np.stack([np.arange(400) % 2, np.full(400, 2)], axis=1))
    )
    watched.open(f"/shelf/results?lang={language}")
    part = page.locator("[data-question=teas] .alarms")
    part.locator("summary").click()
    cells = [row.locator("td").all_inner_texts() for row in part.locator("tbody tr").all()]
    assert cells[0] == [end.format("100.0"), end.format("5.00")]
    assert cells[OOLONG][0] == end.format("0.0")


CUT = """() => [...document.querySelectorAll(".scroll caption")].filter((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  const text = range.getBoundingClientRect();
  const box = one.closest(".scroll").getBoundingClientRect();
  return text.width === 0 || text.left < box.left - 1 || text.right > box.right + 1;
}).map((one) => one.textContent)"""


@pytest.mark.parametrize("language", ["en", "ja"])
def test_captions_are_not_cut_off_on_a_phone(watched: object, language: str) -> None:
    page = watched.page
    page.set_viewport_size({"width": 320, "height": 640})
    watched.deliver("shelf", honest(400))
    watched.open(f"/shelf/results?lang={language}")
    page.locator("[data-question=teas] .alarms h3").wait_for()
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    expect(page.locator(".scroll caption")).to_have_count(4)
    for scrolled in (0, 60):
        page.eval_on_selector_all(
            ".scroll", f"all => all.forEach((one) => {{ one.scrollLeft = {scrolled}; }})"
        )
        assert page.evaluate(CUT) == []


def test_it_can_be_read_and_used_by_everybody(watched: object) -> None:
    page = watched.page
    page.set_viewport_size({"width": 320, "height": 640})
    watched.deliver("shelf", honest(400) + attack(150))
    watched.open("/shelf/results?lang=en")
    page.locator("[data-question=teas] .sign").first.wait_for()
    page.locator("[data-question=teas] .alarms summary").click()
    watched.check_small()
    expect(page.get_by_label("If so many of all reports were made up:")).to_have_count(2)


def at_most(figure: float) -> float:
    """Return it rounded up to a decimal place."""
    return math.ceil(10 * figure - 1e-7) / 10


def crowd(name: str, n: int) -> list[bytes]:
    """Return submissions of people who all give the first answer to every question."""
    (survey,) = (one for one in all_collections() if one.name == name)
    rng = sd.Entropy.seeded(name.encode())
    answers = {"bath": (0, 0, 0), "teas": [0], "pairs": [0] * 10, "walk": 0, "sleep": 8.0}
    asked = [
        (one, one.encode(answers[name]) if name in {"walk", "sleep"} else answers.get(name, 0))
        for one in survey.questions
    ]
    return [b"".join(one.randomise(value, rng) for one, value in asked) for _ in range(n)]


@pytest.mark.parametrize(
    ("language", "rows", "single"),
    [
        ("en", "add up to more", "looks like an honest one"),
        ("ja", "「はい」が多すぎ", "同じに見える"),
    ],
)
def test_rows_of_ones_are_seen_and_fakes_of_one_answer_are_said_not_to_be(
    watched: object, language: str, rows: str, single: str
) -> None:
    page = watched.page
    watched.deliver("two", crowd("two", 400))
    watched.open(f"/two/results?lang={language}")
    cups, sugar = (page.locator(f"[data-question={one}] .alarms") for one in ("cups", "sugar"))
    cups.locator("h3").wait_for()
    expect(page.locator(".sign")).to_have_count(0)
    assert "20,000" in cups.locator(".signs").inner_text()
    watched.deliver("two", [b"\xff\x01\x00"] * 40)  # all nine bits; and the first answer
    cups.locator(".sign").first.wait_for()
    assert rows in cups.inner_text()
    cups.locator("summary").click()
    cups.locator("select").select_option("0.1")
    guess = watched.results("two")["questions"][0]["alarms"]["recovered"][-1]["shares"]
    shown = [row.locator("td").last.inner_text() for row in cups.locator("tbody tr").all()]
    assert shown == [f"{100 * share:.1f}" for share in guess]
    assert "LDPRecover" in cups.inner_text()
    assert "LDPRecover" not in sugar.inner_text()
    expect(sugar.locator(".sign")).to_have_count(0)
    assert single in sugar.inner_text()
    assert single not in cups.inner_text()
    for text in (cups.inner_text(), sugar.inner_text()):
        assert "{" not in text
        assert "alarms." not in text
    watched.check_small()


@pytest.mark.parametrize(
    "name", ["tea", "teas", "bath", "whole", "pairs", "scale", "walk", "sleep"]
)
def test_every_question_has_its_band(watched: object, name: str) -> None:
    page = watched.page
    told = watched.deliver(name, crowd(name, 120))["questions"]
    watched.open(f"/{name}/results?lang=en")
    for question in told:
        part = page.locator(f"[data-question={question['id']}] .alarms")
        part.locator("h3").wait_for()
        band = question["alarms"]["bands"][2]
        part.locator("select").select_option("0.05")
        moved, said = band["moved"], part.locator(".moved").inner_text()
        if name == "sleep":
            ends = (at_most(moved), *band["low"], *band["high"])
            moved, low, high = (f"{one:.1f}" for one in ends)
            assert f"up to {moved}:" in said
            assert f"from {low} to {high}." in said
        else:
            assert f"up to {at_most(100 * moved):.1f} percentage points" in said
        if name == "scale":
            low, high = (f"{band['mean'][side]:.2f}" for side in ("low", "high"))
            assert (f"would lie at {low}," if low == high else f"from {low} to {high}.") in said
        if name in {"sleep", "walk"}:
            expect(part.locator("table")).to_have_count(0)
            continue
        part.locator("summary").click()
        cells = part.locator("tbody td").all_inner_texts()
        low, high = band["low"], band["high"]
        if name == "pairs":  # at first one table of two attributes, and each alone
            alone = sum(len(one["cells"]) for one in question["attributes"])
            first = len(cells) - alone
            low, high = low[:first] + low[-alone:], high[:first] + high[-alone:]
        assert len(cells) == len(low)
        rows = zip(low, high, cells, strict=True)
        wide = [(100 * low, 100 * high, text) for low, high, text in rows if low < high]
        assert wide
        for low, high, text in wide:
            assert text == f"{low:.1f} to {high:.1f}"
    watched.check_small()


@pytest.mark.parametrize(
    ("language", "said"), [("en", "first 200 differ"), ("ja", "最初の 200 件")]
)
def test_a_burst_is_said(watched: object, language: str, said: str) -> None:
    page = watched.page
    watched.deliver("tea", crowd("tea", 200))
    watched.open(f"/tea/results?lang={language}")
    page.locator(".alarms h3").wait_for()
    expect(page.locator(".sign")).to_have_count(0)
    watched.deliver("tea", [b"\x03"] * 100)
    page.locator(".sign").first.wait_for()
    assert said in page.locator(".signs").inner_text()
    assert watched.results("tea")["questions"][0]["alarms"]["changes"]["more"] == [3]


@pytest.mark.parametrize(("language", "share", "mean", "end"), [
    ("en", "share that has an interval could be off by up to {} ", "from 2.00 to 3.00.",
     "lie at {}, the end of"),
    ("ja", "区間のある割合は、一つひとつが最大 {} ポイント", "平均は、2.00 から 3.00 まで",
     "端の {} に"),
])  # fmt: skip
def test_the_band_of_a_mean_is_said(
    watched: object, language: str, share: str, mean: str, end: str
) -> None:
    told = watched.deliver("scale", crowd("scale", 120))["questions"][0]
    band = told["alarms"]["bands"][0]
    watched.open(f"/scale/results?lang={language}")
    watched.page.locator(".alarms h3").wait_for()
    said = watched.page.locator(".moved").inner_text()
    assert share.format(f"{at_most(100 * band['moved']):.1f}") in said
    assert band["mean"]["low"] == band["mean"]["high"], "all of it lies beyond the scale"
    assert end.format(f"{band['mean']['low']:.2f}") in said

    def within(route: object) -> None:
        answer = route.fetch()
        told = answer.json()
        for one in told["questions"][0]["alarms"]["bands"]:
            one["mean"] |= {"low": 2, "high": 3}
        route.fulfill(response=answer, json=told)

    watched.page.route("**/results?*confidence*", within)
    watched.page.reload()
    watched.page.locator(".moved", has_text=mean).wait_for()
