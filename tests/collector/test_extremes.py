"""Extreme values of every parameter: an answer that holds, or a refusal; never a fault."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from invited import SHELF
from jsonschema import Draft202012Validator
from within import Within

from sudare.cli.answering import HonestReports
from sudare.collection import Collection
from sudare.collection.drafting import draft
from sudare.collection.questions import question_types
from sudare.collection.upload import API
from sudare.collector import create_app
from sudare.collector.exporting import figure_records
from sudare.collector.operator_api.opening import open_register
from sudare.collector.results import confidence_of, results_json
from sudare.collector.routes import CONFIDENCE
from sudare.collector.tallies import Snapshot
from sudare.errors import DomainError, SudareError
from sudare.estimation.confidence import LEAST
from sudare.exact import Entropy
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered
from sudare.operators import SCOPES, Tokens, tables
from sudare.refusal import Refusal

TYPES = [name for name, one in question_types().items() if one.template]
TEXTS = [
    *("0", "-0", "1", "2", "-0.5", "0.0", "1.0", "nan", "inf", "-inf", "", "  ", "x", "0.5 ", "½"),
    *("1e-17", "1e-99", "9.999999999999999e-17", "5e-324", "1e-324", "1e400", "0x1p-60", "1_0e-3"),
    *("0." + "0" * 14 + "1", "0." + "9" * 15, "0." + "9" * 17, "0." + "9" * 400, ".5", "0.95"),
    *(
        "0.5e-9",
        "1e-1",
        "1.5",
        "9e-16",
        "1e-16",
        "1e-15",
        "1e-08",
        "0,95",
        "٠.٥",
        "0.5\0",
        "1" * 400,
    ),
]


LEVELS = (5e-324, 1e-17, 2**-53, LEAST, 1e-9, 0.5, 1 - 2**-53)
NAMES = [one.name for one in registered(Mechanism)]


def texts(kind: str) -> Iterator[str]:
    """Yield surveys with a question of a type: as it is by itself, and with each mechanism."""
    text = draft("some", [kind])
    yield text
    for name in NAMES if kind != "words" else ():  # its search takes a minute with them all
        with suppress(SudareError):
            own = text.replace(f'type = "{kind}"', f'type = "{kind}"\nmechanism = "{name}"')
            Collection.from_toml(own).definition()
            yield own


def shown(collection: Collection, n: int) -> Snapshot:
    made = HonestReports(collection, Entropy(b"e" * 32))
    counts = collection.tally(b"".join(made.submission().payload for _ in range(n)))
    return Snapshot(counts, (None,) * len(counts), None, False, collection.tally(b""))


def test_every_text_of_a_confidence_is_read_or_refused() -> None:
    taken = set()
    for text in TEXTS:
        try:
            taken.add(confidence_of({"confidence": text}))
        except Refusal as refusal:
            assert refusal.status == 400
    assert min(taken) == LEAST
    assert max(taken) < 1
    pattern = re.compile(CONFIDENCE["schema"]["pattern"])
    for text in TEXTS:
        with suppress(Refusal):
            confidence_of({"confidence": text})
            assert pattern.search(text), text


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_estimated_at_every_confidence(kind: str) -> None:
    for text in texts(kind):
        collection = Collection.from_toml(text)
        for n in (0, 1, 30):
            figures = shown(collection, n)
            for level in LEVELS:
                try:
                    told = results_json(collection, figures, target="population", confidence=level)
                    figure_records(collection, told, None)
                except DomainError as error:
                    assert (error.argument, level < LEAST) == ("confidence", True), text
                else:
                    json.dumps(told, allow_nan=False)


PARTS = [
    *(
        "%00",
        "a%00b",
        "%ff",
        "%ed%a0%80",
        "..",
        "%2e%2e%2fa",
        "'--",
        "%0a",
        "%c3%a9",
        "%",
        "tea%00",
    ),
    *("x" * 3000, "0", "-1", "nan", "tea%20", "%7Bname%7D", "*", "constructor", "%F0%9F%8D%B5"),
]
VALUES = [
    *(
        "",
        "0",
        "-1",
        "1",
        "00",
        "1e3",
        "nan",
        "inf",
        "x",
        "%00",
        "a%00b",
        "%ff",
        "%ed%a0%80",
        "%0a",
    ),
    *("9" * 15, "9" * 16, "9" * 400, "1.5", "%D9%A1", "+1", " 1", "'--", ",", ",,", "brand,brand"),
    *("brand,place", "constructor", "x" * 3000, "true", "null", "[]", "%C2%BD"),
]

FIELDS: list[object] = [
    *("", "\0", "a\0b", "\ud800", "x" * 3000, "nan", "1", None, True, 0, -1, 10**30, 1.5, [], {}),
    *([""], ["\0"], [[]], ["read"], {"\0": 1}, "2027-02-30T00:00:00Z", "9999-12-31T23:59:59-23:59"),
]


@pytest.mark.parametrize(
    ("parts", "values", "fields"),
    [
        (("%00",), ("%00",), ("\0",)),
        pytest.param(PARTS, VALUES, FIELDS, marks=pytest.mark.slow),  # 5,000 requests: ten seconds
    ],
)
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_no_part_and_no_parameter_of_an_address_is_a_fault(
    tea: Collection,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    store: str,
    parts: Sequence[str],
    values: Sequence[str],
    fields: Sequence[object],
) -> None:
    place = tmp_path / "x.sqlite3" if store == "sqlite" else request.getfixturevalue("address")
    with open_register(place) as register:
        tables.METADATA.drop_all(register._engine)
        token = Tokens(register).issue("root", SCOPES)
    given = {"authorization": f"Bearer {token}"}
    with Within(create_app([tea, SHELF], place)) as collector:
        told = collector.request("GET", f"{API}/openapi.json").json

        def ask(method: str, address: str, body: bytes = b"{}") -> None:
            body = body if method in ("POST", "PUT") else b""
            answer = collector.request(method, address, body, given)
            assert answer.status < 500, (method, address, answer.body)
            said = operations[method.lower()]["responses"].get(str(answer.status))
            kind = answer.header("content-type").partition(";")[0]
            if said is None:  # the address is another one, or none
                assert (answer.status, set(answer.json)) == (404, {"error"}), (method, address)
            elif kind == "application/json":
                schema = said["content"][kind]["schema"] | {"components": told["components"]}
                Draft202012Validator(schema).validate(answer.json)

        path = f"{API}/operator/collections/shelf/invites"
        made = collector.request("POST", path, {"number": 3}, given).json
        assert (made["issued"], made["spent"]) == (3, 0)
        for path, operations in told["paths"].items():
            for method in ("get", "post", "put", "delete"):
                if method not in operations:
                    continue
                for part in parts if "{" in path else ():
                    ask(method.upper(), re.sub(r"\{\w+\}", part, path))
                for name in ("tea", "shelf"):
                    ask(method.upper(), path.replace("{name}", name))
                known = operations[method].get("parameters", ())
                takes = operations[method].get("requestBody", {"content": {}})["content"]
                for field in (
                    takes.get("application/json", {}).get("schema", {}).get("properties", ())
                ):
                    for value in fields:
                        body = json.dumps({field: value}).encode()
                        ask(method.upper(), path.replace("{name}", "tea"), body)
                own = path.replace("{name}", "shelf")
                for one in known if method == "get" else ():
                    for value in values:
                        ask("GET", f"{own}?{one['name']}={value}")
                        ask("GET", f"{own}?{one['name']}=1&{one['name']}={value}")
