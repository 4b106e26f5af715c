"""Other sites: those that an owner names may ask a collection's API and frame its pages."""

from __future__ import annotations

import asyncio

import pytest
from asking import ask
from teas import TEA

from sudare.collection import Collection
from sudare.collector import create_app
from sudare.errors import CollectionError
from tests.cases import cases

SITE, FRAMER = "https://www.example.org", "https://frames.example:8443"
LISTS = f'allowed_origins = ["{SITE}"]\nframe_ancestors = ["{FRAMER}", "{SITE}"]\n'
OPEN = Collection.from_toml(TEA.replace('name = "tea"', f'name = "tea"\n{LISTS}'))
API = "/api/v1/collections/tea"


@pytest.fixture
def asked(database, other):
    """Return answers of a collector of `tea`, which is open to sites, and `coffee`."""
    app = create_app([OPEN, other], database)

    def run(*requests):
        async def all_() -> list:
            async with app.lifespan():
                return [await ask(app, *one[:-1], **one[-1]) for one in requests]

        return asyncio.run(all_())

    return run


def test_the_lists_are_in_no_fingerprint_and_told_to_no_device(tea):
    assert OPEN.fingerprint == tea.fingerprint
    assert OPEN.compiled() == tea.compiled()


def test_a_named_origin_may_ask_and_send(asked, message):
    wants = {"origin": SITE, "access_control_request_method": "POST"}
    before, sent, refused, read = asked(
        ("OPTIONS", f"{API}/reports", None, wants),
        ("POST", f"{API}/reports", message(), {"origin": SITE}),
        ("POST", f"{API}/reports", {}, {"origin": SITE}),
        ("GET", f"{API}/results", None, {"origin": SITE}),
    )
    assert [one.status for one in (before, sent, refused, read)] == [204, 202, 400, 200]
    assert before.headers["access-control-allow-methods"] == "GET, POST"
    assert before.headers["access-control-allow-headers"] == "content-type"
    for one in (before, sent, refused, read):
        assert one.headers["access-control-allow-origin"] == SITE
        assert one.headers["vary"] == "origin"
        assert one.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-credentials" not in one.headers


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        (API, FRAMER),  # may frame, not ask
        (API, "null"),
        (API, f"{SITE}.evil.example"),
        (API, SITE.upper()),
        (API, SITE.replace("https", "http")),
        (API, f"{SITE}, {SITE}"),
        ("/api/v1/collections/coffee", SITE),
        ("/api/v1/collections/nothing", SITE),
        ("/api/v1/collections", SITE),
        ("/tea", SITE),
        ("/health", SITE),
    ],
)
def test_no_other_origin_is_let_in_nor_to_another_address(asked, path, origin):
    head = {"origin": origin}
    answers = asked(
        ("GET", path, None, head),
        ("OPTIONS", path, None, {**head, "access_control_request_method": "GET"}),
        ("GET", path, None, {}),
    )
    for one in answers:
        assert not [name for name in one.headers if name.startswith("access-control")]
    assert answers[1].status != 204


def test_a_draft_does_not_say_that_it_is_there(database):
    draft = TEA.replace('name = "tea"', f'name = "tea"\ndraft = true\n{LISTS}')
    app = create_app([Collection.from_toml(draft)], database)

    async def look() -> None:
        async with app.lifespan():
            answer = await ask(app, "GET", API, origin=SITE)
            assert answer.status == 404
            assert "access-control-allow-origin" not in answer.headers

    asyncio.run(look())


def test_named_origins_may_frame_its_pages(asked):
    own, results, mine, other, api = asked(
        *(
            ("GET", path, None, {})
            for path in ("/tea", "/tea/results", "/my/reports", "/coffee", API)
        )
    )
    for one in (own, results):
        policy = one.headers["content-security-policy"]
        assert policy.endswith(f"; frame-ancestors {FRAMER} {SITE}")
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "x-frame-options" not in one.headers
    assert f'<meta name="sudare-frames" content="{FRAMER} {SITE}">' in own.body.decode()
    for one in (mine, other, api):
        assert one.headers["content-security-policy"].endswith("frame-ancestors 'none'")
        assert one.headers["x-frame-options"] == "DENY"
    assert b"sudare-frames" not in other.body


def test_the_script_is_for_all_sites(asked):
    (script,) = asked(("GET", "/embed.js", None, {}))
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"


@cases(
    "wrong",
    [
        '"https://example.org"',
        '["*"]',
        '["https://*.example.org"]',
        '["http://example.org"]',
        '["https://example.org/"]',
        '["https://example.org/path"]',
        '["https://example.org:443"]',
        '["http://localhost:80"]',
        '["https://Example.org"]',
        '["https://user@example.org"]',
        '["https://example.org; script-src *"]',
        '["https://example.org\\n"]',
        '["https://b\\u00fccher.example"]',
        '["null"]',
        '[""]',
        "[1]",
    ],
)
@cases("field", ["allowed_origins", "frame_ancestors"])
def test_what_is_no_origin_is_refused(field, wrong):
    with pytest.raises(CollectionError, match=field):
        Collection.from_toml(TEA.replace('name = "tea"', f'name = "tea"\n{field} = {wrong}'))
