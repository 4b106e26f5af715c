"""A survey file that was changed after it had been served: its reports are another collection's."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sudare.collector import Store
from sudare.collector.earlier import earlier_definitions, warning_of_earlier


def test_an_earlier_definition_is_told(tea, database, tmp_path):
    changed = replace(tea, epsilon_cap=tea.epsilon_cap + Fraction(1))
    assert earlier_definitions(tea, database) == []
    with Store(database, [tea]):
        assert earlier_definitions(tea, database) == []
        assert earlier_definitions(changed, database) == [tea.fingerprint]
    assert warning_of_earlier(tea, database) is None
    assert "another definition" in (warning_of_earlier(changed, database) or "")
    assert earlier_definitions(replace(changed, name="coffee"), database) == []


def test_what_is_no_database_tells_nothing(tea, tmp_path):
    other = tmp_path / "text.sqlite3"
    other.write_text("not a database", "utf-8")
    for path in (other, tmp_path, tmp_path / "absent" / "x.sqlite3", 3):
        assert earlier_definitions(tea, path) == []
