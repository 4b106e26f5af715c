"""`sudare preview`: a page that sends nothing, of the file as it stands."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sudare.cli import main, preview as command
from sudare.collection import Collection
from sudare.collection.drafting import draft
from sudare.collector import previewing
from sudare.collector.server import CollectorServer


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "tea.toml"
    text = draft("tea", ["choice", "place"], languages=["en", "ja"])
    path.write_text(text.replace("[collection]", "[collection]\ndraft = true"), encoding="utf-8")
    return path


@pytest.fixture
def served(
    survey: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[tuple[str, list[str]]]:
    """The command in a thread of this process; yields the page's address and what was opened."""
    there = threading.Event()
    servers: list[CollectorServer] = []
    found: list[str] = []
    opened: list[str] = []

    class Watched(CollectorServer):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            servers.append(self)
            tell = self._on_ready
            self._on_ready = lambda url: (tell(url), found.append(url), there.set())

    monkeypatch.setattr(previewing, "CollectorServer", Watched)
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    words = ["preview", str(survey), "--open", "--json"]
    thread = threading.Thread(target=main, args=(words,), daemon=True)
    thread.start()
    assert there.wait(20)
    yield found[0], opened
    servers[0].should_exit = True
    thread.join(20)


def get(url: str) -> tuple[int, dict[str, str], bytes]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def test_the_page_is_of_the_file_as_it_stands(
    served: tuple[str, list[str]], survey: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, opened = served
    assert opened == [f"{url}/"]
    assert json.loads(capsys.readouterr().out) == {"preview": f"{url}/"}
    status, headers, body = get(f"{url}/")
    assert status == 200
    assert "form-action 'none'" in headers["content-security-policy"]
    assert "geolocation=(self)" in headers["permissions-policy"]
    spoken = json.loads(re.search(rb'id="spoken">([^<]+)<', body)[1])
    assert [one["tag"] for one in spoken["languages"]] == ["en", "ja"]
    assert spoken["words"]["preview.title"] in body.decode()
    script = re.search(r'src="\.?(/static/js/preview\.[^"]+)"', body.decode())[1]
    assert get(url + script)[0] == 200

    compiled = json.loads(get(f"{url}/preview.json")[2])
    assert compiled == Collection.load(survey).compiled()
    survey.write_text(survey.read_text("utf-8").replace('"tea"', '"cups"', 1), encoding="utf-8")
    assert json.loads(get(f"{url}/preview.json")[2])["definition"]["name"] == "cups"
    survey.write_text("[collection]", encoding="utf-8")
    status, _, body = get(f"{url}/preview.json")
    assert (status, json.loads(body)["error"]["argument"]) == (400, "tea.toml: question")
    assert get(f"{url}/")[0] == 400


@pytest.mark.parametrize("path", ["/tea/results", "/api/collections/tea/reports", "/nope"])
def test_there_is_nowhere_to_send_a_report_to(served: tuple[str, list[str]], path: str) -> None:
    url, _ = served
    assert get(url + path)[0] == 404
    request = urllib.request.Request(url + path, data=b"{}", method="POST")
    with pytest.raises(urllib.error.HTTPError, match="404") as refused:
        urllib.request.urlopen(request)
    refused.value.close()


def test_a_file_that_is_refused_is_not_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("[collection]\nname = 1\n", encoding="utf-8")
    assert main(["preview", str(path)]) == 2
    assert "question is missing" in capsys.readouterr().err
