"""``sudare load``: as many respondents as asked for, counted and measured."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from sudare.cli import main
from sudare.collection import Collection
from sudare.collector import BackgroundCollector, Store, own_view
from tests.cases import cases

SURVEY = """
[collection]
name = "mixed"
epsilon = 4.0
publish_at = 1
[[question]]
id = "brand"
type = "choice"
text = "Which?"
choices = ["a", "b", "c"]
[[question]]
id = "age"
type = "number"
text = "How old?"
low = 0
high = 120
"""


@pytest.mark.parametrize("more", [[], ["--batch"]], ids=["singles", "batches"])
def test_everybody_is_counted(tmp_path, capsys, more):
    own, database = Collection.from_toml(SURVEY), tmp_path / "x.sqlite3"
    with BackgroundCollector([own], database) as running:
        words = ["load", f"{running.url}/mixed", "-n", "60", "--connections", "4", *more]
        assert main([*words, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert main(words) == 0
        assert "60 of 60 reports" in capsys.readouterr().out
    assert told["acknowledged"] == 60
    assert told["statuses"] == {"202": 1 if more else 60}
    assert told["ratio"] > 0
    with Store(database, [own]) as store:
        assert store.counts(own.fingerprint).result()[0].n == 120


@cases("more", [[], ["--batch"]])
def test_a_survey_in_rounds_is_answered_in_the_one_of_now(tmp_path, capsys, more):
    opens = (datetime.now(UTC) - timedelta(days=10)).isoformat(timespec="seconds")
    rounds = f'opens = {opens}\nrepeats = {{ every = "weekly", rounds = 3 }}\n'
    text = SURVEY.partition('[[question]]\nid = "age"')[0]
    own = Collection.from_toml(text.replace("publish_at", rounds + "publish_at"))
    with BackgroundCollector([own], tmp_path / "x.sqlite3") as running:
        assert main(["load", f"{running.url}/mixed", "-n", "20", *more, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["acknowledged"] == 20
    with Store(tmp_path / "x.sqlite3", [own, *own.rounds]) as store:
        assert store.counts(own.rounds[1].fingerprint).result()[0].n == 20


@cases(
    "words, said",
    [
        (["http://127.0.0.1:9/tea"], "cannot be reached"),
        (["http://127.0.0.1:9/tea", "-n", "0"], "-n must be"),
        (["http://127.0.0.1:9/"], "must name a collection"),
        (["http://192.0.2.1/tea"], "must be of this machine"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_line(capsys, words, said):
    assert main(["load", *words]) == 2
    assert said in capsys.readouterr().err


def test_answers_are_drawn_as_a_file_says(tmp_path, capsys):
    """A choice of one answer, and a word that half of the people write: it is found."""
    words = '[[question]]\nid = "dish"\ntype = "text"\ntext = "?"\nlongest = 2\nalphabet = "kana"\n'
    own = Collection.from_toml(SURVEY.replace("4.0", "12.0\naccept_high_epsilon = true") + words)
    file = tmp_path / "answers.json"
    file.write_text(
        '{"brand": [["b", 1]], "dish": [["すし", 3], ["prefer-not-to-say", 1]]}', "utf-8"
    )
    with BackgroundCollector([own], tmp_path / "x.sqlite3") as running:
        said = ["load", f"{running.url}/mixed", "--batch", "--seed", "1", "--json"]
        assert main([*said, "-n", "50"]) == 0
        assert main([*said, "-n", "500", "--answers", str(file)]) == 0
        for wrong in ("[]", '{"tea": []}', '{"brand": [["d", 1]]}', '{"brand": [["a", -1]]}', "{"):
            file.write_text(wrong, "utf-8")
            assert main([*said, "-n", "5", "--answers", str(file)]) == 2
    assert "answers" in capsys.readouterr().err
    view = own_view(own, tmp_path / "x.sqlite3")
    brand = own.questions[0].results(view.stored.counts[0], "population", 0.95)
    dish = own.questions[2].results(view.stored.counts[2], "population", 0.95)
    assert brand["cells"][1]["share"] > 0.8
    assert [one["word"] for one in dish["words"]] == ["すし"]
