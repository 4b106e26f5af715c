"""``sudare release --dry-run``: what asking would charge, and no question put to the data."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sudare.ledger import Ledger
from sudare.release.private_data import PrivateData
from tests.cases import cases

CANARY = "kanarienvogel"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rows = [f"{i % 101},{'fm'[i % 2]}" for i in range(200)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["score,sex", *rows, f"77,{CANARY}"]) + "\n")
    return path


def test_what_is_told_is_paid(
    sudare: Any, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        ledger.open("people", epsilon=1)
        before = ledger.events()
    asked = [people, "--ask", "mean:score", "--ask", "histogram:sex=f,m", "--bounds", "score=0,100"]
    paying = ["--epsilon", "0.4", "--split", "1,3", "--ledger", path, "--account", "people"]

    def refuse(*_: Any) -> Any:
        raise AssertionError("the data were read, or noise was drawn")

    with monkeypatch.context() as patch:
        for name in ("parts", "total", "counts", "power_sums"):
            emptied = getattr(PrivateData, name)

            def of_none(self: PrivateData, *of: Any, _known: Any = emptied, **how: Any) -> Any:
                assert not any(one.size for one in self.columns.values()), "rows were read"
                return _known(self, *of, **how)

            patch.setattr(PrivateData, name, of_none)
        patch.setattr(PrivateData, "entropy", property(refuse))
        status, text, error = sudare("release", *asked, *paying, "--dry-run", "--json")
        assert (status, error) == (0, "")
        told = json.loads(text)
        assert CANARY not in text
        with pytest.raises(AssertionError, match="rows were read"):
            sudare("release", *asked, *paying)
    assert [one["charged"] for one in told["told"]] == [{"people": "0.1"}, {"people": "0.3"}]
    with Ledger(path) as ledger:
        assert ledger.events() == before
    status, text, _ = sudare("release", *asked, *paying, "--json")
    answers = json.loads(text)
    with Ledger(path) as ledger:
        assert ledger.account("people").remaining == Fraction(told["remaining"]["people"])
    drawn = {one["table"]: one["bound"] for one in answers["answers"]}
    assert list(drawn.values()) == [one["bound"] for one in told["told"]]
    status, text, _ = sudare("release", *asked, *paying, "--reuse", "--dry-run")
    assert status == 0
    assert text.count("nothing: on record") == 2
    status, _, error = sudare("release", *asked, *paying[:1], 5, *paying[2:], "--dry-run")
    assert (status, "budget of people does not cover" in error) == (2, True)


def test_bounds_that_depend_on_private_rows(sudare: Any, people: Path) -> None:
    asked = [people, "--bounds", "score=0,100", "--epsilon", 1, "--dry-run"]
    select = ["--sql", "SELECT AVG(score) AS m FROM data WHERE sex = 'f'"]
    status, text, _ = sudare("release", *asked, *select)
    assert (status, "say about how many (--rows)" in text.replace("\n", " ")) == (0, True)
    status, text, _ = sudare("release", *asked, *select, "--rows", 100, "--json")
    (one,) = json.loads(text)["told"]
    assert (one["question"], one["bound"] < 20, one["unbounded"]) == ("m", True, None)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--dry-run", "--rows", "0"], "--rows"),
        (["--dry-run", "--rows", "1.5"], "--rows"),
        (["--rows", "5"], "--rows"),
        (["--dry-run", "--out", "x"], "--out"),
        (["--dry-run", "--confidence", "1"], "--confidence"),
        (["--dry-run", "--ask", "mean:nothing"], "column"),
        (["--dry-run", "--ledger", "nowhere.db"], "ledger"),
    ],
)
def test_bad_input(sudare: Any, people: Path, more: list[str], named: str) -> None:
    asked = [people, "--ask", "mean:score", "--bounds", "score=0,100", "--epsilon", 1]
    status, _, error = sudare("release", *asked, *more)
    assert (status, named in error, CANARY in error) == (2, True, False)


def test_a_definition_before_there_is_a_ledger(sudare: Any, people: Path, tmp_path: Path) -> None:
    """Whoever wants to know a price first has not paid, and makes no file."""
    told = (
        'name = "people"\nfile = "people.csv"\n[budget]\nepsilon = 2\n[bounds]\nscore = [0, 100]\n'
    )
    (tmp_path / "people.toml").write_text(told)
    ledger = tmp_path / "ledger.db"
    asked = [tmp_path / "people.toml", "--ledger", ledger, "--dry-run", "--json"]
    status, text, error = sudare("release", *asked, "--ask", "mean:score", "--epsilon", "0.5")
    assert (status, "does not exist yet" in error, ledger.exists()) == (0, True, False)
    assert json.loads(text)["remaining"] == {"people": "1.5"}
    status, _, error = sudare("release", *asked, "--ask", "mean:score", "--epsilon", 3)
    assert (status, "does not cover" in error, ledger.exists()) == (2, True, False)
    cells = ["--synthetic", "score=0,50,100", "--synthetic", "sex=f,m"]
    status, text, _ = sudare("release", *asked, *cells, "--epsilon", 1)
    (one,) = json.loads(text)["told"]
    assert (status, one["charged"], one["bound_in"]) == (0, {"people": "1.0"}, "rows")
    assert (one["bound"] > 0, ledger.exists()) == (True, False)


@cases(
    "asked, named",
    [
        (["--ask", "men:score"], "must be a question"),
        (["--sql", "SELECT AVG(score) AS m FROM data ORDER BY m"], "ORDER BY"),
        (["--sql", "SELECT AVG(score) FROM (SELECT score FROM data)"], "subquery"),
    ],
)
def test_what_is_no_question_is_refused_before_the_data_are_read(
    sudare: Any, tmp_path: Path, asked: list[str], named: str
) -> None:
    told = 'name = "people"\nfile = "not-there.parquet"\n[budget]\nepsilon = 2\n'
    (tmp_path / "people.toml").write_text(told)
    paying = ["--epsilon", 1, "--ledger", tmp_path / "ledger.db"]
    status, _, error = sudare("release", tmp_path / "people.toml", *asked, *paying)
    assert (status, named in error, (tmp_path / "ledger.db").exists()) == (2, True, False)
