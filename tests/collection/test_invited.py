"""Codes as people type them, tickets on a device, and a definition that asks those invited."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

import sudare as sd
from sudare.collection import Submission, Tickets
from sudare.collection.invite import read_code, write_code
from tests.cases import cases

TEXT = """
[collection]
name = "shelf"
epsilon = 2.0
epsilon_cap = 4.0
admission = "invited"
[[question]]
id = "teas"
type = "ratings"
text = "?"
items = ["green", "black", "oolong"]
[[question]]
id = "daily"
type = "choice"
text = "?"
choices = ["yes", "no"]
"""
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE = write_code(bytes(16))


def invited() -> sd.Collection:
    return sd.Collection.from_toml(TEXT)


def opened() -> sd.Collection:
    return sd.Collection.from_toml(TEXT.replace('admission = "invited"\n', ""))


# -- codes -------------------------------------------------------------------------------------


@given(st.binary(min_size=16, max_size=16))
def test_a_code_is_read_as_it_is_written(code: bytes) -> None:
    text = write_code(code)
    assert len(text) == 34
    assert read_code(text) == code
    sloppy = text.lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert read_code(sloppy) == code
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else "ー" for c in text)
    assert read_code(wide) == code


@given(st.binary(min_size=16, max_size=16), st.integers(0, 27), st.sampled_from(DIGITS))
def test_one_wrong_digit_is_no_code(code: bytes, place: int, digit: str) -> None:
    text = write_code(code).replace("-", "")
    wrong = text[:place] + digit + text[place + 1 :]
    if wrong != text:
        with pytest.raises(sd.CollectionError, match="slip"):
            read_code(wrong)


@given(st.binary(min_size=16, max_size=16), st.integers(0, 26))
def test_neighbours_exchanged_are_no_code(code: bytes, place: int) -> None:
    text = write_code(code).replace("-", "")
    wrong = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    if wrong != text:
        with pytest.raises(sd.CollectionError, match="slip"):
            read_code(wrong)


@cases(
    "bad", ["", "x", CODE[:-1], CODE + "0", "U" + CODE[1:], "0" * 27 + "\ud800", "0" * 10**6, "\0"]
)
def test_what_is_no_code_is_refused_and_not_shown(bad: str) -> None:
    with pytest.raises(sd.CollectionError) as caught:
        read_code(bad)
    assert not bad or bad not in str(caught.value)


@cases("bad", [None, 5, b"0" * 28, ["0"], float("nan"), True])
def test_what_is_no_text_is_no_code(bad: Any) -> None:
    with pytest.raises(sd.WrongTypeError, match="invite"):
        read_code(bad)


def test_each_code_has_one_text() -> None:
    """A second check number for one code would be a second spelling of it."""
    number = 0
    for digit in CODE.replace("-", ""):
        number = number << 5 | DIGITS.index(digit)
    assert number % 4093 == 0
    other = "".join(DIGITS[number + 4093 >> 5 * place & 31] for place in reversed(range(28)))
    with pytest.raises(sd.CollectionError):
        read_code(other)


# -- the definition ----------------------------------------------------------------------------


def test_admission_is_in_the_fingerprint_only_where_it_is_set() -> None:
    stated = sd.Collection.from_toml(TEXT.replace('"invited"', '"open"'))
    assert opened().fingerprint == stated.fingerprint != invited().fingerprint
    assert "admission" not in opened().definition()
    assert invited().definition()["admission"] == "invited"


def test_the_compiled_document_keeps_it() -> None:
    again = sd.Collection.from_compiled(invited().compiled())
    assert again.invited
    assert again.fingerprint == invited().fingerprint


@cases("value", ["Invited", "", None, True, 5, ["invited"], float("nan")])
def test_other_admissions_are_refused(value: Any) -> None:
    text = TEXT.replace('"invited"', '"Invited"')
    with pytest.raises(sd.CollectionError, match=r"collection\.admission"):
        sd.Collection.from_toml(text)
    document = opened().compiled()
    definition = document["definition"] | {"admission": value}
    from sudare.collection.canonical import fingerprint

    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(
            document | {"definition": definition, "fingerprint": fingerprint(definition)}
        )


# -- on the device -----------------------------------------------------------------------------


@cases("index", [0, 1, 2])
def test_the_report_is_about_what_the_ticket_says(index: int) -> None:
    c = invited()
    item = c.questions[0].items[index]
    for level in (None, 1, 5):
        sent = sd.Client(c).answer(
            {"teas": {item: level}, "daily": "yes"}, Tickets(CODE, {"teas": index})
        )
        assert sent.payload[0] == index
        assert sent.invite == CODE
        assert set(sent.to_json()) == {"fingerprint", "id", "report", "invite"}


def test_the_same_invite_sends_the_same_report() -> None:
    client = sd.Client(invited())
    answers = {"teas": {"black": None}, "daily": "no"}
    first = client.answer(answers, Tickets(CODE, {"teas": 1}))
    assert client.answer(answers, Tickets(CODE, {"teas": 1})) == first
    assert client.spent == 2
    other = client.answer({"teas": {"oolong": None}, "daily": "no"}, Tickets(CODE, {"teas": 2}))
    assert other.payload[0] == 2  # not the report about "black", though neither is had
    assert other.id != first.id
    assert client.spent == 3


@cases(
    "tickets",
    [
        None,
        {"teas": 1},
        Tickets(CODE, {}),
        Tickets(CODE, {"teas": 3}),
        Tickets(CODE, {"teas": -1}),
        Tickets(CODE, {"teas": True}),
        Tickets(CODE, {"teas": 1.0}),
        Tickets(CODE, {"teas": float("nan")}),
        Tickets(CODE, {"teas": None}),
        Tickets(CODE, {"teas": 1, "daily": 0}),
        Tickets(CODE, {"daily": 0}),
        Tickets(CODE, [1]),
        5,
    ],
)
def test_other_tickets_are_refused_and_cost_nothing(tickets: Any) -> None:
    client = sd.Client(invited())
    with pytest.raises(sd.CollectionError, match="tickets"):
        client.answer({"teas": {"black": 1}, "daily": "no"}, tickets)
    assert client.spent == 0


def test_an_open_collection_takes_none() -> None:
    client = sd.Client(opened())
    answers = {"teas": {"green": 1, "black": 2, "oolong": None}, "daily": "no"}
    with pytest.raises(sd.CollectionError, match="tickets are not needed"):
        client.answer(answers, Tickets(CODE, {"teas": 1}))
    with pytest.raises(sd.CollectionError, match="invite is not needed"):
        client.admit("http://127.0.0.1:9", CODE)
    assert client.spent == 0
    assert client.answer(answers).invite is None


def test_an_answer_about_another_item_is_refused() -> None:
    client = sd.Client(invited())
    for teas in ({"green": 1}, {"green": 1, "black": 2, "oolong": 3}, {}, None, {"black": 6}):
        with pytest.raises(sd.CollectionError, match=r"answers\.teas"):
            client.answer({"teas": teas, "daily": "no"}, Tickets(CODE, {"teas": 1}))
    assert client.spent == 0


def test_asking_nobody_is_a_clear_error() -> None:
    client = sd.Client(invited())
    with pytest.raises(sd.StorageError, match="cannot be reached"):
        client.admit("http://127.0.0.1:9", CODE)
    with pytest.raises(sd.CollectionError, match="slip"):
        client.admit("http://127.0.0.1:9", "nonsense")
    with pytest.raises(sd.WrongTypeError):
        client.admit("http://127.0.0.1:9", None)


def test_a_batch_of_invited_reports_is_refused() -> None:
    c = invited()
    sent = [Submission(c.name, c.fingerprint, "0" * 32, bytes(3), CODE)] * 2
    with pytest.raises(sd.ReportError, match="one by one"):
        sd.collection.send_batch("http://127.0.0.1:9", sent)
