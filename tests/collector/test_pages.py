"""Pages and files: headers on every answer, ETags, nothing outside the folder."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
import re

import pytest
from teas import TEA

import sudare.collector
from sudare.catalogues import catalogues
from sudare.collection import Collection
from sudare.collector import BackgroundCollector
from sudare.errors import MissingExtraError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'"
)


@pytest.mark.parametrize(
    "path",
    ["/", "/tea", "/tea/results", "/static/css/base.css", "/health", "/api/collections", "/nope"],
)
def test_security_headers_are_on_every_answer(api, path):
    headers = api.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "geolocation=()" in headers["permissions-policy"]
    assert "server" not in headers
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/tea", "text/html; charset=utf-8"),
        ("/tea/results", "text/html; charset=utf-8"),
        ("/static/css/base.css", "text/css; charset=utf-8"),
        ("/static/js/survey.js", "text/javascript; charset=utf-8"),
    ],
)
def test_files_revalidate_by_etag(api, path, kind):
    first = api.get(path)
    assert (first.status, first.headers["content-type"]) == (200, kind)
    assert first.headers["cache-control"] == "no-cache"
    assert "content-encoding" not in first.headers
    etag = first.headers["etag"]
    for condition in (etag, f'"other", W/{etag}', "*"):
        again = api.get(path, **{"if-none-match": condition})
        assert (again.status, again.body) == (304, b"")
    assert api.get(path, **{"if-none-match": '"other"'}).status == 200
    head = api.request("HEAD", path)
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(first.body))


@pytest.mark.parametrize(
    ("path", "module"), [("/", "index"), ("/tea", "survey"), ("/tea/results", "results")]
)
def test_a_page_is_one_frame_around_one_module(api, path, module):
    html = api.get(path).body.decode()
    (script,) = re.findall(r'<script type="module" src="([^"]+)"></script>', html)
    assert re.fullmatch(rf"\.\.?/static/js/{module}\.[0-9a-f]{{16}}\.js", script)
    (data,) = re.findall(r'<script type="application/json" id="spoken">([^<>&]+)</script>', html)
    (formats,) = re.findall(
        r'<script type="application/json" id="formats">([^<>&]+)</script>', html
    )
    assert html.count("<script") == 3
    rest = html.replace(data, "").replace(formats, "")
    assert not re.search(r"\sstyle=|<style|\son\w+=|https?:|[{}]", rest)
    assert html.count("JavaScript") >= 2
    assert json.loads(data)["words"]["loading"] in html
    assert api.get(f"/static/{module}.html").status == 404
    assert api.get(f"/static/js/{module}.js").status == 200


@pytest.mark.parametrize("path", ["/", "/tea", "/tea/results"])
def test_what_a_page_loads_is_linked_and_kept_for_ever(api, path):
    """One script and one style, under addresses that their contents give."""
    html = api.get(path).body.decode()
    linked = re.findall(r'(?:src|href)="\.+(/static/(?:js|css)/[^"]+)"', html)
    assert len(linked) == 2
    for address in linked:
        answer = api.get(address)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert hashlib.sha256(answer.body).hexdigest()[:16] == address.split(".")[1]
        assert not re.search(rb"^(import|export|@import)\b", answer.body, re.MULTILINE)
        assert api.get(re.sub(r"[0-9a-f]{16}", "0" * 16, address)).status == 404


def test_a_survey_loads_the_question_types_that_it_has(api):
    """The type `choice` is every page's; the words of the others' programs are in no other file."""
    script = re.search(r'src="\.([^"]+\.js)"', api.get("/tea").body.decode())
    body = api.get(script[1]).body
    assert b'type: "choice"' in body
    for other in ("crosstab", "place", "ratings", "number"):
        assert f'type: "{other}"'.encode() not in body


@pytest.mark.parametrize("path", ["/tea", "/static/js/memo.js", "/static/css/base.css"])
def test_texts_travel_compressed_for_whoever_takes_that(api, path):
    """Each form has a strong tag of its own: a cache between must not mix them up."""
    plain = api.get(path)
    packed = api.get(path, **{"accept-encoding": "br, gzip;q=0.8"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < 0.6 * len(plain.body)
    assert packed.headers["content-length"] == str(len(packed.body))
    tags = plain.headers["etag"], packed.headers["etag"]
    assert tags[0] != tags[1]
    for answer in (plain, packed):
        languages = ", accept-language" if path == "/tea" else ""
        assert answer.headers["vary"] == "accept-encoding" + languages
        assert not answer.headers["etag"].startswith("W/")
    asked = {"accept-encoding": "gzip", "if-none-match": tags[1]}
    assert api.get(path, **asked).status == 304
    assert api.get(path, **{**asked, "accept-encoding": "gzip;q=0"}).status == 200


@pytest.fixture
def bilingual(database, connect):
    survey = TEA.replace('name = "tea"', 'name = "tea"\nlanguages = ["en", "ja"]')
    with BackgroundCollector([Collection.from_toml(survey)], database) as running:
        yield connect(running.url)


@pytest.mark.parametrize(
    ("query", "header", "language"),
    [
        ("", "", "en"),
        ("", "de-CH, ja;q=0.9", "ja"),
        ("?lang=en", "ja", "en"),
        ("?lang=ja-JP", "en", "ja"),
        ("?lang=de", "de", "en"),
        ("?lang=../en", "*", "en"),
    ],
)
def test_a_page_is_in_a_language_of_its_survey(bilingual, query, header, language):
    """`tea` is in English and Japanese: no other language is offered, or chosen."""
    html = bilingual.get(f"/tea{query}", **{"accept-language": header}).body.decode()
    assert f'<html lang="{language}">' in html
    assert catalogues()[language]["loading"] in html
    spoken = json.loads(re.search(r'id="spoken">([^<]+)<', html)[1])
    assert [one["tag"] for one in spoken["languages"]] == ["en", "ja"]
    assert spoken["language"] == language
    for one in spoken["languages"]:
        words = json.loads(bilingual.get(one["words"]).body)
        assert words["language.name"] == one["name"]
        assert spoken["words"].items() <= words.items() or one["tag"] != language


OWN = """
[collection.texts.ar]
"language.name" = "العربية"
"loading" = "<جارٍ التحميل>"
[collection.texts.de-AT]
"loading" = "Augenblick …"
"""


@pytest.mark.parametrize(
    ("language", "tag", "direction", "loading"),
    [
        ("ar-EG", "ar", "rtl", "&lt;جارٍ التحميل&gt;"),
        ("de", "de", "ltr", "Augenblick …"),
        ("en", "en", "ltr", catalogues()["en"]["loading"]),
        ("tlh", "ar", "rtl", "&lt;جارٍ التحميل&gt;"),
    ],
)
def test_a_survey_says_words_itself(database, connect, language, tag, direction, loading):
    """In a language without a catalogue too, then what it leaves out is English."""
    spoken = 'name = "tea"\nlanguages = ["ar", "de-AT", "tlh", "en"]'
    survey = TEA.replace('name = "tea"', spoken).replace("[[question]]", OWN + "[[question]]", 1)
    with BackgroundCollector([Collection.from_toml(survey)], database) as running:
        html = connect(running.url).get("/tea", **{"accept-language": language}).body.decode()
        home = connect(running.url).get("/", **{"accept-language": language}).body.decode()
    assert f'<html lang="{tag}"' in html
    assert ('dir="rtl"' in html.partition("<head>")[0]) == (direction == "rtl")
    assert f">{loading}<" in html
    assert f">{loading}<" not in home or language == "en"
    spoken = json.loads(re.search(r'id="spoken">([^<]+)<', html)[1])
    assert [one["tag"] for one in spoken["languages"]] == ["ar", "de", "en"]
    assert [one["dir"] for one in spoken["languages"]] == ["rtl", "ltr", "ltr"]
    assert [one["name"] for one in spoken["languages"]] == ["العربية", "Deutsch", "English"]
    assert spoken["own"]["de"] == {"loading": "Augenblick …"}
    assert set(spoken["own"]) == {"ar", "de"}
    assert spoken["words"]["skip"] == catalogues().get(tag, catalogues()["en"])["skip"]


def test_the_list_is_in_every_language(api):
    html = api.get("/", **{"accept-language": "fr, de;q=0.5"}).body.decode()
    assert '<html lang="de">' in html
    for path in ("/", "/operator"):  # no page speaks what is asked for
        assert '<html lang="en"' in api.get(path, **{"accept-language": "fr"}).body.decode()


@pytest.mark.parametrize("path", ["/tea", "/tea/results"])
def test_a_link_to_a_page_has_a_preview(api, path):
    html = api.get(f"{path}?lang=en").body.decode()
    (title,) = re.findall(r'<meta property="og:title" content="([^"]+)">', html)
    (about,) = re.findall(r'<meta property="og:description" content="([^"]+)">', html)
    assert title in re.search("<title>(.*)</title>", html)[1]
    assert about == re.search('<meta name="description" content="([^"]+)">', html)[1]
    assert "og:image" not in html


def test_pictures_that_are_small_travel_as_they_are(api):
    answer = api.get("/static/img/sudare.svg", **{"accept-encoding": "gzip"})
    assert "content-encoding" not in answer.headers
    assert "vary" not in answer.headers


@pytest.mark.parametrize("path", ["/nope", "/nope/results"])
def test_a_mistyped_address_is_a_page_for_people(api, path):
    answer = api.get(path)
    assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b"nope" not in answer.body
    etag = answer.headers["etag"]
    assert api.get(path, **{"if-none-match": etag}).status == 404


def test_missing_extra_names_the_remedy(monkeypatch):
    imported = importlib.import_module

    def without(name: str, *rest: str) -> object:
        if name == "uvicorn":
            raise ModuleNotFoundError(name)
        return imported(name, *rest)

    monkeypatch.setattr(sudare.collector, "import_module", without)
    monkeypatch.delitem(vars(sudare.collector), "create_app", raising=False)  # kept once it is used
    with pytest.raises(MissingExtraError, match=r'uvicorn.*pip install "sudare\[collector\]"'):
        sudare.collector.create_app  # noqa: B018 - the access is what is tested


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError):
        sudare.collector.nothing  # noqa: B018 - the access is what is tested
    assert "create_app" in dir(sudare.collector)
