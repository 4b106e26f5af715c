"""Settings: one table for arguments, variables and a file; what nobody knows is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sudare
from sudare.collector import create_app
from sudare.collector.settings import ELSEWHERE, FILE, Settings, known, read_text, table, variable
from sudare.errors import DomainError
from tests.cases import cases

PAGE = Path(__file__).parents[2] / "docs" / "running.md"


def test_an_argument_comes_before_a_variable_before_the_file_before_the_default(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("port = 1\nrate = 2\n")
    environ = {"SUDARE_PORT": "3", "SUDARE_HOST": "::1"}
    assert Settings.gather({}) == Settings()
    assert Settings.gather({}, file=file).port == 1
    found = Settings.gather(environ | {FILE: str(file)}, host="127.0.0.2", port=None)
    assert (found.port, found.rate, found.host) == (3, 2, "127.0.0.2")
    assert found.database == "sudare.sqlite3"


def test_paths_in_a_file_start_at_its_folder(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text(
        'surveys = ["a.toml", "/b.toml"]\ndatabase = "c.db"\nledger = "postgresql://x/y"\n'
    )
    found = Settings.load(file)
    assert found.surveys == (str(tmp_path / "a.toml"), "/b.toml")
    assert found.database == str(tmp_path / "c.db")
    assert found.ledger == "postgresql://x/y"


def test_lists_in_variables_have_commas():
    environ = {"SUDARE_SURVEYS": "a.toml, b.toml", "SUDARE_WEBHOOKS_AT": "10,100"}
    found = Settings.gather(environ)
    assert found.surveys == ("a.toml", "b.toml")
    assert found.webhooks_at == (10, 100)


@cases("name", ["SUDARE_PROT", "SUDARE_DATABSE", "SUDARE_ANYTHING", "SUDARE_"])
def test_an_unknown_variable_is_refused(name):
    with pytest.raises(DomainError, match="is no setting"):
        Settings.gather({name: "1"})


def test_what_is_nearest_is_suggested(tmp_path):
    with pytest.raises(DomainError, match="SUDARE_DATABASE"):
        Settings.gather({"SUDARE_DATABSE": "x"})
    file = tmp_path / "settings.toml"
    file.write_text("prot = 1\n")
    with pytest.raises(DomainError, match="did you mean port"):
        Settings.load(file)
    with pytest.raises(DomainError, match="did you mean host"):
        Settings.gather({}, hots="x")


def test_variables_of_other_parts_are_left_alone():
    assert Settings.gather(dict.fromkeys(ELSEWHERE, "anything") | {"PATH": "x"}) == Settings()
    files = [one for one in Path(sudare.__file__).parent.rglob("*.py") if one.stem != "settings"]
    files.append(Path(__file__).parents[2] / ".ci" / "run")
    names = set(re.findall(r'"(SUDARE_[A-Z_]+)"|\b(SUDARE_[A-Z_]+)=1', "".join(map(_text, files))))
    read = {a or b for a, b in names} - {FILE}
    assert {"SUDARE_THREADS", "SUDARE_DATA", "SUDARE_REQUIRE_SPARK"} <= read <= ELSEWHERE


def _text(path: Path) -> str:
    return path.read_text("utf-8")


@cases(
    "name, value, text",
    [
        ("port", 65_536, "65536"),
        ("port", True, "-1"),
        ("port", "80", "eighty"),
        ("rate", 0, "0"),
        ("metrics", 1, "perhaps"),
        ("host", 7, None),
        ("surveys", "a.toml", None),
        ("webhooks", ["http://example.org/x"], "http://example.org/x"),
        ("webhooks", ["https://user:word@example.org/"], "https://user:word@example.org/"),
        ("webhooks", ["ftp://example.org/"], "https://"),
        *(("limit_header", one, one) for one in ("X-Client-Address:", "a b", "x\ty", "名")),
        ("webhooks_at", [0], "0"),
        ("webhooks_at", ["1"], "one"),
    ],
)
def test_a_wrong_value_is_refused_wherever_it_stands(name, value, text):
    with pytest.raises(DomainError, match=name):
        Settings(**{name: value})
    if text is not None:
        with pytest.raises(DomainError, match=variable(name)):
            Settings.gather({variable(name): text})


def test_a_remedy_is_of_its_setting():
    for name, example in (("limit_header", "X-Client-Address"), ("oidc_issuer", "id.example.org")):
        with pytest.raises(DomainError, match=f"such as .*{example}"):
            read_text(name, "x:", name)


@cases("content", [b"\xff", b"port = ", b'"port" = 1.5\n'])
def test_a_broken_file_is_refused(tmp_path, content):
    file = tmp_path / "settings.toml"
    file.write_bytes(content)
    with pytest.raises(DomainError):
        Settings.load(file)
    with pytest.raises(DomainError, match="cannot be read"):
        Settings.load(tmp_path / "none.toml")


def test_the_table_is_in_the_guide():
    assert table() in PAGE.read_text("utf-8")
    assert table().count("\n") == len(known()) + 1


def test_the_application_is_made_of_settings_alone(tea, tmp_path, monkeypatch):
    survey = tmp_path / "tea.toml"
    survey.write_text(
        '[collection]\nname = "tea"\nepsilon = 2.0\n'
        '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    )
    file = tmp_path / "settings.toml"
    file.write_text('surveys = ["tea.toml"]\n')
    monkeypatch.setenv("SUDARE_DATABASE", str(tmp_path / "x.db"))
    create_app(settings=file)
    assert (tmp_path / "x.db").exists()
    monkeypatch.setenv("SUDARE_PROT", "1")
    with pytest.raises(DomainError, match="SUDARE_PORT"):
        create_app(settings=file)
    create_app([tea], tmp_path / "y.db")  # told everything: no variable is looked at
