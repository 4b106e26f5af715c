"""Calls about survey files: looked at, kept as drafts, published."""

from __future__ import annotations

from typing import Any, Literal

from sudare.collection import Collection
from sudare.collection.checking import advice
from sudare.collection.wordings import replaced
from sudare.collector.lifecycle_commands import change_life
from sudare.collector.operator_api.api import OperatorAPI, unknown
from sudare.collector.operator_api.opening import parsed
from sudare.collector.operator_api.request import OperatorRequest
from sudare.collector.operator_api.surveys import detail
from sudare.errors import CollectionError, DomainError, MissingExtraError, SudareError
from sudare.exact import decimal_text
from sudare.planning.survey import plan_question
from sudare.refusal import Refusal

MOST_TEXT = 500_000
"""Characters of a survey file."""

Changes = Literal["new", "nothing", "texts", "version"]


def check(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Look at a survey file; nothing is kept."""
    text, n = call.fields("text", "n")
    return checked(desk, _collection(desk, call, text), n)


def get(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Return a survey file as edited and as served; compiled, where a file of the server has it."""
    name = call.name or ""
    text, served = desk.texts.find(name), desk.served(name)
    if served is None and text.edited is None:
        raise desk.missing(name)
    edited = text.served if text.edited is None else text.edited
    told = {
        "name": name,
        "text": edited,
        "served": text.served,
        "editable": name not in desk.files,
        "file": desk.files.get(name) or None,
    }
    return told if edited is not None or served is None else {**told, "compiled": served.compiled()}


def put(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Keep a survey file as a draft, or as a change that takes effect once it is published."""
    text = call.text("text")
    collection = _collection(desk, call, text)
    if collection.name != call.name:
        raise CollectionError("collection.name", "must be that of the address", "write it there")
    _require_editable(desk, collection.name)
    told = checked(desk, collection, None)
    desk.note(call, "edit", changes=told["changes"], **_replaced(collection))
    desk.texts.edit(collection.name, text)
    return told


def drop(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Throw a change away that was not published."""
    name = call.name or ""
    if desk.texts.find(name).edited is None:
        raise unknown()
    desk.note(call, "drop the edit")
    desk.texts.edit(name, None)
    return {}


def publish(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Publish a draft, or what has been edited since."""
    call.fields()
    name = call.name or ""
    text = desk.texts.find(name).edited
    if text is None:
        collection = desk.collection(call)
        desk.note(call, "publish")
        change_life(collection, desk.database, "publish", clock=desk.service.clock)
    else:
        _require_editable(desk, name)
        collection = _collection(desk, call, text)
        told = _changes(desk, collection)
        stated = {"changes": told, "fingerprint": collection.fingerprint}
        desk.note(call, "publish", **stated, **_replaced(collection))
        desk.texts.serve(name, text)
    desk.relearn()
    return detail(desk, name)


def checked(desk: OperatorAPI, collection: Collection, n: object) -> dict[str, Any]:
    """Return what can be said about a survey before it is served."""
    people = collection.expected_respondents if n is None else _people(n)
    plan: list[Any] | None
    try:
        plan = [plan_question(one, people).to_json() for one in collection.questions]
    except (MissingExtraError, DomainError):
        plan = None
    return {
        "name": collection.name,
        "fingerprint": collection.fingerprint,
        "epsilon": decimal_text(collection.epsilon),
        "languages": collection.languages,
        "questions": {one.id: one.type for one in collection.questions},
        "warnings": [one.to_json() for one in advice(collection)],
        "changes": _changes(desk, collection),
        "compiled": collection.compiled(),
        "n": people,
        "plan": plan,
    }


def _replaced(collection: Collection) -> dict[str, Any]:
    """Return which of the pages' texts the owner has written, for the record."""
    keys = [f"{one}.{key}" for one, own in replaced(collection.page_texts).items() for key in own]
    return {"replaced": keys} if keys else {}


def _people(n: object) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 1 << 40:
        raise DomainError("n", "must be a whole number of respondents", "such as 1000")
    return n


def _changes(desk: OperatorAPI, collection: Collection) -> Changes:
    served = desk.served(collection.name)
    if served is None:
        return "new"
    if served.fingerprint != collection.fingerprint:
        return "version"
    same = served.compiled()["texts"] == collection.compiled()["texts"]
    return "nothing" if same else "texts"


def _collection(desk: OperatorAPI, call: OperatorRequest, text: object) -> Collection:
    """Return the collection of a survey file that this operator may have served."""
    if not isinstance(text, str) or len(text) > MOST_TEXT:
        raise DomainError("text", "must be the text of a survey file", "in TOML")
    try:
        collection = parsed(text, new=True)
    except SudareError as error:
        raise Refusal(400, error) from error
    name = collection.name
    if name in desk.taken:
        rule = "must not be the name of a data set that is served here"
        raise CollectionError("collection.name", rule, "choose another", got=name)
    if not call.rights.covers(name):
        raise unknown()
    if any(
        one.fingerprint == collection.fingerprint and desk.service.stage(one) == "deleted"
        for one in desk.service.store.versions(name)
    ):
        raise CollectionError(
            "collection.name", "is that of this survey, which was deleted here", "choose another"
        )
    return collection


def _require_editable(desk: OperatorAPI, name: str) -> None:
    if name in desk.files:
        file = desk.files[name]
        raise CollectionError(
            "collection",
            f"is defined by {file}, a file of the server" if file else "is defined by the server",
            "change it there, and start the server again; its stages and times change here",
        )
