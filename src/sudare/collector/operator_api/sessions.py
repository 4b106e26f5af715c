"""Calls about sessions, tokens and the record of acts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.types import Receive, Scope, Send

from sudare.collection.schema import moment_text
from sudare.collector.answers import JSON
from sudare.collector.operator_api.api import OperatorAPI, decoded, deliver
from sudare.collector.operator_api.budgets import number_of, sees_budgets
from sudare.collector.operator_api.request import OperatorRequest, OperatorResponse, as_moment
from sudare.collector.operator_api.token_view import rights_json, session_json, token_json
from sudare.errors import DomainError
from sudare.operators import Session
from sudare.operators.audit import MOST
from sudare.refusal import Refusal


def signed_in(desk: OperatorAPI, session: Session) -> dict[str, Any]:
    """Return what a page is told of its session."""
    rights = session.rights
    ends = moment_text(session.expires)
    held = sees_budgets(desk, rights)
    return {**rights_json(rights), "expires": ends, "csrf": session.csrf, "budgets": held}


async def sign_in(desk: OperatorAPI, scope: Scope, receive: Receive, send: Send) -> None:
    """Begin a session by a token: the one call for which nobody has to be signed in."""
    body = decoded(await desk.reader.read(scope, receive, 4096))
    token = body.get("token")
    if not isinstance(token, str) or len(body) > 1:
        raise Refusal(400, DomainError("token", "must be text", "send it alone"))

    def work() -> OperatorResponse:
        secure = desk.door.is_secure(scope)
        rights = desk.door.check(token.strip())
        desk.audit.add(rights, "sign in")
        session, cookie = desk.door.sign_in(rights, secure=secure)
        return OperatorResponse(signed_in(desk, session), (*JSON, *cookie))

    await deliver(send, await desk.in_thread(work))


def session(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Tell who has signed in, and what they may do."""
    if call.visitor.session is not None:
        return signed_in(desk, call.visitor.session)
    ends, held = moment_text(call.rights.expires), sees_budgets(desk, call.rights)
    return {**rights_json(call.rights), "expires": ends, "csrf": None, "budgets": held}


def sign_out(desk: OperatorAPI, call: OperatorRequest) -> OperatorResponse:
    """End the session."""
    desk.note(call, "sign out")
    return OperatorResponse({}, (*JSON, *desk.door.sign_out(call.visitor, call.scope)))


def sessions(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """List the sessions that have not ended."""
    own = None if call.visitor.session is None else call.visitor.session.id
    sessions = desk.door.sessions
    found = [one for one in sessions.all(call.rights) if sessions.holds(one)]
    return {"sessions": [{**session_json(one), "own": one.id == own} for one in found]}


def end_session(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """End a session at once, with the tokens that a person made in it."""
    session = desk.door.sessions.end(call.part("id"), call.rights)
    desk.note(call, "end session", name=session.rights.name, session=session.id)
    return {}


def tokens(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """List the tokens, none of which can be read again."""
    return {"tokens": [token_json(one) for one in desk.tokens.all(call.rights)]}


def new_token(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Make a token, which is told this once; it allows no more than the caller's own."""
    name, scopes, collections, expires = call.fields("name", "scopes", "collections", "expires")
    ends = as_moment(expires, "expires")
    session = call.visitor.session
    within = None if session is None or session.person is None else session.id
    made = desk.tokens.issue(name, scopes, collections, ends, by=call.rights, session=within)
    (token,) = (t for t in desk.tokens.all() if t.rights.token == desk.tokens.id_of(made))
    rights = token.rights
    desk.note(call, "new token", name=name, token=rights.token, scopes=rights.scopes,
              collections=rights.collections, expires=moment_text(rights.expires))  # fmt: skip
    return {**token_json(token), "token": made}


def revoke(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """End a token and its sessions at once."""
    token = desk.tokens.revoke(call.part("id"), call.rights)
    desk.note(call, "revoke token", name=token.rights.name, token=token.rights.token)
    return {}


def audit(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Tell what operators did, newest first."""
    before, most = number_of(call, "before"), number_of(call, "limit", MOST)
    found = desk.audit.read(call.rights, before=before, most=most or 100)
    return {"entries": [asdict(one) for one in found]}
