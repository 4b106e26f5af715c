"""``sudare release --table``: tables about the same persons, joined by a SELECT."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CANARY = "kanarienvogel"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    visits, people = tmp_path / "visits.csv", tmp_path / "people.csv"
    rows = [f"{i // 2},{i % 2 * 100}" for i in range(2000)]
    visits.write_text("\n".join(["person,cost", *rows, f"{CANARY},50"]) + "\n")
    about = [f"{i},{'fm'[i % 2]}" for i in range(1000)]
    people.write_text("\n".join(["id,sex", *about]) + "\n")
    return visits, people


SELECT = (
    "SELECT sex, COUNT(*) AS n, AVG(cost) AS mean FROM visits v JOIN people p ON v.person = p.id "
    "WHERE sex IN ('f', 'm') GROUP BY sex"
)


def test_a_select_joins_files(sudare: Any, files: tuple[Path, Path]) -> None:
    visits, people = files
    asked = [visits, "--table", f"people:id={people}", "--unit", "person=2", "--sql", SELECT]
    asked += ["--bounds", "cost=0,100", "--epsilon", "10000", "--json"]
    status, text, error = sudare("release", *asked)
    assert (status, error) == (0, "")
    assert [one["n"] for one in json.loads(text)["rows"]] == [1000, 1000]
    assert CANARY not in text
    status, text, _ = sudare("release", *asked, "--dry-run")
    assert status == 0
    assert [one["charged"] for one in json.loads(text)["told"]] == [{"budget": "5000.0"}] * 2


@pytest.mark.parametrize(
    "wrong", [["--table", "people"], ["--table", "people:sex=PEOPLE"], ["--table", "people=PEOPLE"]]
)
def test_tables_that_do_not_fit_end_with_a_line(
    sudare: Any, files: tuple[Path, Path], wrong: list[str]
) -> None:
    visits, people = files
    given = [one.replace("PEOPLE", str(people)) for one in wrong]
    asked = ["--sql", SELECT, "--bounds", "cost=0,100", "--epsilon", "1"]
    for unit in (["--unit", "person=2"], []):
        if unit and "sex" in wrong[1]:
            continue  # text too: another table, whose persons nobody is
        status, text, error = sudare("release", visits, *given, *unit, *asked)
        assert (status, text) == (2, "")
        assert error.count("\n") <= 2
        assert CANARY not in error
