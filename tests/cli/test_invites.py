"""Making codes, exporting them, counting them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sudare.cli import main
from sudare.collection import Client, Collection
from sudare.collection.invite import read_code
from sudare.collector import BackgroundCollector, count_invites
from sudare.operators import Audit, Register

Run = Callable[..., tuple[int, str, str]]
TEXT = """
[collection]
name = "shelf"
epsilon = 2.0
admission = "invited"
[[question]]
id = "teas"
type = "ratings"
text = "?"
items = ["green", "black", "oolong"]
"""


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.toml"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture
def given(survey: Path, tmp_path: Path) -> tuple[object, ...]:
    return ("invites", survey, "--database", tmp_path / "shelf.sqlite3")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def test_codes_and_links_in_a_file(sudare: Run, given: tuple[object, ...], tmp_path: Path) -> None:
    out = tmp_path / "new" / "codes.csv"
    status, text, error = sudare(
        *given, "--number", 50, "--url", "https://survey.example/s/", "--out", out
    )
    assert (status, error) == (0, "")
    assert "50 invites issued, 0 spent" in text
    made = rows(out.read_text("utf-8"))
    assert len({read_code(row["code"]) for row in made}) == 50
    assert all(row["link"] == f"https://survey.example/s/shelf#{row['code']}" for row in made)
    assert out.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in out.parent.iterdir()] == ["codes.csv"]
    assert not any(row["code"] in text for row in made)


def test_the_codes_admit_beside_a_running_collector(
    sudare: Run, given: tuple[object, ...], survey: Path, tmp_path: Path
) -> None:
    collection = Collection.load(survey)
    with BackgroundCollector([collection], tmp_path / "shelf.sqlite3") as running:
        status, text, _ = sudare(*given, "--number", 3)
        assert status == 0
        made = rows(text)
        assert [list(row) for row in made] == [["code"]] * 3
        client = Client(collection)
        tickets = client.admit(running.url, made[1]["code"])
        item = collection.questions[0].items[tickets.index["teas"]]
        client.send(client.answer({"teas": {item: 5}}, tickets), running.url)
        assert json.loads(sudare(*given, "--json")[1]) == {
            "name": "shelf",
            "issued": 3,
            "spent": 1,
        }
    assert sudare(*given)[1] == "shelf: 3 invites issued, 1 spent\n"


def test_json(sudare: Run, given: tuple[object, ...], tmp_path: Path) -> None:
    data = json.loads(sudare(*given, "--number", 2, "--url", "http://[::1]:8750", "--json")[1])
    assert (data["name"], data["issued"], data["spent"]) == ("shelf", 2, 0)
    assert [row["link"] for row in data["codes"]] == [
        f"http://[::1]:8750/shelf#{row['code']}" for row in data["codes"]
    ]
    out = tmp_path / "codes.csv"
    data = json.loads(sudare(*given, "--number", 2, "--out", out, "--json")[1])
    assert data == {"name": "shelf", "issued": 4, "spent": 0, "made": 2, "file": str(out)}


def test_an_existing_file_is_left_alone_and_nothing_is_issued(
    sudare: Run, given: tuple[object, ...], survey: Path, tmp_path: Path
) -> None:
    out, dangling = tmp_path / "codes.csv", tmp_path / "link.csv"
    out.write_text("mine", "utf-8")
    dangling.symlink_to(tmp_path / "absent")
    for path in (out, tmp_path, dangling):
        status, text, error = sudare(*given, "--number", 2, "--out", path)
        assert (status, text) == (2, "")
        assert error.startswith("sudare invites: --out must not exist yet")
    assert out.read_text("utf-8") == "mine"
    assert not (tmp_path / "shelf.sqlite3").exists()
    assert sudare(*given, "--number", 2)[0] == 0
    piped = sudare(*given, "--number", 2, "--out", "-")[1]
    assert len(piped.splitlines()) == 3
    assert count_invites(Collection.load(survey), tmp_path / "shelf.sqlite3") == (4, 0)


def test_a_file_that_appears_meanwhile_is_left_alone(
    sudare: Run, given: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "codes.csv"
    from sudare.cli import invites

    write = invites._write
    monkeypatch.setattr(
        invites, "_write", lambda *given: (write(*given), out.write_text("mine", "utf-8"))
    )
    assert sudare(*given, "--number", 2, "--out", out)[0] == 2
    assert out.read_text("utf-8") == "mine"


def test_what_cannot_be_written_issues_nothing(
    sudare: Run,
    given: tuple[object, ...],
    survey: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sudare(*given, "--number", 1)[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr("sudare.cli.invites.os.fsync", _full)
        status, _, error = sudare(*given, "--number", 5, "--out", tmp_path / "codes.csv")
    assert status == 2
    assert "No space left" in error
    assert not (tmp_path / "codes.csv").exists()
    assert not list(tmp_path.glob(".codes*"))
    assert count_invites(Collection.load(survey), tmp_path / "shelf.sqlite3") == (1, 0)


def _full(_: int) -> None:
    raise OSError(28, "No space left on device")


class _Full(io.StringIO):
    def flush(self) -> None:
        raise OSError(28, "No space left on device")


def test_what_cannot_be_printed_issues_nothing(
    given: tuple[object, ...],
    survey: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    database = tmp_path / "shelf.sqlite3"
    for more in ((), ("--json",), ("--out", "-")):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", _Full())
            assert main([*map(str, given), "--number", "5", *more]) == 2
        assert "No space left" in capsys.readouterr().err
        assert count_invites(Collection.load(survey), database) == (0, 0)
    with Register(database) as register:
        acts = [one.act for one in Audit(register).read()]
    assert acts == ["refused", "invites", "refused", "invites"]


def test_a_token_that_cannot_be_printed_allows_nothing(
    sudare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    database, ledger = tmp_path / "shelf.sqlite3", tmp_path / "ledger.db"
    assert sudare("ledger", "open", ledger, "ann", "--epsilon", "1")[0] == 0
    for command in (
        ("token", "new", "ann", "--database", database),
        ("ledger", "token", ledger, "ann", "--scope", "query:tea"),
    ):
        for more in ((), ("--json",)):
            with monkeypatch.context() as patch:
                patch.setattr("sys.stdout", _Full())
                assert main([*map(str, command), *more]) == 2
            assert "No space left" in capsys.readouterr().err
    for command in (("token", "list", "--database", database), ("ledger", "show", ledger)):
        known = json.loads(sudare(*command, "--json")[1])["tokens"]
        assert [one["revoked"] for one in known] == [True, True]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--number", "0"), "number must be >= 1"),
        (("--number", "-3"), "number must be >= 1"),
        (("--number", "100001"), "number must be <= 100000"),
        (("--number", "x"), "must be a whole number"),
        (("--number", "nan"), "must be a whole number"),
        (("--out", "codes.csv"), "--out needs --number"),
        (("--url", "https://a"), "--url needs --number"),
        (("--number", "1", "--url", "survey.example"), "--url must be"),
        (("--number", "1", "--url", "ftp://a"), "--url must be"),
        (("--number", "1", "--url", "http://[a"), "--url must be"),
        (("--number", "1", "--url", "https://a/#b"), "--url must be"),
        (("--number", "1", "--url", "https://a/?b=c"), "--url must be"),
        ((), "database must be a collector's file that is there"),
    ],
)
def test_bad_input_is_one_line_and_makes_nothing(
    sudare: Run, given: tuple[object, ...], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    status, text, error = sudare(*given, *options)
    assert (status, text, error.count("\n")) == (2, "", 1)
    assert said in error
    assert not (tmp_path / "shelf.sqlite3").exists()


def test_an_open_collection_has_no_invites(sudare: Run, survey: Path, tmp_path: Path) -> None:
    survey.write_text(TEXT.replace('admission = "invited"', ""), "utf-8")
    status, _, error = sudare("invites", survey, "--database", tmp_path / "x", "--number", 1)
    assert status == 2
    assert 'collection.admission must be "invited"' in error
    assert not (tmp_path / "x").exists()
