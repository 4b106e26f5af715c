"""A survey file that was changed after it had been served: its reports are another collection's."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from teas import TEA

from sudare.collection import Collection
from sudare.collector import Store, change_life, create_app
from sudare.collector.previous_versions import earlier_definitions, load_survey, warning_of_earlier
from sudare.collector.settings import Settings
from sudare.errors import CollectionError


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


@pytest.mark.parametrize(
    ("wording", "labels"),
    [
        ('texts.en = { "how.chance" = "None." }', ""),
        ("", 'labels.en = ["Home", "Office", "Train", "train "]'),
    ],
)
def test_a_file_that_is_collected_for_goes_on_with_wordings_of_its_time(
    database, tmp_path, caplog, wording, labels
):
    """It is refused where it is new, still a draft, or asks something else."""
    wrong = "how.chance must not be replaced" if wording else "train and park alike"
    places = 'choices = ["home", "office", "train", "park"]'
    old = TEA.replace("publish_at = 1", f"publish_at = 1\n{wording}")
    old = old.replace(places, f"{places}\n{labels}")
    path = tmp_path / "tea.toml"
    path.write_text(old, "utf-8")
    with pytest.raises(CollectionError, match=wrong):
        load_survey(path, database)
    path.write_text(old.replace("publish_at = 1", "publish_at = 1\ndraft = true"), "utf-8")
    draft = Collection.load(path, served=True)
    with Store(database, [draft]):
        pass
    with pytest.raises(CollectionError, match=wrong):
        load_survey(path, database)
    change_life(draft, database, "publish")
    found = load_survey(path, database)
    assert found.fingerprint == draft.fingerprint
    assert found.page_texts == {}
    assert "'tea' goes on, but should be mended" in caplog.text
    create_app(database=database, settings=Settings(surveys=(str(path),)))
    path.write_text(old.replace("home", "kitchen"), "utf-8")
    with pytest.raises(CollectionError, match=wrong):
        load_survey(path, database)


@pytest.mark.parametrize("covers", ["steady", "any"])
def test_rounds_that_are_collected_go_on_as_they_were_published(database, tmp_path, covers):
    """Versions before 0.3 stated more of answers that change: another definition."""
    path = tmp_path / "weekly.toml"
    path.write_text(
        '[collection]\nname = "weekly"\nepsilon = 2.0\nopens = 2026-12-01T00:00:00Z\n'
        f'repeats = {{ every = "weekly", rounds = 3, covers = "{covers}" }}\n'
        '[[question]]\nid = "tea"\ntype = "choice"\ntext = "?"\nmechanism = "LSUE"\n'
        'choices = ["a", "b", "c"]\n',
        "utf-8",
    )
    now, earlier = Collection.load(path), Collection.load(path, wide=True)
    assert now.fingerprint != earlier.fingerprint
    assert load_survey(path, database).fingerprint == now.fingerprint
    with Store(database, [earlier]):
        pass
    assert load_survey(path, database).fingerprint == earlier.fingerprint
    path.write_text(path.read_text("utf-8").replace('"c"', '"d"'), "utf-8")
    assert load_survey(path, database).fingerprint == Collection.load(path).fingerprint
