"""The operators' API: every call that there is, with the scope that it takes."""

from __future__ import annotations

from functools import partial

from starlette.routing import Route

from sudare.collector.exports import FORMATS, WHAT
from sudare.collector.operator_api import (
    answers,
    budgets,
    definitions,
    drawing,
    figures,
    oidc,
    sessions,
    surveys,
)
from sudare.collector.operator_api.api import OperatorAPI
from sudare.collector.operator_api.endpoints import Endpoint, described
from sudare.collector.routes import CONFIDENCE, RECORDS, RESULTS, TARGET, Operation, route
from sudare.openapi import parameter
from sudare.operators import SCOPES, VISIBILITIES, audit
from sudare.release.api import spending

_ALL = "/collections"
_ONE = "/collections/{name}"
_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_WHOLE = {"type": "integer", "minimum": 1}
_PEOPLE = {"type": ["integer", "null"], "minimum": 1}
_FIGURES = parameter("figures", {"enum": list(figures.FIGURES)}, "All that is stored if left out.")
_CROSSED = parameter(
    "questions", {"type": "string"}, "Ids of two or three choices, with commas.", required=True
)
_ROUND = parameter("round", _WHOLE, "Of a survey in rounds: the last with reports if left out.")
_EXPORT = (
    parameter("format", {"enum": list(FORMATS)}, "Of the file: csv if left out."),
    parameter("what", {"enum": list(WHAT)}, "What it holds: figures if left out."),
    parameter("question", _TEXT, "Id of the only question; all if left out."),
    parameter("language", _TEXT, "Of labels: the collection's first if left out."),
)
_SHOWN = (TARGET, CONFIDENCE, _FIGURES)
_AUDIT = (
    parameter("before", _WHOLE, "Only entries of a lower number."),
    parameter("limit", {**_WHOLE, "maximum": audit.MOST}, "How many entries: 100 if left out."),
)
_SPENT = (
    parameter("account", _TEXT, "Its name.", required=True),
    parameter("before", _WHOLE, "Only payments of a lower number."),
    parameter("limit", {**_WHOLE, "maximum": spending.MOST}, "How many payments: 100 if left out."),
)
_FILES = tuple(kind.partition(";")[0] for kind in FORMATS.values())
_TEXTS = {"type": "array", "items": _TEXT}
_UNTIL = {"until?": _MAYBE}
_TOKEN = {
    "name": _TEXT,
    "scopes": {"type": "array", "items": {"enum": list(SCOPES)}},
    "collections?": {"type": ["array", "null"], "items": _TEXT},
    "expires?": _MAYBE,
}

