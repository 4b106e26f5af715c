"""Pages and files: headers on every answer, ETags, nothing outside the folder."""

from __future__ import annotations

import importlib
import re

import pytest

import sudare.collector
from sudare.errors import MissingExtraError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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
    script = f'<script type="module" src="/static/js/{module}.js"></script>'
    assert html.count("<script") == html.count(script) == 1
    assert not re.search(r"\sstyle=|<style|\son\w+=|https?:|[{}]", html)
    assert html.count("JavaScript") >= 2
    assert html.count('<p lang="ja">') == 1
    assert api.get(f"/static/{module}.html").status == 404
    assert api.get(f"/static/js/{module}.js").status == 200


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
