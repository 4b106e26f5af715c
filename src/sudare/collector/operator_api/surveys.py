"""Calls about collections as a whole: the list, their stages, their end, their invites."""

from __future__ import annotations

from typing import Any

from sudare.collection.schema import moment_text
from sudare.collector.erasing import beyond
from sudare.collector.issuing import count_invites, issuing
from sudare.collector.lifecycle import COMMANDS, Standing
from sudare.collector.lifecycle_commands import change_life
from sudare.collector.operator_api.api import OperatorAPI, unknown
from sudare.collector.operator_api.opening import parsed
from sudare.collector.operator_api.request import OperatorRequest, as_moment
from sudare.errors import DomainError, as_one_of
from sudare.exact import decimal_text
from sudare.operators.texts import VISIBILITIES, Text

MOST_INVITES = 10_000
"""Of one call: a page prints them."""


def listed(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """List all collections that there are for the caller, drafts too."""
    texts = desk.texts.all()
    whole = (one.name for one in desk.service.collections.values() if one.round is None)
    names = sorted({*texts, *whole})
    found = []
    for name in names:
        text = texts.get(name, Text(None, None))
        known = desk.served(name) is not None or text.edited is not None
        if known and call.rights.covers(name):
            found.append(item(desk, name, text))
    return {"collections": found}


def collection_state(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Tell where a collection stands, how it came there, and what may follow."""
    return detail(desk, call.name or "")


def detail(desk: OperatorAPI, name: str) -> dict[str, Any]:
    """Return an item of the list with all that belongs to it."""
    text, served = desk.texts.find(name), desk.served(name)
    if served is None and text.edited is None:
        raise desk.missing(name)
    told = item(desk, name, text)
    stage = told["stage"]
    commands = [one for one, stages in COMMANDS.items() if stage in stages]
    if text.edited is not None and "publish" not in commands:
        commands.insert(0, "publish")
    changes = () if served is None else desk.view(served).history
    versions = [] if served is None else desk.service.store.versions(name)
    return {
        **told,
        "commands": commands,
        "history": [_change(one) for one in changes],
        "versions": [
            {
                "fingerprint": one.fingerprint,
                "stage": desk.service.stage(one),
                "n": desk.service.store.public(one.fingerprint).n,
            }
            for one in versions
        ],
    }


def item(desk: OperatorAPI, name: str, text: Text) -> dict[str, Any]:
    """Return what the list says of a collection."""
    served = desk.served(name)
    parts = () if served is None else desk.service.rounds(served) or (served,)
    # reports of a survey in rounds are kept under each round, none under the survey itself
    views = [desk.view(part) for part in parts]
    view = views[0] if views else None
    collection = served if served is not None else parsed(text.edited or "")
    stage = "draft" if served is None else desk.service.stage(served)
    invites = None if view is None or view.stored.invites is None else view.stored.invites
    return {
        "name": name,
        "title": dict(collection.title),
        "languages": collection.languages,
        "stage": stage,
        "opens": moment_text(collection.opens),
        "closes": moment_text(collection.closes),
        "visibility": desk.service.visibility(name),
        "fingerprint": collection.fingerprint,
        "epsilon": decimal_text(collection.epsilon),
        "expected": collection.expected_respondents,
        "stored": sum(each.stored.n for each in views) if views else None,
        "public": sum(each.public.n for each in views) if views else None,
        "invited": collection.invited,
        "invites": None if invites is None else invites._asdict(),
        "edited": text.edited is not None and text.edited != text.served,
        "editable": name not in desk.files,
        "survey": f"/{name}",
        "results": f"/{name}/results",
    }


def open_(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Open a published collection now, or a closed one again."""
    return _change_by(desk, call, "open", "until")


def close(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """End a collection now."""
    return _change_by(desk, call, "close")


def extend(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Move a collection's end."""
    return _change_by(desk, call, "extend", "until")


def _change_by(desk: OperatorAPI, call: OperatorRequest, command: str, *known: str) -> Any:
    given = call.fields(*known)
    until = as_moment(given[0], "until") if given else None
    collection = desk.collection(call)
    desk.note(call, command, **({"until": moment_text(until)} if until else {}))
    change_life(collection, desk.database, command, until, clock=desk.service.clock)
    desk.relearn()
    return detail(desk, collection.name)


def delete(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Delete all versions of a collection for good, or a draft that was never published."""
    name = call.name or ""
    served, text = desk.served(name), desk.texts.find(name)
    if served is None and text.edited is None:
        raise unknown()
    desk.note(call, "delete")
    deleted = {"reports": 0, "invites": 0}
    if served is not None:
        changed = change_life(served, desk.database, "delete", clock=desk.service.clock)
        deleted = changed.deleted
    desk.texts.forget(name)
    desk.relearn()
    return {"name": name, "stage": "deleted", "deleted": deleted, "beyond": beyond(desk.database)}


def show(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Say who sees a collection's results."""
    chosen = as_one_of(call.text("visibility"), "visibility", VISIBILITIES)
    name = call.name or ""
    if desk.served(name) is None and desk.texts.find(name).edited is None:
        raise unknown()
    desk.note(call, "visibility", visibility=chosen)
    desk.texts.show(name, chosen)
    desk.relearn()
    return detail(desk, name)


def invites(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Tell how many invites there are, and how many are spent."""
    return count_invites(desk.collection(call), desk.database)._asdict()


def new_invites(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Make invites, which are told this once."""
    (number,) = call.fields("number")
    collection = desk.collection(call)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_INVITES:
        raise DomainError("number", f"must be 1 to {MOST_INVITES:,}", "ask again for more")
    count_invites(collection, desk.database)
    desk.note(call, "invites", number=number)
    with issuing(collection, desk.database, number) as (codes, counts):
        links = [f"/{collection.name}#{code}" for code in codes]
        return {"codes": codes, "links": links, **counts._asdict()}


def _change(standing: Standing) -> dict[str, Any]:
    return {
        "at": moment_text(standing.at),
        "act": standing.act,
        "state": standing.state,
        "opens": moment_text(standing.opens),
        "closes": moment_text(standing.closes),
    }