OFFERS = (
    Endpoint("getSession", "GET", "/session", "read", sessions.session, answers.Signed),
    Endpoint("signOut", "DELETE", "/session", "read", sessions.sign_out, answers.Nothing),
    Endpoint("listOwn", "GET", _ALL, "read", surveys.listed, answers.Items),
    Endpoint("check", "POST", "/check", "read", definitions.check, answers.Checked,
             takes={"text": _TEXT, "n?": _PEOPLE}),
    Endpoint("drawCodes", "POST", "/qr", "read", drawing.codes, answers.Codes,
             takes={"texts": _TEXTS}),
    Endpoint("tryPlan", "POST", "/plan", "read", drawing.plan, answers.Redraft,
             takes={"text": _TEXT, "epsilon?": _MAYBE, "n?": _PEOPLE}),
    Endpoint("getOwn", "GET", _ONE, "read", surveys.collection_state, answers.Detail),
    Endpoint("delete", "DELETE", _ONE, "admin", surveys.delete, answers.Deletion),
    Endpoint("getDefinition", "GET", f"{_ONE}/definition", "read", definitions.get,
          answers.SurveyFile),
    Endpoint("edit", "PUT", f"{_ONE}/definition", "run", definitions.put, answers.Checked,
             takes={"text": _TEXT}),
    Endpoint("dropEdit", "DELETE", f"{_ONE}/definition", "run", definitions.drop, answers.Nothing),
    Endpoint("publish", "POST", f"{_ONE}/publish", "run", definitions.publish, answers.Detail),
    Endpoint("open", "POST", f"{_ONE}/open", "run", surveys.open_, answers.Detail, takes=_UNTIL),
    Endpoint("close", "POST", f"{_ONE}/close", "run", surveys.close, answers.Detail),
    Endpoint("extend", "POST", f"{_ONE}/extend", "run", surveys.extend, answers.Detail,
             takes=_UNTIL),
    Endpoint("setVisibility", "PUT", f"{_ONE}/visibility", "run", surveys.show, answers.Detail,
             takes={"visibility": {"enum": list(VISIBILITIES)}}),
    Endpoint("countInvites", "GET", f"{_ONE}/invites", "read", surveys.invites,
             answers.InviteCounts),
    Endpoint("makeInvites", "POST", f"{_ONE}/invites", "run", surveys.new_invites,
             answers.MadeInvites,
             takes={"number": _WHOLE}),
    Endpoint("getOwnResults", "GET", f"{_ONE}/results", "read", figures.results, RESULTS,
             query=_SHOWN),
    Endpoint("crossOwn", "GET", f"{_ONE}/cross", "read", figures.cross, answers.Cross,
             query=(_CROSSED, TARGET, CONFIDENCE, _ROUND)),
    Endpoint("exportOwn", "GET", f"{_ONE}/export", "read", figures.export, RECORDS,
             query=(*_EXPORT, *_SHOWN), media=_FILES),
    Endpoint("exportReports", "GET", f"{_ONE}/reports", "export", figures.reports, None,
             query=(_ROUND,), media=(figures.REPORTS,)),
    Endpoint("listSessions", "GET", "/sessions", "admin", sessions.sessions, answers.SignIns),
    Endpoint("endSession", "DELETE", "/sessions/{id}", "admin", sessions.end_session,
             answers.Nothing),
    Endpoint("listTokens", "GET", "/tokens", "admin", sessions.tokens, answers.Tokens),
    Endpoint("makeToken", "POST", "/tokens", "admin", sessions.new_token, answers.MadeToken,
             takes=_TOKEN),
    Endpoint("revokeToken", "DELETE", "/tokens/{id}", "admin", sessions.revoke, answers.Nothing),
    Endpoint("listBudgets", "GET", "/budgets", "admin", budgets.listed, answers.Accounts),
    Endpoint("listSpending", "GET", "/budgets/spending", "admin", budgets.spent, answers.Spent,
             query=_SPENT),
    Endpoint("readAudit", "GET", "/audit", "admin", sessions.audit, answers.Record, query=_AUDIT),
)  # fmt: skip
"""All that is offered to those who are let in."""

_BEGUN = {"redirect": _TEXT, "back": _TEXT, "language": _TEXT}
OPEN = (
    (described("signIn", "Begin a session by a token.", "POST", "/session", answers.Signed,
               bearer="", takes={"token": _TEXT}), sessions.sign_in),
    (described("offerElsewhere", oidc.offered.__doc__ or "", "GET", "/oidc", answers.Offered,
               bearer=""),
     oidc.offered),
    (described("beginElsewhere", oidc.begin.__doc__ or "", "POST", "/oidc", answers.Departure,
               bearer="", takes=_BEGUN), oidc.begin),
)  # fmt: skip
"""Signing in: the calls for which nobody has to be signed in."""


def operations(desk: OperatorAPI) -> list[Operation]:
    """Return the operations of the API."""
    own = [Operation(one.described(), partial(desk.serve, one)) for one in OFFERS]
    return [*(Operation(about, partial(serve, desk)) for about, serve in OPEN), *own]


def page_routes(desk: OperatorAPI) -> list[Route]:
    """Return the routes of addresses that browsers are sent to."""
    return [route(oidc.RETURN, partial(oidc.finish, desk))]
