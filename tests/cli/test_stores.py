"""What a command prints of a collector's database is the same JSON, whichever store holds it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudare.collection import Client, Collection
from sudare.collector import BackgroundCollector, issue_invites

Run = Callable[..., tuple[int, str, str]]
TEXT = """
[collection]
name = "shelf"
epsilon = 2.0
admission = "invited"
publish_at = 1
[[question]]
id = "teas"
type = "ratings"
text = "?"
items = ["green", "black", "oolong"]
"""
UNTIL = "2090-01-01T00:00:00Z"


def shape(value: Any) -> Any:
    """Return a document with the type in the place of each value, 1 and 1.0 apart."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    if value is None or isinstance(value, float):
        return "float or null"  # drawn reports say of each item, or not
    return [shape(one) for one in value] if isinstance(value, list) else type(value).__name__


def documents(sudare: Run, survey: Path, database: str) -> dict[str, Any]:
    """Return what every command prints with ``--json``, in the order of a collection's life."""
    found: dict[str, Any] = {}

    def run(*command: object) -> Any:
        status, text, error = sudare(*command, "--database", database, "--json")
        assert status == 0, (command, error)
        found[" ".join(map(str, command)).replace(str(survey), "survey")] = json.loads(text)
        return json.loads(text)

    collection = Collection.load(survey)
    assert len(run("invites", survey, "--number", 3)["codes"]) == 3
    (code,) = issue_invites(collection, database, 1)
    with BackgroundCollector([collection], database) as running:
        client = Client(collection)
        tickets = client.admit(running.url, code)
        item = collection.questions[0].items[tickets.index["teas"]]
        client.send(client.answer({"teas": {item: 5}}, tickets), running.url)
    assert run("invites", survey) == {"name": "shelf", "issued": 4, "spent": 1}
    run("results", survey)
    run("extend", survey, "--until", UNTIL)
    run("close", survey)
    run("open", survey, "--until", UNTIL)
    run("visibility", "shelf", "private")
    made = run("token", "new", "ann")
    run("token", "list")
    run("token", "revoke", made["id"])
    run("close", survey)
    run("delete", survey, "--yes")
    run("audit")
    return {name.replace(made["id"], "ID"): one for name, one in found.items()}


@pytest.mark.slow  # two collectors and some twenty commands: four seconds
def test_every_command_prints_the_same_json_from_both_stores(
    sudare: Run, postgres: str, tmp_path: Path
) -> None:
    import psycopg

    name = f"c{uuid.uuid4().hex}"
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    survey = tmp_path / "survey.toml"
    survey.write_text(TEXT, "utf-8")
    file = documents(sudare, survey, str(tmp_path / "shelf.sqlite3"))
    server = documents(sudare, survey, f"{postgres}/{name}")
    for each in (file, server):
        each["delete survey --yes"].pop("beyond")
    assert shape(server) == shape(file)
