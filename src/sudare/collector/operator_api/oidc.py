"""Signing in elsewhere: a page begins, the provider asks the person and sends the browser back.

What follows is a session as of any token's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.types import Receive, Scope, Send

from sudare.collector.answers import JSON, NO_STORE, respond
from sudare.collector.asgi_mount import way_up
from sudare.collector.operator_api.api import OperatorAPI, decoded, deliver
from sudare.collector.operator_api.authentication import cookie_in, cookie_of
from sudare.collector.operator_api.request import OperatorResponse
from sudare.collector.operator_api.single_sign_on import ProviderError, SingleSignOn
from sudare.collector.operator_api.waiting_line import while_connected
from sudare.collector.queries import header
from sudare.errors import DomainError
from sudare.operators import Flow, Rights
from sudare.operators.audit import SINGLE_SIGN_ON
from sudare.operators.credentials import Credential
from sudare.refusal import Headers, Refusal, unavailable

RETURN = "/operator/oidc"
"""Where the provider sends browsers back to, from where this service begins."""

COOKIES = {True: "__Host-sudare-oidc", False: "sudare-oidc"}
"""What a browser keeps of its flow, by https and without it (on this machine alone)."""

_WAY = re.compile(r"(/[A-Za-z0-9._~-]+)*" + RETURN)
_PAGE = re.compile(r"/operator(/[a-z0-9_-]+)*")
_LANGUAGE = re.compile(r"[A-Za-z0-9-]{2,35}")


async def offered(desk: OperatorAPI, scope: Scope, receive: Receive, send: Send) -> None:
    """Tell whether one can sign in elsewhere, and what the button calls it."""
    found = desk.elsewhere
    told = {"offered": found is not None, "name": "" if found is None else found.name}
    await deliver(send, OperatorResponse(told))


async def begin(desk: OperatorAPI, scope: Scope, receive: Receive, send: Send) -> None:
    """Begin: tell where the browser goes, and give it what it comes back with."""
    body = decoded(await desk.reader.read(scope, receive, 4096))
    elsewhere = _elsewhere(desk)
    secure = desk.door.is_secure(scope)
    given = [body.get(one) for one in ("redirect", "back", "language")]
    redirect, back, language = (one if isinstance(one, str) else "" for one in given)
    origin = header(scope, b"origin") or ""
    way = redirect[len(origin) :] if redirect.startswith(origin) else ""
    if not (_WAY.fullmatch(way) and _PAGE.fullmatch(back) and _LANGUAGE.fullmatch(language)):
        rule = f"must be this service's {RETURN}, back one of its pages, language a tag"
        raise Refusal(400, DomainError("redirect", rule, "as its own pages send them"))
    flow = desk.flows.begin(redirect, back, language)
    try:
        address = await elsewhere.provider.address(flow)
    except ProviderError as error:
        _tell(elsewhere, error)
        down = DomainError("provider", "cannot be reached", "try again later")
        raise unavailable(down) from None
    cookie = cookie_of(COOKIES[secure], desk.flows.seal(flow), secure=secure, site="Lax")
    await deliver(send, OperatorResponse({"to": address}, (*JSON, *cookie)))


async def finish(desk: OperatorAPI, scope: Scope, receive: Receive, send: Send) -> None:
    """Finish, and go on to the page where it began: it says why where nobody is signed in."""
    elsewhere = _elsewhere(desk)
    query = _query(scope)
    flow = _flow(desk, scope, query)
    headers: Headers = ()
    if flow is None:
        outcome = "over"
    else:
        try:
            network = desk.service.limits.wide_network(scope)
            exchange = _exchange(desk, elsewhere, flow, query, network)
            outcome, headers = await while_connected(receive, exchange)
        except ProviderError as error:
            _tell(elsewhere, error)
            outcome = error.outcome
        headers += cookie_of(COOKIES[flow.secure], "", secure=flow.secure, site="Lax")
    told = {} if flow is None else {"lang": flow.language}
    if outcome:
        told["signin"] = outcome
    page = "/operator" if flow is None else flow.back
    place = f"{way_up(scope)}{page}?{urlencode(told)}"
    await respond(send, 303, b"", ((b"location", place.encode()), *NO_STORE, *headers))


def _elsewhere(desk: OperatorAPI) -> SingleSignOn:
    if desk.elsewhere is None:
        raise Refusal(404, DomainError("provider", "is not set up here", "sign in by a token"))
    return desk.elsewhere


def _query(scope: Scope) -> Mapping[str, str]:
    """Return what is said once in the address: providers add things of their own."""
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    names = [name for name, _ in pairs]
    return {name: value for name, value in pairs if names.count(name) == 1}


def _flow(desk: OperatorAPI, scope: Scope, query: Mapping[str, str]) -> Flow | None:
    """Return the flow with which this very browser left; None where there is none."""
    for secure, name in COOKIES.items():
        flow = desk.flows.find(cookie_in(scope, name) or "", query.get("state", ""))
        if flow is not None and flow.secure == secure:
            return flow
    return None


async def _exchange(
    desk: OperatorAPI, elsewhere: SingleSignOn, flow: Flow, query: Mapping[str, str], network: bytes
) -> tuple[str, Headers]:
    """Spend a flow, ask the provider who has come back, and let them in.

    The flow is spent first: whoever comes back again and again asks the provider nothing.

    Returns:
        What the page says, nothing where they are signed in; and the headers for that.

    Raises:
        ProviderError: it vouches for nobody.
    """
    async with elsewhere.provider.line.turn(network):
        if not await desk.in_turn(lambda: desk.flows.spend(flow)):
            return "over", ()
        claims = await elsewhere.provider.claims(flow, query, elsewhere.people.lack)
        return await desk.in_turn(lambda: _admit(desk, elsewhere, flow, claims))


def _admit(
    desk: OperatorAPI, elsewhere: SingleSignOn, flow: Flow, claims: Mapping[str, Any]
) -> tuple[str, Headers]:
    """Begin the session of somebody whom the provider vouches for, if they may do anything."""
    person = elsewhere.people.person(claims)
    if elsewhere.failures.wait(person.subject):
        return "wait", ()
    rights = elsewhere.people.rights(person)
    if person.name is None:
        elsewhere.notices.warn("the claim oidc_person names nobody")
    if not rights.scopes:
        elsewhere.failures.note(person.subject)
        desk.door.sessions.end_others(person, every=True)
        if person.name is not None:
            _note(desk, rights, "sign in refused", person.subject)
        return "rights", ()
    elsewhere.failures.forget(person.subject)
    drawn = Credential.draw()  # the record has its id before it begins
    _note(desk, rights, "sign in", person.subject, f"session {drawn.id}")
    _, cookie = desk.door.sign_in(rights, secure=flow.secure, person=person, drawn=drawn)
    return "", cookie


def _note(
    desk: OperatorAPI, rights: Rights, act: str, subject: str, via: str = SINGLE_SIGN_ON
) -> None:
    desk.audit.add(rights, act, detail={"by": "oidc", "subject": subject}, via=via)


def _tell(elsewhere: SingleSignOn, error: ProviderError) -> None:
    """Tell the log what whoever runs the service can mend; what people do there is not in it."""
    if error.outcome in ("busy", "down", "refused"):
        elsewhere.notices.warn(str(error))
